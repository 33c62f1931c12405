"""Engines in words."""

from __future__ import annotations

from engines.port import EngineUnavailable
from engines.provider import DEFAULT
from engines.spark.versions import usual_pyspark
from records.run import Header

#: What people call an engine, where ``--engine`` takes another name.
_CALLED = {"spark": "Delta"}


def engine_words(engine: str, version: str) -> str:
    """An engine with its version.

    >>> engine_words("spark", "4.4.0"), engine_words("deltalake", "1.6.6"), engine_words("outside", "")
    ('Delta 4.4.0', 'deltalake 1.6.6', 'outside')
    """
    return f"{_CALLED.get(engine, engine)} {version}".strip()


def header_words(header: Header) -> str:
    """The same of a run's engine, with the PySpark where that is not the usual: ``Delta 4.4.0 on PySpark 4.2.1``."""
    words = engine_words(header.engine, header.version)
    pyspark = header.versions.get("pyspark")
    if header.engine != DEFAULT or pyspark is None:
        return words
    try:
        is_usual = pyspark == usual_pyspark(header.version)
    except EngineUnavailable:
        return words
    return words if is_usual else f"{words} on PySpark {pyspark}"
