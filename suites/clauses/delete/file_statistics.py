"""What is wrong with the statistics of a file (PROTOCOL.md, "Per-file Statistics")."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from harness.observing.steps.observation import DeleteObservation
from model.text.layout import physical_field, physical_name
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, DecimalOf, Row, StructOf, Type, Value, is_nested, type_name


def parsed(stats: str | None) -> dict[str, Any]:
    """The statistics of an add; empty without any, and where they are no JSON object."""
    try:
        return read(stats)
    except Malformed:
        return {}


def members(stats: dict[str, Any], key: str) -> frozenset[str]:
    """The columns that a statistic has; none where it is no JSON object."""
    found = stats.get(key)
    return frozenset(found) if isinstance(found, dict) else frozenset()


class Malformed(ValueError):
    """Statistics are not of the form that PROTOCOL.md defines. The message is a part of a sentence."""


def read(stats: str | None) -> dict[str, Any]:
    """The statistics of an add; empty without any. Raises Malformed where they are no JSON object."""
    try:
        found = json.loads(stats or "{}", parse_float=Decimal)
    except (ValueError, RecursionError):
        raise Malformed(f"they are {shown(stats)}, which is no JSON") from None
    if not isinstance(found, dict):
        raise Malformed(f"they are {shown(stats)}, and must be a JSON object")
    return found


def shown(value: object) -> str:
    """A value for a message, shortened."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


@dataclass(frozen=True)
class WrongStatistic:
    """``kind`` is the same for each case, such as ``minimum``; ``text`` is a part of a sentence."""

    kind: str
    text: str


def wrong_statistics(stats: dict[str, Any], d: DeleteObservation, path: str) -> WrongStatistic | None:
    """The first statistic of a file that does not match its rows; None if all match. Raises Malformed."""
    rows = d.after.contents[path] or ()
    for key in ("nullCount", "minValues", "maxValues"):
        if not isinstance(stats.get(key, {}), dict):
            raise Malformed(f"{key} is {shown(stats[key])}, and must be a JSON object")
    if stats.get("numRecords") != len(rows):
        text = f"numRecords is {stats.get('numRecords')}, and the file has {len(rows)} rows"
        return WrongStatistic("numRecords", text)
    names = {physical_name(d.table, column.name) for column in d.table.columns}
    unknown = sorted({name for key in ("nullCount", "minValues", "maxValues") for name in stats.get(key, {})} - names)
    if unknown:
        return WrongStatistic("they", f"they are of {unknown[0]}, which is no column")
    return wrong_bounds(stats, d, rows) or (None if stats.get("tightBounds") is False else _loose_bound(stats, d, rows))


def _loose_bound(stats: dict[str, Any], d: DeleteObservation, rows: Sequence[Row]) -> WrongStatistic | None:
    """The first bound that no row has, though bounds are tight unless they say otherwise: of numbers, dates, short texts."""
    for position, column in enumerate(d.table.columns):
        found = [row[position] for row in rows if row[position] is not None]
        values = [_comparable(value, column.type) for value in found]
        if not values or not has_exact_bounds(column.type, found):
            continue
        name = physical_name(d.table, column.name)
        for key, tight in (("minValues", min(values)), ("maxValues", max(values))):
            bound = stats.get(key, {}).get(name)
            if bound is not None and _bound(bound, column.type) != tight:
                return WrongStatistic(key, f"{key} of {column.name} is {bound}, and must be {tight}")
    return None


def wrong_bounds(stats: dict[str, Any], d: DeleteObservation, rows: Sequence[Row]) -> WrongStatistic | None:
    """The first bound or null count that does not match the rows; None if all match. Raises Malformed.

    A struct has those of its fields, which are NULL where it is. An array or a map has a null count only.
    """
    for name, path, type, values in stored_columns(d.table, rows):
        nulls = _of(stats, "nullCount", path)
        if nulls is not None and nulls != values.count(None):
            text = f"nullCount of {name} is {nulls}, and {values.count(None)} rows have NULL there"
            return WrongStatistic("nullCount", text)
        if is_nested(type):
            continue
        known = [_comparable(value, type) for value in values if value is not None]
        low, high = (_of(stats, bound, path) for bound in ("minValues", "maxValues"))
        if low is not None and known and _bound(low, type) > min(known):
            text = f"the minimum of {name} is {low}, and the least value is {min(known)}"
            return WrongStatistic("minimum", text)
        if high is not None and known and _bound(high, type, up=True) < max(known):
            if max(known) == _NAN:
                return WrongStatistic("maximum without NaN", f"the maximum of {name} is {high}, and NaN is greater")
            text = f"the maximum of {name} is {high}, and the greatest value is {max(known)}"
            return WrongStatistic("maximum", text)
    return None


