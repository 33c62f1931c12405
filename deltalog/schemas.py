"""A table's schema as the log writes it: the JSON of ``metaData.schemaString``, and its values' types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

import pyarrow as pa

from deltalog.errors import MalformedAction, UnsupportedType
from deltalog.frozen import FrozenMap

_PHYSICAL_NAME = "delta.columnMapping.physicalName"

_ARROW_TYPES: Mapping[str, pa.DataType] = {
    "string": pa.string(),
    "long": pa.int64(),
    "integer": pa.int32(),
    "short": pa.int16(),
    "byte": pa.int8(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
}


def _parse_whole(text: str) -> int:
    # int() takes spaces and underscores as well.
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise ValueError(text)
    return int(text)


def _parse_date(text: str) -> date:
    # What fromisoformat() takes beyond this depends on the version of Python.
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(text)
    return date.fromisoformat(text)


def _parse_boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


_PARTITION_PARSERS: Mapping[str, Callable[[str], object]] = {
    "string": str,
    "long": _parse_whole,
    "integer": _parse_whole,
    "short": _parse_whole,
    "byte": _parse_whole,
    "boolean": _parse_boolean,
    "date": _parse_date,
}


@dataclass(frozen=True)
class Field:
    """A top-level column. ``type`` is the name of a primitive type, or the JSON object of a nested one."""

    name: str
    type: object = field(hash=False)
    nullable: bool = True
    metadata: Mapping[str, object] = field(default=FrozenMap({}), hash=False)

    @property
    def stored_name(self) -> str:
        """The name in data files, statistics and partitionValues (PROTOCOL.md, "Column Mapping")."""
        physical = self.metadata.get(_PHYSICAL_NAME)
        return physical if isinstance(physical, str) else self.name


def schema_string(columns: Iterable[tuple[str, str]]) -> str:
    """The schemaString of nullable columns, given as (name, primitive type).

    Source: PROTOCOL.md, "Schema Serialization Format".
    """
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in columns]
    return json.dumps({"type": "struct", "fields": fields}, ensure_ascii=False, separators=(",", ":"))


def parse_schema(text: str) -> tuple[Field, ...]:
    """The top-level columns of a schemaString, in order. Raises MalformedAction."""
    try:
        return tuple(
            Field(item["name"], item["type"], item["nullable"], FrozenMap(item["metadata"]))
            for item in json.loads(text)["fields"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise MalformedAction(f"metaData.schemaString is no schema of a table ({error!r}): {text[:80]}") from None


def arrow_type(name: str) -> pa.DataType:
    """The Arrow type that a primitive type is stored as in Parquet. Raises UnsupportedType."""
    if name not in _ARROW_TYPES:
        raise UnsupportedType(f"the type {name!r} is not written here; these are: {', '.join(_ARROW_TYPES)}")
    return _ARROW_TYPES[name]


def arrow_schema(columns: Iterable[tuple[str, str]]) -> pa.Schema:
    """The Arrow schema of nullable columns, given as (name, primitive type). Raises UnsupportedType."""
    return pa.schema([pa.field(name, arrow_type(kind)) for name, kind in columns])


def parse_partition_value(text: str | None, kind: object) -> object:
    """The value of a partition column out of a log; the empty string is NULL for every type.

    Raises UnsupportedType for a type that is not handled, MalformedAction for a text that is no such value.
    Source: PROTOCOL.md, "Partition Value Serialization".
    """
    if not isinstance(kind, str) or kind not in _PARTITION_PARSERS:
        raise UnsupportedType(f"a partition column of the type {kind!r} is not read here")
    if text is None or text == "":
        return None
    try:
        return _PARTITION_PARSERS[kind](text)
    except ValueError:
        raise MalformedAction(f"the partition value {text!r} is no {kind}") from None
