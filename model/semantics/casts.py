"""``CAST`` under Spark's ANSI rules: the supported casts, and their results.

Values are plain (``plain``): a DATE is the days since 1970-01-01, a TIMESTAMP the microseconds since 1970-01-01 00:00 UTC,
a TIMESTAMP_NTZ the same of a local time.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal

from model.semantics import moments
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, Type, Value


class Undefined(Exception):
    """ANSI SQL raises an error for this expression."""


#: The supported casts from each type, apart from itself.
CASTS: dict[Type, frozenset[Type]] = {
    Type.STRING: frozenset(WHOLE_NUMBERS) | {Type.DOUBLE, Type.BOOLEAN, Type.DATE, Type.TIMESTAMP},
    **{whole: frozenset(WHOLE_NUMBERS) | {Type.STRING, Type.DOUBLE, Type.BOOLEAN} for whole in WHOLE_NUMBERS},
    Type.FLOAT: frozenset(WHOLE_NUMBERS) | {Type.DOUBLE},
    Type.DOUBLE: frozenset(WHOLE_NUMBERS),
    Type.BOOLEAN: frozenset(WHOLE_NUMBERS) | {Type.STRING},
    Type.DATE: frozenset({Type.STRING, Type.TIMESTAMP, Type.TIMESTAMP_NTZ}),
    Type.TIMESTAMP: frozenset({Type.STRING, Type.DATE, Type.LONG, Type.TIMESTAMP_NTZ}),
    # Not to TIMESTAMP: Spark compares such a cast as if clocks never changed.
    Type.TIMESTAMP_NTZ: frozenset({Type.STRING, Type.DATE}),
}

#: The supported casts from any DECIMAL.
CASTS_OF_DECIMAL: frozenset[Type] = frozenset(WHOLE_NUMBERS) | {Type.STRING, Type.DOUBLE}


#: Days before and after 1970-01-01 whose microseconds fit a LONG.
_FARTHEST_DAY = WHOLE_NUMBERS[Type.LONG][1] // moments.DAY_MICROS - 1


def castable(source: AnyType, target: AnyType) -> bool:
    """Whether ``cast`` supports the cast. Others may be valid SQL."""
    if source == target:
        return True
    if isinstance(source, DecimalOf):
        return target in CASTS_OF_DECIMAL
    return isinstance(source, Type) and target in CASTS.get(source, frozenset())


def plain(value: Value, type: AnyType) -> Value:
    """A value of a row as expressions use it. The parts of nested values are left as they are."""
    if type is Type.DATE and isinstance(value, date):
        return moments.days_of(value)
    if type in (Type.TIMESTAMP, Type.TIMESTAMP_NTZ) and isinstance(value, datetime):
        return moments.micros_of(value)
    return value


def cast(value: Value, source: AnyType, target: AnyType, zone: str) -> Value:
    """``CAST(value AS target)`` of a plain value of the type ``source`` in a session with the time ``zone``.

    Raises Undefined for an error in ANSI SQL: an invalid text, or a number out of range. Raises TypeError for a cast that
    is not supported (``castable``), and for texts that are not supported as a TIMESTAMP: a time of day without a date,
    and a zone that is not an offset. Raises ValueError for a DATE beyond the range of timestamps (about 290,000 years).
    """
    if not castable(source, target):
        raise TypeError(f"the cast from {source} to {target} is not supported")
    if value is None or source == target:
        return value
    if isinstance(value, str):
        return _from_string(value, target, zone)
    if isinstance(target, Type) and target in WHOLE_NUMBERS:
        return _in_range(_whole(value, source), target)
    if target is Type.DOUBLE:
        assert isinstance(value, (int, float, Decimal)), "only numbers are cast to DOUBLE"
        return float(value)
    if target is Type.BOOLEAN:
        return value != 0
    assert isinstance(value, (bool, int, Decimal)), "only casts to STRING and between times are left"
    if target is Type.STRING:
        return _text(value, source, zone)
    return _moment(int(value), source, target, zone)


def _in_range(number: int, type: Type) -> int:
    least, greatest = WHOLE_NUMBERS[type]
    if not least <= number <= greatest:
        raise Undefined(f"{number} does not fit the type {type.value}")
    return number


def _whole(value: Value, source: AnyType) -> int:
    """A number rounded towards zero; of a TIMESTAMP, the seconds since 1970, rounded down."""
    if source is Type.TIMESTAMP:
        assert isinstance(value, int), "a plain TIMESTAMP is a number"
        return value // moments.SECOND_MICROS
    assert isinstance(value, (bool, int, float, Decimal)), "only numbers are left"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Undefined(f"{value} is not a whole number")
        # The greatest LONG has no DOUBLE: 2^63 itself is allowed, and becomes that LONG.
        return WHOLE_NUMBERS[Type.LONG][1] if value == 2.0**63 else int(value)
    return int(value)


def _text(value: bool | int | Decimal, source: AnyType, zone: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if source is Type.DATE:
        return moments.date_text(value)
    if source is Type.TIMESTAMP:
        return moments.timestamp_text(moments.local_micros(value, zone))
    return moments.timestamp_text(value) if source is Type.TIMESTAMP_NTZ else str(value)


def _moment(value: int, source: AnyType, target: AnyType, zone: str) -> int:
    if source is Type.DATE:
        if abs(value) > _FARTHEST_DAY:
            # Spark raises an error, unless it optimizes the comparison to one of days.
            raise ValueError(f"{moments.date_text(value)} is too far away to be cast to a timestamp")
        return value * moments.DAY_MICROS if target is Type.TIMESTAMP_NTZ else moments.start_of_day(value, zone)
    local = moments.local_micros(value, zone) if source is Type.TIMESTAMP else value
    return local // moments.DAY_MICROS if target is Type.DATE else local


# Casts of texts ----------------------------------------------------------------------------------------------

#: What CAST strips from a text: ASCII blanks and control characters.
_BLANK = "".join(map(chr, range(0x21))) + "\x7f"

#: What Java's Double.parseDouble strips.
_JAVA_BLANK = "".join(map(chr, range(0x21)))

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_DECIMAL_FLOAT = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdD]?")
_HEX_FLOAT = re.compile(r"([+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+)[fFdD]?")
_NAMED_FLOAT = re.compile(r"[+-]?inf(?:inity)?|nan", re.IGNORECASE | re.ASCII)
_NAN = re.compile(r"[+-]NaN")
_TRUE, _FALSE = frozenset({"t", "true", "y", "yes", "1"}), frozenset({"f", "false", "n", "no", "0"})
_DATE = re.compile(r"([+-]?)([0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?", re.DOTALL)
_TIMESTAMP = re.compile(
    r"([+-]?)([0-9]{4,6})(?:-([0-9]{1,2})(?:-([0-9]{1,2})"
    r"(?:[ T]([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?([^0-9.].*)?)?)?)?)?)?",
    re.DOTALL,
)
_TIME_OF_DAY = re.compile(r"T[0-9]{1,2}(?::.*)?|[0-9]{1,2}:.*", re.DOTALL)
_OFFSET = re.compile(r"([+-])([0-9]{1,2}):([0-9]{1,2})")


def _from_string(text: str, target: AnyType, zone: str) -> Value:
    trimmed = text.strip(_BLANK)
    if isinstance(target, Type) and target in WHOLE_NUMBERS:
        if not _WHOLE_NUMBER.fullmatch(trimmed):
            raise Undefined(f"{text!r} is not a whole number")
        return _in_range(int(trimmed), target)
    if target is Type.BOOLEAN:
        word = trimmed.lower()
        if word not in _TRUE | _FALSE:
            raise Undefined(f"{text!r} is neither true nor false")
        return word in _TRUE
    if target is Type.DOUBLE:
        return _double(text)
    if target is Type.DATE:
        return _date(text, _DATE.fullmatch(trimmed))
    return _timestamp(text, trimmed, zone)


def _double(text: str) -> float:
    trimmed = text.strip(_JAVA_BLANK)
    if found := _DECIMAL_FLOAT.fullmatch(trimmed):
        return float(found[1])
    if found := _HEX_FLOAT.fullmatch(trimmed):
        try:
            return float.fromhex(found[1])
        except OverflowError:
            return -math.inf if trimmed.startswith("-") else math.inf
    if _NAMED_FLOAT.fullmatch(trimmed) or _NAN.fullmatch(trimmed):
        return float(trimmed)
    raise Undefined(f"{text!r} is not a number")


def _date(text: str, found: re.Match[str] | None) -> int:
    if found is None:
        raise Undefined(f"{text!r} is not a date")
    year = int(found[2]) * (-1 if found[1] == "-" else 1)
    try:
        days = moments.days_of_date(year, int(found[3] or 1), int(found[4] or 1))
    except ValueError:
        raise Undefined(f"{text!r} is not a date of the calendar") from None
    return _in_range(days, Type.INTEGER)


def _timestamp(text: str, trimmed: str, zone: str) -> int:
    if _TIME_OF_DAY.fullmatch(trimmed):
        raise TypeError(f"{text!r} is a time of day without a date: it is not supported as a TIMESTAMP")
    found = _TIMESTAMP.fullmatch(trimmed)
    days = _date(text, found)
    assert found is not None, "_date raises if nothing matched"
    hour, minute, second = (int(part or 0) for part in found.group(5, 6, 7))
    if hour > 23 or minute > 59 or second > 59:
        raise Undefined(f"{text!r} has an invalid time of day")
    # Digits beyond microseconds are truncated.
    micros = int((found[8] or "").ljust(6, "0")[:6])
    local = days * moments.DAY_MICROS + ((hour * 60 + minute) * 60 + second) * moments.SECOND_MICROS + micros
    if found[9] is None:
        return _in_range(moments.instant_of(local, zone), Type.LONG)
    return _in_range(local - _offset(text, found[9]) * 60 * moments.SECOND_MICROS, Type.LONG)


def _offset(text: str, written: str) -> int:
    """The minutes of an offset from UTC such as ``+05:30`` or ``Z``."""
    trimmed = written.strip(_JAVA_BLANK)
    if trimmed == "Z":
        return 0
    found = _OFFSET.fullmatch(trimmed)
    if found is None:
        raise TypeError(f"the zone of {text!r} is not an offset: it is not supported as a TIMESTAMP")
    minutes = int(found[2]) * 60 + int(found[3])
    if int(found[3]) > 59 or minutes > 18 * 60:
        raise Undefined(f"{text!r} has an offset out of range")
    return -minutes if found[1] == "-" else minutes
