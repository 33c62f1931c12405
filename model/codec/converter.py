"""The classes of a case as JSON, by their types.

The types of values are elsewhere in the document: values in conditions are read here, rows in ``model.codec.cases``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal, Union, get_args
from zoneinfo import available_timezones

from model.codec.by_types import STRICT, ByTypes, as_it_is
from model.codec.json_values import read_type, type_to_json, value_of, value_to_json
from model.codec.plain import Reader, refuse, run_of, shown, successive, text, within
from model.vocabulary.commands import COMMANDS, Assignment, Command
from model.vocabulary.large_tables import Size
from model.vocabulary.limits import PathBelow, PathNearby, RetentionHours, Zone
from model.vocabulary.predicate import (
    Answered,
    Between,
    CaseWhen,
    Compare,
    Expression,
    Holds,
    In,
    IsNull,
    Missing,
    Op,
    Predicate,
    Relate,
    Verbatim,
)
from model.vocabulary.predicate import Literal as LiteralValue
from model.vocabulary.steps import SESSION_STEPS, AtOnce, SessionStep, Step
from model.vocabulary.table import Table
from model.vocabulary.values import AnyType, Row, Value

#: The version of the JSON form: the document's field "format".
FORMAT: Final = 1


@dataclass(frozen=True)
class Large:
    """In the place of a table, the size of one that ``large_table`` makes."""

    large: Size


@dataclass(frozen=True)
class Document:
    """A case with the version of its JSON form."""

    format: Literal[1]
    table: Union[Table, Large]
    steps: tuple[Step, ...]


def _by_tag(union: Any, tag: Callable[[str], str], others: Mapping[type, str]) -> dict[str, type]:
    """The classes of a union by their tags, which are made of their names, or are in ``others``."""
    return {others.get(kind) or tag(kind.__name__): kind for kind in get_args(union)}


def _with_underscores(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


STEPS = _by_tag(Step, _with_underscores, {AtOnce: "together"})  # a tag of kept cases, which stays
PREDICATES = {**{op.value: Compare for op in Op}, **_by_tag(Predicate, str.upper, {IsNull: "IS NULL", Compare: "="})}
EXPRESSIONS = _by_tag(Expression, str.lower, {CaseWhen: "case"})

#: The unions, with the name of their tag and their classes.
_UNIONS: Mapping[Any, tuple[str, Mapping[str, type]]] = {
    Step: ("step", STEPS),
    SessionStep: ("step", {tag: kind for tag, kind in STEPS.items() if kind in SESSION_STEPS}),
    Command: ("command", {kind.value: command for kind, command in COMMANDS.items()}),
    Predicate: ("op", PREDICATES),
    Expression: ("expression", EXPRESSIONS),
}

#: Fields with values of the type in the field ``type`` of the same object.
_VALUES: dict[type, tuple[str, ...]] = {
    Compare: ("value",),
    Between: ("low", "high"),
    In: ("values",),
    LiteralValue: ("value",),
    Assignment: ("value",),
}


# What a value must be beside its type -------------------------------------------------------------------------------


def _hours(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        refuse(f"must be a number of hours, but is {shown(value)}")
    return float(value)


def _retention_hours(value: object) -> float:
    hours = _hours(value)
    if hours < 0:
        refuse(f"must not be negative, but is {shown(value)}")
    return _whole(hours)


def _path(value: object) -> str:
    found = text(value)
    if any(part in ("", ".", "..") for part in found.split("/")) or "\0" in found:
        refuse(f"must be a path below the table's root, but is {found!r}")
    return found


def _path_nearby(value: object) -> str:
    found = text(value)
    return "../" + _path(found[3:]) if found.startswith("../") else _path(found)


def _zone(value: object) -> str:
    name = text(value)
    # Not by opening it: the time zone database has files without an IANA name, such as "right/UTC".
    if name not in _zones():
        refuse(f"must be the IANA name of a time zone, but is {name!r}")
    return name


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones()) | {"UTC"}


# The form -----------------------------------------------------------------------------------------------------------


def _whole(hours: float) -> float | int:
    # 0 and 0.0 are the same retention: equal cases must have one text.
    return int(hours) if float(hours).is_integer() else hours


def _written(values: tuple[Value, ...]) -> object:
    return run_of(values) or [value_to_json(value) for value in values]


def _written_rows(rows: tuple[Row, ...]) -> object:
    run = run_of(tuple(row[0] for row in rows)) if rows and len(rows[0]) == 1 else None
    return run or [[value_to_json(value) for value in row] for row in rows]


def _read_table(value: object) -> Table | Large:
    is_large = isinstance(value, Mapping) and value.keys() == {"large"}
    found: Table | Large = FORM.read(value, Large if is_large else Table)
    return found


def _unanswered(test: Answered) -> Any:
    return FORM.write(Verbatim(test.text, test.columns, test.language))


FORM = ByTypes(
    readers={
        **STRICT,
        float: _hours,
        RetentionHours: _retention_hours,
        Zone: _zone,
        PathBelow: _path,
        PathNearby: _path_nearby,
        AnyType: read_type,
        Value: as_it_is,
        Row: as_it_is,
        tuple[Row, ...]: as_it_is,
        Union[Table, Large]: _read_table,
    },
    writers={
        **dict.fromkeys(get_args(AnyType), type_to_json),
        float: _whole,
        Value: value_to_json,
        Row: _written,
        tuple[Row, ...]: _written_rows,
        Answered: _unanswered,
    },
    tags={kind: (name, tag) for name, kinds in _UNIONS.values() for tag, kind in kinds.items() if kind is not Compare},
    renamed={Relate: {"op": "relation"}, Holds: {"expression": "of"}, Missing: {"expression": "of"}},
    first=("op",),
)
FORM.readers.update({union: FORM.union(name, kinds) for union, (name, kinds) in _UNIONS.items()})


def _with_values(kind: type, names: tuple[str, ...]) -> Reader[Any]:
    """Reads a part of a condition, with its values by its type."""
    read_part = FORM.reader(kind)

    def read(document: object) -> Any:
        part = read_part(document)
        read_value: Reader[Any] = value_of(part.type) if kind is not In else successive(value_of(part.type))
        return replace(part, **{name: within(name, read_value, getattr(part, name)) for name in names})

    return read


FORM.readers.update({kind: _with_values(kind, names) for kind, names in _VALUES.items()})
