"""The values of primitive types from Arrow, by the type that is stored and that of the schema."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timezone
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any

import pyarrow as pa

#: Raises instead of rounding.
EXACT = Context(prec=76, traps=[Inexact, InvalidOperation])

#: Converts a value of pyarrow that is not NULL.
Convert = Callable[[Any], object]

#: The most digits of whole numbers, by their bits, as Spark's DecimalType counts them.
_DIGITS = {8: 3, 16: 5, 32: 10, 64: 20}

#: Other layouts of texts and binaries in Arrow.
_LAYOUTS = {
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
}


def primitive_reader(stored: pa.DataType, kind: pa.DataType) -> Convert | None:
    """Converts values stored as ``stored`` to the primitive type ``kind``; ``None`` if that is neither its type nor a wider one.

    Source: PROTOCOL.md, "Consistency Between Table Metadata and Data Files" and "Type Widening".
    """
    types = pa.types
    if types.is_dictionary(stored):
        stored = stored.value_type
    stored = pa.binary() if types.is_fixed_size_binary(stored) else _LAYOUTS.get(stored, stored)
    if types.is_timestamp(kind):
        if kind.tz is None and types.is_date32(stored):
            return _midnight
        if not types.is_timestamp(stored) or stored.unit == "ns":  # Delta's are in microseconds
            return None
        if kind.tz is not None:
            return utc  # an INT96 timestamp has no zone in Arrow, but is in UTC
        return as_is if stored.tz is None else None
    if stored == kind:
        return as_is
    whole = stored.bit_width if types.is_signed_integer(stored) else None  # bits
    if types.is_decimal(kind):
        before = kind.precision - kind.scale  # digits before the point
        if whole is not None:
            fits = before >= _DIGITS[whole]
        else:
            fits = types.is_decimal(stored) and stored.scale <= kind.scale and stored.precision - stored.scale <= before
        return _decimal_of(kind.scale) if fits else None
    if types.is_float64(kind):
        return float if types.is_float32(stored) or (whole is not None and whole <= 32) else None
    if types.is_integer(kind):
        if types.is_int32(stored) and kind.bit_width < 32:
            return _within(
                kind.bit_width
            )  # that is how Parquet stores them too; a writer may leave out the logical type
        return as_is if whole is not None and whole <= kind.bit_width else None
    # Older writers do not mark a binary as text.
    return bytes.decode if types.is_string(kind) and types.is_binary(stored) else None


def _within(bits: int) -> Convert:
    """Raises ValueError for a number that needs more bits."""

    def checked(value: int) -> int:
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise ValueError(f"{value} needs more than {bits} bits")
        return value

    return checked


def _decimal_of(scale: int) -> Convert:
    unit = Decimal(1).scaleb(-scale)
    return lambda value: Decimal(value).quantize(unit, context=EXACT)


def as_is(value: Any) -> object:
    return value


def utc(value: Any) -> object:
    return value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)


def _midnight(value: Any) -> object:
    return datetime.combine(value, time())
