"""How SQL orders values of one type."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

from model.vocabulary.values import Value


def sign(left: Value, right: Value) -> int:
    """-1, 0 or 1 if ``left`` is less than, equal to or greater than ``right``; both have one type and are not NULL.

    Strings are ordered by their UTF-8 bytes (UTF-16 differs: U+1F600 before U+FFFF), BINARY by unsigned bytes; FALSE is
    less than TRUE. NaN equals NaN and is greater than all other numbers, -0.0 equals 0.0 (Spark's SQL reference, "NaN
    Semantics"). Raises TypeError for values of different types, and for arrays, maps and structs.
    """
    if isinstance(left, str) and isinstance(right, str):
        return _sign_of(left.encode() > right.encode(), left.encode() < right.encode())
    # A datetime is a date in Python; one with a zone is not comparable with one without.
    if isinstance(left, date) and type(left) is type(right) and _zoned(left) == _zoned(right):
        return _sign_of(left > right, left < right)  # type: ignore[operator]  # both are of the one class
    # A bool is an int in Python, but a BOOLEAN is not a number in SQL.
    if isinstance(left, int) and isinstance(right, int) and isinstance(left, bool) == isinstance(right, bool):
        return _sign_of(left > right, left < right)
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return _sign_of(math.isnan(left), math.isnan(right))
        return _sign_of(left > right, left < right)
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return _sign_of(left > right, left < right)
    if isinstance(left, bytes) and isinstance(right, bytes):
        return _sign_of(left > right, left < right)
    raise TypeError(f"{left!r} and {right!r} are of different types: they cannot be compared")


def _zoned(value: date) -> bool:
    return getattr(value, "tzinfo", None) is not None


def _sign_of(after: bool, before: bool) -> int:
    return int(after) - int(before)
