"""Values to compare conditions on: those that they name, those of a table's rows, and others beside these."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any, TypeVar

from model.semantics.evaluate import evaluate
from model.vocabulary.predicate import Between, Compare, In, Like, Literal, Predicate, columns_of
from model.vocabulary.table import Column
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, StructOf, Type, Value, canonical

T = TypeVar("T")

_DAY = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)
_EXACT = Context(prec=100)
_REAL = (-math.inf, math.inf)

#: Conditions are compared for so many combinations of values of their columns.
_MOST_COMPARED = 400


def domain(column: Column, conditions: Iterable[Predicate], stored: Iterable[Value]) -> list[Value]:
    """The values of a column: those of its type that the conditions name, the ``stored`` ones, NULL where it is allowed,
    and for simple types the values beside each."""
    known = [value for where in conditions for value, type in _literals(where) if type == column.type]
    known += [None] if column.nullable else []
    known += [value for value in stored if value is not None or column.nullable]
    if all(value is None for value in known):
        known.append(_plain(column.type))  # a column of NULLs may have other values
    return distinct([*known, *(other for value in known for other in _beside(value, column.type))])


def combined(choices: Mapping[str, Sequence[Value]], most: int) -> Iterator[dict[str, Value]]:
    """Combinations of one value for each name: all if there are at most ``most``, else about as many, evenly spread."""
    total = math.prod(map(len, choices.values()))
    step = -(-total // most) or 1
    while math.gcd(step, total) > 1 and step > 1:
        step += 1  # else a name might always get the same value
    for number in range(0, total, step):
        found = {}
        for name, values in choices.items():
            number, place = divmod(number, len(values))
            found[name] = values[place]
        yield found


def difference(
    left: Predicate, right: Predicate, columns: Sequence[Column], rows: Sequence[Sequence[Value]], zone: str
) -> dict[str, Value] | None:
    """Values of the columns for which one condition is TRUE and the other is not; None if none were found.

    ``rows`` have a value for each column; ``zone`` is the session's time zone, an IANA name. Raises what ``evaluate`` raises.
    """
    named = columns_of(left) | columns_of(right)
    choices = {
        column.name: domain(column, (left, right), (row[place] for row in rows))
        for place, column in enumerate(columns)
        if column.name in named
    }
    types = {column.name: column.type for column in columns}
    for values in combined(choices, _MOST_COMPARED):
        truths = {evaluate(where, values, types=types, zone=zone) is True for where in (left, right)}
        if len(truths) > 1:
            return values
    return None


def distinct(values: Iterable[T]) -> list[T]:
    """Each value once, by its text: values of nested types have no hash, and NaN is not equal to itself."""
    return list({repr(value): value for value in values}.values())


_PLAIN: Mapping[Type, Value] = {
    **dict.fromkeys(WHOLE_NUMBERS, 0),
    Type.STRING: "",
    Type.BINARY: b"",
    Type.FLOAT: 0.0,
    Type.DOUBLE: 0.0,
    Type.BOOLEAN: False,
    Type.DATE: date(2000, 1, 1),
    Type.TIMESTAMP: datetime(2000, 1, 1),
    Type.TIMESTAMP_NTZ: datetime(2000, 1, 1),
}


def _plain(type: AnyType) -> Value:
    """A value of the type that is not NULL."""
    if isinstance(type, Type):
        return canonical(_PLAIN[type], type)
    if isinstance(type, DecimalOf):
        return canonical(0, type)
    if isinstance(type, StructOf):
        return tuple(_plain(kind) if name in type.required else None for name, kind in type.fields)
    return ()


def neighbours(value: Value, type: AnyType) -> tuple[Value, Value]:
    """The next values of a simple type below and above one, each None if there is none: the smallest step of the type, 1 for
    floating-point numbers (none if that makes no difference), one letter more or less for strings. Of NULL, BOOLEAN, BINARY and
    nested types None."""
    if isinstance(value, str):
        return value[:-1] if value else None, f"{value}x"
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float, Decimal, date)):
        return None, None
    if isinstance(value, date):
        step = _MICROSECOND if isinstance(value, datetime) else _DAY
        return (value - step, value + step) if 1 < value.year < 9999 else (None, None)
    unit = Decimal(1).scaleb(-type.scale) if isinstance(type, DecimalOf) else 1
    least, greatest = _bounds(type)
    below, above = _sum(value, -unit), _sum(value, unit)
    return below if least <= below != value else None, above if value != above <= greatest else None


def _bounds(type: AnyType) -> tuple[Any, Any]:
    if isinstance(type, DecimalOf):
        greatest = Decimal(10**type.precision - 1).scaleb(-type.scale, context=_EXACT)
        return greatest.copy_negate(), greatest
    return WHOLE_NUMBERS.get(type, _REAL) if isinstance(type, Type) else _REAL


def _sum(value: Any, unit: Any) -> Any:
    return _EXACT.add(value, unit) if isinstance(value, Decimal) else value + unit


def _beside(value: Value, type: AnyType) -> list[Value]:
    """Other values of the same simple type: the next ones below and above, as far as there are any."""
    if isinstance(value, bool):
        return [not value]
    return [canonical(other, type) for other in neighbours(value, type) if other is not None]


def _literals(part: object) -> Iterator[tuple[Value, AnyType]]:
    """The values that a condition names, with their types; of LIKE the pattern."""
    if isinstance(part, (Compare, Literal)):
        yield part.value, part.type
    elif isinstance(part, Between):
        yield from ((part.low, part.type), (part.high, part.type))
    elif isinstance(part, In):
        yield from ((value, part.type) for value in part.values)
    elif isinstance(part, Like):
        yield part.pattern.replace("%", "").replace("_", "-"), Type.STRING
    if is_dataclass(part):
        for one in fields(part):
            value = getattr(part, one.name)
            for inner in value if isinstance(value, tuple) else (value,):
                if is_dataclass(inner) and not isinstance(inner, type):
                    yield from _literals(inner)
