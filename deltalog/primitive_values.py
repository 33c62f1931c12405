"""The values of primitive types from Arrow, by the type that is stored and that of the schema."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa

from deltalog.schemas import EXACT

#: Converts a value of pyarrow that is not NULL.
Convert = Callable[[Any], object]

#: The most digits of whole numbers, by their bits, as Spark's DecimalType counts them.
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}


def primitive_reader(stored: pa.DataType, kind: pa.DataType) -> Convert | None:
    """Converts values stored as ``stored`` to the primitive type ``kind``; ``None`` if that is neither its type nor a wider one.

    Source: PROTOCOL.md, "Consistency Between Table Metadata and Data Files" and "Type Widening".
    """
    types = pa.types
    whole = stored.bit_width if types.is_signed_integer(stored) else None  # bits
    if types.is_timestamp(kind):
        if types.is_date32(stored) and kind.tz is None:
            return _midnight
        if not types.is_timestamp(stored) or stored.unit == "ns":  # Delta's are in microseconds
            return None
        if kind.tz is None:
            return as_is if stored.tz is None else None
        return utc  # an INT96 timestamp has no zone in Arrow, but is in UTC
    if types.is_decimal(kind):
        before = kind.precision - kind.scale  # digits before the point
        if whole is not None and before >= _DIGITS[whole]:
            return _decimal_of(kind.scale)
        if types.is_decimal(stored) and stored.scale <= kind.scale and stored.precision - stored.scale <= before:
            return as_is if stored.scale == kind.scale else _decimal_of(kind.scale)
        return None
    if types.is_floating(kind):
        if types.is_floating(stored) and 32 <= stored.bit_width <= kind.bit_width:
            return as_is
        return float if types.is_float64(kind) and whole is not None and whole <= 32 else None
    if types.is_integer(kind):
        return as_is if whole is not None and whole <= kind.bit_width else None
    if types.is_string(kind):
        if _is_binary(stored):  # older writers do not mark a binary as text
            return bytes.decode
        return (
            as_is if types.is_string(stored) or types.is_large_string(stored) or types.is_string_view(stored) else None
        )
    return as_is if stored == kind or (types.is_binary(kind) and _is_binary(stored)) else None


def _decimal_of(scale: int) -> Convert:
    unit = Decimal(1).scaleb(-scale)
    return lambda value: Decimal(value).quantize(unit, context=EXACT)


def _is_binary(stored: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_binary(stored)
        or types.is_large_binary(stored)
        or types.is_binary_view(stored)
        or types.is_fixed_size_binary(stored)
    )


def as_is(value: Any) -> object:
    return value


def utc(value: Any) -> object:
    return value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)


def _midnight(value: Any) -> object:
    return datetime.combine(value, time())
