"""A table's schema: the JSON of ``metaData.schemaString``, and Arrow types.

A type is as in that JSON: the name of a primitive type (``long``, ``decimal(10,2)``), or the JSON object of a struct, an
array or a map.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

import pyarrow as pa

from deltalog.errors import MalformedAction, UnsupportedType
from deltalog.frozen import FrozenMap

_PHYSICAL_NAME = "delta.columnMapping.physicalName"
_COLUMN_ID = "delta.columnMapping.id"

#: The Arrow metadata of Parquet's ``field_id``.
FIELD_ID = b"PARQUET:field_id"

_ARROW_TYPES: Mapping[str, pa.DataType] = {
    "string": pa.string(),
    "long": pa.int64(),
    "integer": pa.int32(),
    "short": pa.int16(),
    "byte": pa.int8(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}

_DECIMAL = re.compile(r"decimal\(([0-9]{1,2}),([0-9]{1,2})\)")


@dataclass(frozen=True)
class Field:
    """A column, or a field of a struct. ``type`` is the name of a primitive type, or the JSON object of a nested one."""

    name: str
    type: object = field(hash=False)
    nullable: bool = True
    metadata: Mapping[str, object] = field(default=FrozenMap({}), hash=False)

    @property
    def stored_name(self) -> str:
        """The name in data files, statistics and partitionValues (PROTOCOL.md, "Column Mapping")."""
        physical = self.metadata.get(_PHYSICAL_NAME)
        return physical if isinstance(physical, str) else self.name

    @property
    def id(self) -> int | None:
        """The id in data files; ``None`` without column mapping."""
        number = self.metadata.get(_COLUMN_ID)
        return number if isinstance(number, int) and not isinstance(number, bool) else None


#: A column to write: a ``Field``, or the name and the type of a nullable one.
SchemaColumn = Union[Field, tuple[str, object]]


def decimal_type(precision: int, scale: int) -> str:
    return f"decimal({precision},{scale})"


def struct_type(fields: Iterable[SchemaColumn]) -> dict[str, object]:
    """The type of a struct (PROTOCOL.md, "Struct Type")."""
    return {"type": "struct", "fields": [_to_json(_as_field(one)) for one in fields]}


def array_type(element: object) -> dict[str, object]:
    """The type of an array with nullable elements (PROTOCOL.md, "Array Type")."""
    return {"type": "array", "elementType": element, "containsNull": True}


def map_type(key: object, value: object) -> dict[str, object]:
    """The type of a map with nullable values (PROTOCOL.md, "Map Type")."""
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


def generated_metadata(expression: str) -> dict[str, object]:
    """A column's metadata for GENERATED ALWAYS AS (SQL expression) (PROTOCOL.md, "Generated Columns")."""
    return {"delta.generationExpression": expression}


def declared_metadata(type: str) -> dict[str, object]:
    """A STRING column's metadata for ``char(5)`` or ``varchar(5)``, by which Spark keeps the declared type.

    No part of PROTOCOL.md: Spark's ``CharVarcharUtils``.
    """
    return {_DECLARED: type}


def char_length(field: Field) -> int | None:
    """n, if the field was declared as CHAR(n)."""
    match = re.fullmatch(r"char\(([0-9]+)\)", str(field.metadata.get(_DECLARED, "")))
    return None if match is None else int(match.group(1))


_DECLARED = "__CHAR_VARCHAR_TYPE_STRING"


def default_metadata(expression: str) -> dict[str, object]:
    """A column's metadata for DEFAULT, an SQL expression (PROTOCOL.md, "Default Columns")."""
    return {"CURRENT_DEFAULT": expression}


def identity_metadata(high_water_mark: int | None) -> dict[str, object]:
    """A LONG column's metadata for GENERATED ALWAYS AS IDENTITY, from 1 in steps of 1 (PROTOCOL.md, "Identity Columns").

    ``high_water_mark`` is the last generated value, if any.
    """
    metadata: dict[str, object] = {
        "delta.identity.start": 1,
        "delta.identity.step": 1,
        "delta.identity.allowExplicitInsert": False,
    }
    return metadata if high_water_mark is None else {**metadata, "delta.identity.highWaterMark": high_water_mark}


def map_columns(
    columns: Iterable[SchemaColumn], physical_names: Sequence[str], *, used: int = 0
) -> tuple[tuple[Field, ...], int]:
    """The columns with ids and physical names, and the greatest id (delta.columnMapping.maxColumnId).

    Top-level columns get ``physical_names`` and the ids after ``used``. Fields of structs at any depth, also in arrays and
    maps, get the physical name ``p_`` + name, and the following ids, depth first.
    Source: PROTOCOL.md, "Column Mapping".
    """
    fields = [_as_field(column) for column in columns]
    if len(fields) != len(physical_names):
        raise ValueError(f"{len(fields)} columns need as many physical names, not {len(physical_names)}")
    last = used + len(fields)

    def mapped(one: Field, id: int, physical: str) -> Field:
        metadata = {**one.metadata, _COLUMN_ID: id, _PHYSICAL_NAME: physical}
        return replace(one, type=nested(one.type), metadata=FrozenMap(metadata))

    def nested(kind: object) -> object:
        nonlocal last
        if not isinstance(kind, Mapping):
            return kind
        if kind["type"] == "struct":
            inner = []
            for one in struct_fields(kind):
                last += 1
                inner.append(mapped(one, last, f"p_{one.name}"))
            return struct_type(inner)
        parts = {key: nested(kind[key]) for key in ("elementType", "keyType", "valueType") if key in kind}
        return {**kind, **parts}

    named = zip(fields, physical_names)
    found = tuple(mapped(one, id, name) for id, (one, name) in enumerate(named, start=used + 1))
    return found, last


