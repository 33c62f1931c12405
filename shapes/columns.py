"""The kinds of a table's columns, and what matters in their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from deltalog.entries.actions import Metadata
from deltalog.errors import MalformedAction
from deltalog.values.schemas import Field, parse_decimal_type, parse_schema, struct_fields
from shapes.names import flags_of, flags_of_directory
from shapes.shape import ColumnKind, ColumnShapes, Names
from shapes.sizes import size_class

_PRIMITIVES = frozenset(
    {
        *("string", "long", "integer", "short", "byte", "float", "double", "boolean", "binary", "date"),
        *("timestamp", "timestamp_ntz", "variant", "void", "null", "interval", "geometry", "geography"),
    }
)

#: Members of a column's metadata, by what they begin with, and what they mean.
_MARKS: Mapping[str, str] = {
    "CURRENT_DEFAULT": "default",
    "EXISTS_DEFAULT": "default",
    "__CHAR_VARCHAR_TYPE_STRING": "char-or-varchar",
    "__COLLATIONS": "collation",
    "comment": "comment",
    "delta.columnMapping.": "mapped",
    "delta.generationExpression": "generated",
    "delta.identity.": "identity",
    "delta.invariants": "invariant",
    "delta.typeChanges": "widened",
}


@dataclass(frozen=True)
class _Inner:
    """A part of a nested type: a field, or without a name an element, a key or a value."""

    name: str | None
    kind: ColumnKind
    depth: int
    metadata: Mapping[str, object]


def columns_of(metadata: Metadata, directory: str) -> tuple[ColumnShapes, Names]:
    """``directory`` is the name of the table's directory. Raises MalformedAction."""
    fields = parse_schema(metadata.schema_string)
    try:
        inner = [one for field in fields for one in _inner(field.type, 1)]
    except (KeyError, TypeError, RecursionError) as error:
        raise MalformedAction(f"metaData.schemaString has a type that is none ({error!r})") from None
    by_name = {field.name: field for field in fields}
    partition = [by_name[name] for name in metadata.partition_columns if name in by_name]
    stored = [field for field in fields if field not in partition]
    columns = ColumnShapes(
        count=size_class(len(fields)),
        kinds=_kinds(map(_kind, stored)),
        partition=tuple(map(_kind, partition)),
        nested=_kinds(one.kind for one in inner),
        depth=max((one.depth for one in inner), default=0),
        marks=_marks([*(field.metadata for field in fields), *(one.metadata for one in inner)]),
    )
    names = Names(
        columns=flags_of(field.name for field in stored),
        partition=flags_of(metadata.partition_columns),
        nested=flags_of(one.name for one in inner if one.name is not None),
        table=flags_of_directory(directory),
    )
    return columns, names


def _inner(kind: object, depth: int) -> Iterator[_Inner]:
    if not isinstance(kind, Mapping):
        return
    for name, type, nullable, metadata in _parts(kind):
        yield _Inner(name, ColumnKind(type_word(type), bool(nullable)), depth, metadata)
        yield from _inner(type, depth + 1)


def _parts(kind: Mapping[str, object]) -> Iterator[tuple[str | None, object, object, Mapping[str, object]]]:
    """Name, type, whether it may be NULL, metadata."""
    if kind["type"] == "struct":
        for field in map(_checked, struct_fields(kind)):
            yield field.name, field.type, field.nullable, field.metadata
    elif kind["type"] == "array":
        yield None, kind["elementType"], kind["containsNull"], {}
    elif kind["type"] == "map":
        yield None, kind["keyType"], False, {}
        yield None, kind["valueType"], kind["valueContainsNull"], {}


def _checked(field: Field) -> Field:
    if not isinstance(field.name, str):
        raise TypeError("the name of a field must be a text")
    return field


def type_word(kind: object) -> str:
    """The word for a type; ``other`` for one that this release does not know."""
    if isinstance(kind, Mapping):
        return str(kind["type"]) if kind.get("type") in ("struct", "array", "map") else "other"
    if not isinstance(kind, str):
        return "other"
    scaled = parse_decimal_type(kind.replace(" ", ""))
    if scaled is not None:
        return f"decimal-{next(most for most in (9, 18, 38) if scaled[0] <= most)}"
    word = kind.partition("(")[0].partition(" ")[0]  # geometry(4326), string collate X
    return word if word in _PRIMITIVES else "other"


def _kind(field: Field) -> ColumnKind:
    return ColumnKind(type_word(field.type), bool(field.nullable))


def _kinds(kinds: Iterable[ColumnKind]) -> tuple[ColumnKind, ...]:
    return tuple(sorted(set(kinds), key=lambda kind: (kind.type, kind.nullable)))


def _marks(metadata: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    members = {member for one in metadata for member in one}
    return tuple(sorted({mark for start, mark in _MARKS.items() if any(one.startswith(start) for one in members)}))
