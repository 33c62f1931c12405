"""Engines in words."""

from __future__ import annotations

#: What people call an engine, where ``--engine`` takes another name.
_CALLED = {"spark": "Delta"}


def engine_words(engine: str, version: str) -> str:
    """An engine with its version.

    >>> engine_words("spark", "4.4.0"), engine_words("deltalake", "1.6.6"), engine_words("outside", "")
    ('Delta 4.4.0', 'deltalake 1.6.6', 'outside')
    """
    return f"{_CALLED.get(engine, engine)} {version}".strip()
