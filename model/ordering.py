"""How SQL orders values of one type."""

from __future__ import annotations

import math
from datetime import date
from decimal import Decimal

from model.values import Value


def sign(left: Value, right: Value) -> int:
    """-1, 0 or 1 as ``left`` stands before, at or after ``right``; both are of one type and not NULL.

    Strings stand in the order of their UTF-8 bytes (in UTF-16 the order would be another one: U+1F600 before U+FFFF),
    BINARY in that of its bytes without a sign. FALSE stands before TRUE. NaN equals NaN and stands after all other
    numbers, -0.0 equals 0.0 (Spark's SQL reference, "NaN Semantics"). Raises TypeError for values of different types,
    and for arrays, maps and structs.
    """
    if isinstance(left, str) and isinstance(right, str):
        return _sign_of(left.encode() > right.encode(), left.encode() < right.encode())
    # A datetime is a date in Python, and one with a zone is not comparable with one without.
    if isinstance(left, date) and type(left) is type(right) and _zoned(left) == _zoned(right):
        return _sign_of(left > right, left < right)  # type: ignore[operator]  # both are of the one class
    # A bool is an int in Python, but a BOOLEAN is no number in SQL.
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
    raise TypeError(f"{left!r} and {right!r} are of different types, SQL cannot compare them here")


def _zoned(value: date) -> bool:
    return getattr(value, "tzinfo", None) is not None


def _sign_of(after: bool, before: bool) -> int:
    return int(after) - int(before)
