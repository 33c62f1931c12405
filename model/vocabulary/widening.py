"""Which types can be widened to which, and the values of the narrower type (PROTOCOL.md, "Type Widening")."""

from __future__ import annotations

import math
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from model.vocabulary.floats import nearest_float
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, Type, Value, canonical

#: The types of whole numbers, the narrowest first.
_WHOLE = tuple(WHOLE_NUMBERS)

#: The DECIMAL(p, 0) that holds each whole number, as the protocol counts digits.
_DIGITS = {Type.BYTE: 10, Type.SHORT: 10, Type.INTEGER: 10, Type.LONG: 20}


class DoesNotFit(ValueError):
    """A value of the wider type is no value of the narrower one."""


def can_widen(narrow: AnyType, wide: AnyType) -> bool:
    """Whether a column of the type ``narrow`` can become one of the type ``wide``, which is another.

    >>> can_widen(Type.FLOAT, Type.DOUBLE), can_widen(Type.LONG, Type.DOUBLE)
    (True, False)
    """
    if isinstance(wide, DecimalOf):
        before = wide.precision - wide.scale  # digits before the point
        if isinstance(narrow, DecimalOf):
            return narrow != wide and narrow.scale <= wide.scale and narrow.precision - narrow.scale <= before
        return isinstance(narrow, Type) and narrow in _DIGITS and before >= _DIGITS[narrow]
    if narrow in _WHOLE and wide in _WHOLE:
        return _WHOLE.index(narrow) < _WHOLE.index(wide)
    if wide is Type.DOUBLE:
        return narrow in (Type.BYTE, Type.SHORT, Type.INTEGER, Type.FLOAT)
    return (narrow, wide) == (Type.DATE, Type.TIMESTAMP_NTZ)


def keeps_texts(narrow: AnyType | None) -> bool:
    """Whether each text of the type in the log is one of the same value of every wider type: of whole numbers and DECIMALs.

    The text of a FLOAT is another DOUBLE, and that of a DATE no TIMESTAMP_NTZ (PROTOCOL.md, "Partition Value Serialization").
    """
    return isinstance(narrow, DecimalOf) or narrow in _WHOLE


def narrow_value(value: Value, narrow: AnyType) -> Value:
    """The value of the type ``narrow`` that becomes ``value``, which is of a type to which it can be widened.

    Raises DoesNotFit if there is none: -0.0 is no whole number.
    """
    found = nearest_value(value, narrow)
    same = datetime.combine(found, time()) == value if isinstance(found, date) else found == value
    negative_zero = isinstance(value, float) and isinstance(found, int) and found == 0 and math.copysign(1, value) < 0
    if not same or negative_zero:
        raise DoesNotFit(value)
    return found


def widened_value(value: Any, wide: AnyType) -> Value:
    """The value of the type ``wide`` that a value of a narrower type becomes."""
    if value is None:
        return None
    if isinstance(wide, DecimalOf):
        return canonical(value, wide)
    if wide is Type.TIMESTAMP_NTZ:
        return datetime.combine(value, time())
    return float(value) if wide is Type.DOUBLE and isinstance(value, int) else value  # type: ignore[no-any-return]


def nearest_value(value: Value, narrow: AnyType) -> Value:
    """A value of the type ``narrow`` near ``value``, which is of a type to which it can be widened: of a number that is too
    great the greatest, of NaN as a whole number 0, of a time its day.
    """
    return None if value is None else _nearest(value, narrow)


def _nearest(value: Any, narrow: AnyType) -> Value:
    if isinstance(narrow, DecimalOf):
        return _decimal(value, narrow)
    if narrow is Type.FLOAT:
        return nearest_float(value) if not math.isnan(value) else value  # type: ignore[no-any-return]
    if narrow is Type.DATE:
        return value.date()  # type: ignore[no-any-return]
    if isinstance(value, float) and not math.isfinite(value):
        value = 0 if math.isnan(value) else math.copysign(2.0**64, value)
    low, high = WHOLE_NUMBERS[Type(narrow)]
    return min(max(int(value), low), high)


def _decimal(value: Decimal, narrow: DecimalOf) -> Decimal:
    """Computed in whole numbers: the decimal context would round more than 28 digits."""
    sign, digits, exponent = value.as_tuple()
    shift = int(exponent) + narrow.scale
    unscaled = int("".join(map(str, digits)))
    unscaled = unscaled * 10**shift if shift >= 0 else unscaled // 10**-shift
    unscaled = min(unscaled, 10**narrow.precision - 1)
    return Decimal((sign if unscaled else 0, tuple(map(int, str(unscaled))), -narrow.scale))