def unmapped(schema_string: str) -> str:
    """The schemaString without the ids and physical names of column mapping. Raises MalformedAction."""
    try:
        found = json.loads(schema_string, object_hook=_without_mapping)
    except (ValueError, RecursionError) as error:
        raise MalformedAction(f"metaData.schemaString is not a schema of a table ({error!r})") from None
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def _without_mapping(item: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in item.items() if key not in (_PHYSICAL_NAME, _COLUMN_ID)}


def schema_string(columns: Iterable[SchemaColumn]) -> str:
    """The schemaString of ``columns``. Source: PROTOCOL.md, "Schema Serialization Format"."""
    return json.dumps(struct_type(columns), ensure_ascii=False, separators=(",", ":"))


def parse_schema(text: str | None) -> tuple[Field, ...]:
    """The top-level columns of a schemaString, in order; none without one. Raises MalformedAction."""
    if text is None:
        return ()
    try:
        return struct_fields(json.loads(text))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise MalformedAction(f"metaData.schemaString is not a schema of a table ({error!r}): {text[:80]}") from None


def struct_fields(kind: Mapping[str, Any]) -> tuple[Field, ...]:
    """The fields of a struct, in order. Raises KeyError or TypeError if it is not a struct."""
    return tuple(
        Field(item["name"], item["type"], item["nullable"], FrozenMap(item["metadata"])) for item in kind["fields"]
    )


def widened_columns(fields: Iterable[Field], narrow: object, wide: object) -> frozenset[str]:
    """The stored names of the top-level columns of the type ``wide`` that were of the type ``narrow`` once.

    Source: PROTOCOL.md, "Type Change Metadata".
    """
    return frozenset(
        one.stored_name
        for one in fields
        if one.type == wide and any(change["fromType"] == narrow for change in _type_changes(one))
    )


def _type_changes(one: Field) -> Iterable[Mapping[str, object]]:
    changes = one.metadata.get("delta.typeChanges", ())
    return [change for change in changes if "fieldPath" not in change] if isinstance(changes, (list, tuple)) else ()


def timestamp_ntz_paths(fields: Iterable[Field]) -> frozenset[tuple[str, ...]]:
    """The paths of the TIMESTAMP_NTZ columns, in structs too, by stored names."""
    found: set[tuple[str, ...]] = set()
    for one in fields:
        if one.type == "timestamp_ntz":
            found.add((one.stored_name,))
        elif isinstance(one.type, Mapping) and one.type.get("type") == "struct":
            found |= {(one.stored_name, *path) for path in timestamp_ntz_paths(struct_fields(one.type))}
    return frozenset(found)


def arrow_type(kind: object) -> pa.DataType:
    """The Arrow type of values of the type ``kind`` in Parquet. Raises UnsupportedType.

    Fields of structs have their stored names, and their ids if any.
    Source: PROTOCOL.md, "Delta Data Type to Parquet Type Mappings".
    """
    if isinstance(kind, str):
        if kind in _ARROW_TYPES:
            return _ARROW_TYPES[kind]
        scaled = parse_decimal_type(kind)
        if scaled is not None:
            return pa.decimal128(*scaled)
    elif isinstance(kind, Mapping):
        if kind.get("type") == "struct":
            return pa.struct([_arrow_field(one) for one in struct_fields(kind)])
        if kind.get("type") == "array":
            return pa.list_(pa.field("element", arrow_type(kind["elementType"])))
        if kind.get("type") == "map":
            value = pa.field("value", arrow_type(kind["valueType"]))
            return pa.map_(pa.field("key", arrow_type(kind["keyType"]), nullable=False), value)
    raise UnsupportedType(
        f"the type {kind!r} is not supported; supported are {', '.join(_ARROW_TYPES)}, decimal, struct, array, map"
    )


def _arrow_field(one: Field) -> pa.Field:
    """The field in data files: stored name, type, and id if any."""
    metadata = None if one.id is None else {FIELD_ID: str(one.id).encode()}
    return pa.field(one.stored_name, arrow_type(one.type), nullable=one.nullable, metadata=metadata)


def arrow_schema(columns: Iterable[SchemaColumn]) -> pa.Schema:
    """The Arrow schema of a data file with ``columns``. Raises UnsupportedType."""
    return pa.schema([_arrow_field(_as_field(column)) for column in columns])


def _as_field(column: SchemaColumn) -> Field:
    return column if isinstance(column, Field) else Field(*column)


def _to_json(one: Field) -> dict[str, object]:
    return {"name": one.name, "type": one.type, "nullable": one.nullable, "metadata": dict(one.metadata)}


def parse_decimal_type(kind: str) -> tuple[int, int] | None:
    """Precision and scale; ``None`` if this is no DECIMAL."""
    match = _DECIMAL.fullmatch(kind)
    if match is None:
        return None
    precision, scale = int(match.group(1)), int(match.group(2))
    return (precision, scale) if 1 <= precision <= 38 and scale <= precision else None
