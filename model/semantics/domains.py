"""Values to compare conditions on: those that they name, those of a table's rows, and others beside these."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from typing import TypeVar

from model.semantics.evaluate import evaluate
from model.vocabulary.predicate import Between, Compare, In, Like, Literal, Predicate, columns_of
from model.vocabulary.table import Column
from model.vocabulary.values import WHOLE_NUMBERS, AnyType, DecimalOf, StructOf, Type, Value, canonical

T = TypeVar("T")

_DAY = timedelta(days=1)
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


def _beside(value: Value, type: AnyType) -> list[Value]:
    """Other values of the same simple type: the next ones below and above, as far as there are any."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        return [value[:-1], f"{value}x"]
    if isinstance(value, (int, float)):
        least, greatest = WHOLE_NUMBERS.get(type, _REAL) if isinstance(type, Type) else _REAL
        return [canonical(other, type) for other in (value - 1, value + 1) if least <= other <= greatest]
    if isinstance(value, date):
        return [value - _DAY, value + _DAY] if 1 < value.year < 9999 else []
    return []


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