#: A column or a field: its name for messages, its path in the statistics, its type, and its value in each row.
_Stored = tuple[str, tuple[str, ...], AnyType, list[Value]]


def stored_columns(table: Table, rows: Sequence[Row]) -> Iterator[_Stored]:
    """The columns that data files store, with the fields of a struct in its place."""
    for position, column in enumerate(table.columns):
        if column.name not in table.partition_by:
            path = (physical_name(table, column.name),)
            yield from _fields(table, column.name, path, column.type, [row[position] for row in rows])


def _fields(table: Table, name: str, path: tuple[str, ...], type: AnyType, values: list[Value]) -> Iterator[_Stored]:
    if not isinstance(type, StructOf):
        yield name, path, type, values
        return
    for place, (field, kind) in enumerate(type.fields):
        stored = physical_field(table, field)
        inner: list[Value] = [value[place] if isinstance(value, tuple) else None for value in values]
        yield from _fields(table, f"{name}.{field}", (*path, stored), kind, inner)


def _of(stats: dict[str, Any], key: str, path: Iterable[str]) -> Any:
    """A statistic by the path of its column; None if there is none."""
    found: Any = stats.get(key)
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _bound(bound: Any, type: AnyType, *, up: bool = False) -> Any:
    """A bound from the statistics as a Python value with SQL's order. Raises Malformed.

    A DECIMAL may be a number or a text: PROTOCOL.md does not say which, and a number loses digits in many readers.
    """
    try:
        if type in _FLOATING:
            return _comparable(float(bound) if isinstance(bound, (str, float)) else _number(bound), type)
        if isinstance(type, DecimalOf):
            return _finite(Decimal(bound)) if isinstance(bound, str) else _number(bound)
        if type in _WHOLE:
            return _number(bound)
        if type is Type.BOOLEAN and isinstance(bound, bool):
            return bound
        if type in (Type.STRING, Type.DATE, *_TIMESTAMPS) and isinstance(bound, str):
            return _comparable(bound, type, up=up)
    except (ValueError, ArithmeticError) as wrong:
        raise Malformed(f"the bound {shown(bound)} is no {type_name(type)}") from wrong
    raise Malformed(f"the bound {shown(bound)} is no {type_name(type)}")


def _finite(number: Decimal) -> Decimal:
    """Raises ValueError for NaN and the infinities."""
    if not number.is_finite():
        raise ValueError(number)
    return number


def _number(bound: Any) -> Any:
    """Raises ValueError unless it is a JSON number."""
    if isinstance(bound, bool) or not isinstance(bound, (int, Decimal)):
        raise ValueError(bound)
    return bound


_FLOATING = (Type.FLOAT, Type.DOUBLE)
_WHOLE = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG)
_TIMESTAMPS = (Type.TIMESTAMP, Type.TIMESTAMP_NTZ)


def _comparable(value: Any, type: AnyType, *, up: bool = False) -> Any:
    """A value, or a bound from the statistics, as a Python value with SQL's order.

    The bounds of timestamps are truncated to milliseconds: ``up`` takes the last microsecond of the millisecond.
    """
    if type is Type.STRING:
        return str(value).encode("utf-8", "surrogatepass")
    if type in (Type.FLOAT, Type.DOUBLE):
        number = _single(float(value)) if type is Type.FLOAT else float(value)
        return _NAN if math.isnan(number) else (0, number)
    if type in (Type.TIMESTAMP, Type.TIMESTAMP_NTZ):
        if isinstance(value, datetime):
            return value.replace(tzinfo=None)
        bound = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
        plain = bound.replace(tzinfo=None) - (bound.utcoffset() or timedelta())
        return plain + timedelta(microseconds=999) if up else plain
    return str(value) if type is Type.DATE else value


#: NaN is greater than all numbers (model.semantics.ordering).
_NAN = (1, 0.0)


def _single(number: float) -> float:
    """The 32-bit number that a bound stands for: its text is the shortest one that differs from those of its neighbours."""
    return float(struct.unpack("<f", struct.pack("<f", number))[0]) if abs(number) <= _GREATEST else number


_GREATEST = 3.4028235e38  # a FLOAT


def has_exact_bounds(type: AnyType, values: Sequence[Value]) -> bool:
    """Whether every release collects the bounds of these values, exactly: of numbers, dates, and texts that no engine cuts."""
    return type in _WITH_BOUNDS or all(isinstance(value, str) and len(value) < _SHORT for value in values)


#: Texts are cut to a prefix of 32 characters.
_SHORT = 32

#: Types whose bounds every release collects, exactly.
_WITH_BOUNDS = (Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.DATE)
