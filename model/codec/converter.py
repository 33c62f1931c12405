"""Reads and writes the classes of a case as JSON, with cattrs.

The types of values are elsewhere in the document: values in conditions are read here, rows in ``model.codec.cases``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import Any, NoReturn, TypeVar, Union, get_args, get_origin
from zoneinfo import available_timezones

from cattrs import AttributeValidationNote, ClassValidationError, Converter, ForbiddenExtraKeysError, override
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn

from model.codec.json_values import read_type, type_to_json, value_of, value_to_json
from model.codec.plain import (
    Reader,
    array,
    flag,
    integer,
    list_of,
    mapping,
    natural,
    nullable,
    one_of,
    positive,
    refuse,
    refuse_unknown,
    run_of,
    shown,
    successive,
    text,
    within,
)
from model.codec.validation import InvalidCase
from model.vocabulary import commands, predicate, settings, spellings, steps, table, table_roots
from model.vocabulary.values import AnyType, Row, Value

T = TypeVar("T")

#: The version of the JSON form: the document's field "format".
FORMAT = 1


@dataclass(frozen=True)
class Document:
    """A case with the version of its JSON form."""

    format: int
    table: table.Table
    steps: tuple[steps.Step, ...]


#: The classes of each union by their tag.
PREDICATES: dict[str, type] = {
    **{op.value: predicate.Compare for op in predicate.Op},
    "BETWEEN": predicate.Between,
    "IN": predicate.In,
    "IS NULL": predicate.IsNull,
    "LIKE": predicate.Like,
    "NOT": predicate.Not,
    "AND": predicate.And,
    "OR": predicate.Or,
    "CONSTANT": predicate.Constant,
    "RELATE": predicate.Relate,
    "HOLDS": predicate.Holds,
    "MISSING": predicate.Missing,
    "VERBATIM": predicate.Verbatim,
    "WRAPPED": predicate.Wrapped,
}
EXPRESSIONS: dict[str, type] = {
    "of": predicate.Of,
    "literal": predicate.Literal,
    "member": predicate.Member,
    "call": predicate.Call,
    "cast": predicate.Cast,
    "case": predicate.CaseWhen,
}
STEPS: dict[str, type] = {
    "delete": steps.Delete,
    "invalid_delete": steps.InvalidDelete,
    "vacuum": steps.Vacuum,
    "invalid_vacuum": steps.InvalidVacuum,
    "read": steps.Read,
    "read_changes": steps.ReadChanges,
    "insert": steps.Insert,
    "other_command": steps.OtherCommand,
    "together": steps.AtOnce,  # the tag of kept cases, which stays
    "open_session": steps.OpenSession,
    "set_clock": steps.SetClock,
    "append": steps.Append,
    "add_stray_files": steps.AddStrayFiles,
}

COMMANDS: dict[str, type] = {kind.value: command for kind, command in commands.COMMANDS.items()}

#: The tag of each class: field name and value. The tag of a Compare is its operator, which is a field.
_TAGS: dict[type, tuple[str, str]] = {
    kind: (name, tag)
    for name, kinds in (("op", PREDICATES), ("expression", EXPRESSIONS), ("step", STEPS), ("command", COMMANDS))
    for tag, kind in kinds.items()
    if kind is not predicate.Compare
}

#: Fields with another name in the document: ``"op"`` and ``"expression"`` are tags there.
_RENAMED: dict[type, dict[str, str]] = {
    predicate.Relate: {"op": "relation"},
    predicate.Holds: {"expression": "of"},
    predicate.Missing: {"expression": "of"},
}

#: Fields with values of the type in the field ``type`` of the same object.
_VALUES: dict[type, tuple[str, ...]] = {
    predicate.Compare: ("value",),
    predicate.Between: ("low", "high"),
    predicate.In: ("values",),
    predicate.Literal: ("value",),
    commands.Assignment: ("value",),
}


# Fields with restrictions beyond their Python type --------------------------------------------------------------------


def _format(value: object) -> int:
    if value != FORMAT or isinstance(value, bool):
        refuse(f"is {value!r}, only {FORMAT} is supported")
    return FORMAT


def _hours(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        refuse(f"must be a number of hours, but is {shown(value)}")
    return float(value)


def _retention_hours(value: object) -> float:
    hours = _hours(value)
    if hours < 0:
        refuse(f"must not be negative, but is {shown(value)}")
    return int(hours) if hours.is_integer() else hours


def _path(value: object) -> str:
    found = text(value)
    if any(part in ("", ".", "..") for part in found.split("/")) or "\0" in found:
        refuse(f"must be a path below the table's root, but is {found!r}")
    return found


def _path_or_beside(value: object) -> str:
    """A path below the root, or below a directory beside it."""
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


def _unread(value: object) -> Any:
    return value


_FIELDS: dict[type, dict[str, Reader[Any]]] = {
    Document: {"format": _format},
    table.Table: {
        "retention_hours": nullable(_retention_hours),
        "features": list_of(one_of({name: name for name in table.FEATURES})),
        "pruned": natural,
        "indexed_leaves": nullable(integer),
    },
    table.DataFile: {"id": natural, "partition": _unread, "rows": _unread, "group_rows": nullable(positive)},
    table.Commit: {"adds": list_of(natural), "parts": positive},
    table.Removal: {"file": natural},
    table.DeletionVector: {"file": natural, "rows": list_of(natural)},
    table.StrayFile: {"path": _path_or_beside, "size": natural, "target": nullable(_path_or_beside)},
    steps.Delete: {"zone": _zone},
    steps.Vacuum: {"retain_hours": nullable(_hours), "faulty_path": nullable(_path), "keep": list_of(natural)},
    steps.Read: {"before_step": nullable(natural)},
    steps.ReadChanges: {"of_step": natural, "zone": _zone},
    steps.Insert: {"rows": array},
    steps.Moment: {"removed_by_step": nullable(natural)},
    steps.Crash: {"nth": natural},
    commands.Optimize: {"target_size": nullable(positive)},
    commands.Restore: {"before_step": integer},
    commands.CompactLog: {"but_newest": natural},
    commands.SetRetention: {"hours": natural},
    commands.Merge: {"rows": array},
    commands.Overwrite: {"rows": array},
    commands.StreamAppend: {"rows": array},
    **{kind: dict.fromkeys(names, _unread) for kind, names in _VALUES.items()},
}


def _hours_to_json(hours: float | None) -> float | int | None:
    # 0 and 0.0 are the same retention: equal cases must have one text.
    return int(hours) if hours is not None and float(hours).is_integer() else hours


# Reading ------------------------------------------------------------------------------------------------------------

#: A structure hook of cattrs: called with a part of a document, and the type.
_Hook = Callable[[Any, Any], T]


def _hook(read: Reader[T]) -> _Hook[T]:
    return lambda value, _: read(value)


def _overrides(kind: type) -> dict[str, Any]:
    readers, renamed = _FIELDS.get(kind, {}), _RENAMED.get(kind, {})
    return {
        name: override(rename=renamed.get(name), struct_hook=_hook(readers[name]) if name in readers else None)
        for name in (*readers, *renamed)
    }


def _object_reader(kind: type) -> _Hook[Any]:
    """Reads an object of one class. Reports the first problem, unknown fields before others."""
    structure: _Hook[Any] = make_dict_structure_fn(kind, _CONVERTER, _cattrs_forbid_extra_keys=True, **_overrides(kind))
    renamed = _RENAMED.get(kind, {})
    known = [renamed.get(field.name, field.name) for field in fields(kind)]
    if kind in _TAGS:
        known.append(_TAGS[kind][0])

    def read(value: object, _: object) -> Any:
        document = mapping(value)
        try:
            found = structure(document, kind)
        except ClassValidationError as error:
            if any(isinstance(problem, ForbiddenExtraKeysError) for problem in error.exceptions):
                refuse_unknown(document, known)
            _refuse_field(error.exceptions[0], renamed)
        return _with_values(found) if kind in _VALUES else found

    return read


def _refuse_field(error: Exception, renamed: Mapping[str, str]) -> NoReturn:
    """Raises InvalidCase for an error whose note has the name of the field."""
    note = next(note for note in getattr(error, "__notes__", ()) if isinstance(note, AttributeValidationNote))
    name = renamed.get(note.name, note.name)
    if isinstance(error, KeyError):
        refuse("is missing", name)
    if isinstance(error, RecursionError):
        refuse("is nested too deeply", name)
    if isinstance(error, InvalidCase):
        raise error.within(name) from None
    raise error


def _with_values(part: Any) -> Any:
    """A part of a condition with its values read by its type."""
    read = value_of(part.type)
    if isinstance(part, predicate.In):
        values = within("values", successive(read), part.values)
        if not values:
            refuse("must have at least one value", "values")
        return replace(part, values=values)
    return replace(part, **{name: within(name, read, getattr(part, name)) for name in _VALUES[type(part)]})


def _union_reader(name: str, kinds: Mapping[str, type]) -> _Hook[Any]:
    """Reads an object whose class depends on its field ``name``."""
    kind_of = one_of(kinds)

    def read(value: object, _: object) -> Any:
        document = mapping(value)
        kind = within(name, kind_of, document.get(name))
        if kind in _TAGS:
            document = {field: part for field, part in document.items() if field != name}
        return _CONVERTER.structure(document, kind)

    return read


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _array_reader(kind: Any) -> _Hook[tuple[Any, ...]]:
    element = get_args(kind)[0]
    structure = _CONVERTER.get_structure_hook(element)
    return _hook(list_of(lambda item: structure(item, element)))


# Writing ------------------------------------------------------------------------------------------------------------


def _written(values: tuple[Value, ...]) -> object:
    return run_of(values) or [value_to_json(value) for value in values]


def _written_rows(rows: tuple[Row, ...]) -> object:
    run = run_of(tuple(row[0] for row in rows)) if rows and len(rows[0]) == 1 else None
    return run or [[value_to_json(value) for value in row] for row in rows]


def _object_writer(kind: type) -> Callable[[Any], dict[str, Any]]:
    """Writes an object of one class, its tag first."""
    overrides = _overrides(kind)
    if kind is steps.Vacuum:
        overrides["retain_hours"] = override(unstruct_hook=_hours_to_json)
    unstructure: Callable[[Any], dict[str, Any]] = make_dict_unstructure_fn(
        kind, _CONVERTER, _cattrs_omit_if_default=True, **overrides
    )
    if kind is predicate.In:
        return lambda part: {"op": "IN", **unstructure(part), "values": _written(part.values)}
    if kind is table.DataFile:
        return lambda file: {**unstructure(file), "rows": _written_rows(file.rows)}
    if kind is predicate.Compare:
        return lambda part: {"op": part.op.value, **unstructure(part)}
    if kind is predicate.Relate:
        return lambda part: {"op": "RELATE", "relation": part.op.value, **unstructure(part)}
    if kind in _TAGS:
        name, tag = _TAGS[kind]
        return lambda part: {name: tag, **unstructure(part)}
    return unstructure


# The converter ------------------------------------------------------------------------------------------------------

_CONVERTER = Converter(unstruct_collection_overrides={tuple: list})
_CONVERTER.register_structure_hook_factory(is_dataclass, _object_reader)
_CONVERTER.register_unstructure_hook_factory(is_dataclass, _object_writer)
_CONVERTER.register_structure_hook_factory(_is_tuple, _array_reader)
_CONVERTER.register_structure_hook(str, _hook(text))
_CONVERTER.register_structure_hook(bool, _hook(flag))
_CONVERTER.register_structure_hook(int, _hook(integer))
_CONVERTER.register_structure_hook(AnyType, _hook(read_type))
_CONVERTER.register_unstructure_hook(AnyType, type_to_json)
_CONVERTER.register_structure_hook(Union[AnyType, None], _hook(nullable(read_type)))
_CONVERTER.register_unstructure_hook(Union[AnyType, None], lambda kind: None if kind is None else type_to_json(kind))
_CONVERTER.register_unstructure_hook(Value, value_to_json)
_CONVERTER.register_unstructure_hook(
    predicate.Answered,
    lambda test: _CONVERTER.unstructure(predicate.Verbatim(test.text, test.columns, test.language)),
)
_CONVERTER.register_structure_hook(steps.Step, _union_reader("step", STEPS))
_SESSION_STEPS = {tag: kind for tag, kind in STEPS.items() if kind in steps.SESSION_STEPS}
_CONVERTER.register_structure_hook(steps.SessionStep, _union_reader("step", _SESSION_STEPS))
_CONVERTER.register_structure_hook(commands.Command, _union_reader("command", COMMANDS))
_CONVERTER.register_structure_hook(predicate.Expression, _union_reader("expression", EXPRESSIONS))
_CONVERTER.register_structure_hook(predicate.Predicate, _read_predicate := _union_reader("op", PREDICATES))
_CONVERTER.register_structure_hook(
    Union[predicate.Predicate, None], _hook(nullable(lambda value: _read_predicate(value, None)))
)
# An enumeration of strings is a subclass of str: without hooks cattrs would treat its members as strings.
for _module in (table, table_roots, settings, spellings, predicate, commands, steps):
    for _kind in vars(_module).values():
        if isinstance(_kind, type) and issubclass(_kind, Enum) and _kind.__module__ == _module.__name__:
            _CONVERTER.register_structure_hook(_kind, _hook(one_of({str(m.value): m for m in _kind})))
            _CONVERTER.register_unstructure_hook(_kind, lambda member: member.value)


def write(part: object) -> dict[str, Any]:
    """The document of a case or of a part of it."""
    document: dict[str, Any] = _CONVERTER.unstructure(part)
    return document


def reader_of(kind: Any) -> Reader[Any]:
    """A reader of a class, or of the unions ``Step``, ``Predicate``, ``Expression``; it leaves rows as JSON."""
    structure = _CONVERTER.get_structure_hook(kind)
    return lambda document: structure(document, kind)
