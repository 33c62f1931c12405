"""The values of partition columns, which the log has as texts (PROTOCOL.md, "Partition Value Serialization")."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timezone
from decimal import Decimal

from deltalog.errors import MalformedAction, UnsupportedType
from deltalog.values.primitive_values import EXACT
from deltalog.values.schemas import parse_decimal_type


def parse_partition_value(text: str | None, kind: object) -> object:
    """The value of a partition column in the log; the empty string is NULL for every type.

    A TIMESTAMP is an aware datetime in UTC, in which a text without a zone is taken to be. A BINARY is the text in UTF-8, as in
    Spark and delta-kernel-rs. Raises UnsupportedType, and MalformedAction for an invalid text.
    Source: PROTOCOL.md, "Partition Value Serialization".
    """
    parse = _partition_parser(kind)
    if parse is None:
        raise UnsupportedType(f"a partition column of the type {kind!r} is not supported")
    if text is None or text == "":
        return None
    try:
        return parse(text)
    except (ValueError, OverflowError):
        raise MalformedAction(f"the partition value {text!r} is not of the type {kind}") from None


def _whole_parser(bits: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        # int() also accepts spaces and underscores.
        if not re.fullmatch(r"[+-]?[0-9]+", text) or not -(1 << bits - 1) <= int(text) < 1 << bits - 1:
            raise ValueError(text)
        return int(text)

    return parse


def _parse_date(text: str) -> date:
    # What else fromisoformat() accepts depends on the version of Python.
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(text)
    return date.fromisoformat(text)


def _parse_boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _parse_float(text: str) -> float:
    # The texts of Java's Double.toString; float() also accepts "nan" and "1_0".
    if not re.fullmatch(r"NaN|[+-]?Infinity|[+-]?[0-9]+(\.[0-9]*)?([Ee][+-]?[0-9]+)?", text):
        raise ValueError(text)
    return float(text)


def _decimal_parser(precision: int, scale: int) -> Callable[[str], Decimal]:
    def parse(text: str) -> Decimal:
        if not re.fullmatch(r"[+-]?[0-9]+(\.[0-9]*)?([Ee][+-]?[0-9]+)?", text):
            raise ValueError(text)
        try:
            value = Decimal(text).quantize(Decimal(1).scaleb(-scale), context=EXACT)
        except ArithmeticError:
            raise ValueError(text) from None
        if len(value.as_tuple().digits) > precision:
            raise ValueError(text)
        return value

    return parse


_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})([ T])([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,6}))?(Z|[+-][0-9]{2}:[0-9]{2})?"
)


def _parse_timestamp(text: str) -> datetime:
    """A datetime with the text's zone, or a naive one. Only texts with ``T`` have a zone."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None or (match.group(2) == "T") != (match.group(5) is not None):
        raise ValueError(text)
    day, _, time, fraction, zone = match.groups()
    offset = {None: "", "Z": "+00:00"}.get(zone, zone)
    return datetime.fromisoformat(f"{day}T{time}.{(fraction or '').ljust(6, '0')}{offset}")


def _parse_instant(text: str) -> datetime:
    value = _parse_timestamp(text)
    return (value if value.tzinfo else value.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)


def _parse_timestamp_ntz(text: str) -> datetime:
    value = _parse_timestamp(text)
    if value.tzinfo is not None:
        raise ValueError(text)
    return value


_PARTITION_PARSERS: Mapping[str, Callable[[str], object]] = {
    "string": str,
    "long": _whole_parser(64),
    "integer": _whole_parser(32),
    "short": _whole_parser(16),
    "byte": _whole_parser(8),
    "float": _parse_float,
    "double": _parse_float,
    "boolean": _parse_boolean,
    "binary": str.encode,
    "date": _parse_date,
    "timestamp": _parse_instant,
    "timestamp_ntz": _parse_timestamp_ntz,
}


def _partition_parser(kind: object) -> Callable[[str], object] | None:
    if not isinstance(kind, str):
        return None
    scaled = parse_decimal_type(kind)
    return _PARTITION_PARSERS.get(kind) if scaled is None else _decimal_parser(*scaled)
