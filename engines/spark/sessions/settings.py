"""Settings of a session for one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str | None]) -> Iterator[None]:
    """Apply settings (``None``: unset) and restore the previous ones, also after an error."""
    before = {key: spark.conf.get(key, None) for key in values}
    try:
        for key, value in values.items():
            _set(spark, key, value)
        yield
    finally:
        for key, value in before.items():
            _set(spark, key, value)


def _set(spark: SparkSession, key: str, value: str | None) -> None:
    if value is None:
        spark.conf.unset(key)
    else:
        spark.conf.set(key, value)
