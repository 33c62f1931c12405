"""The rows of Trino's client as canonical values (model.vocabulary.values)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, Row, StructOf, Type, canonical

_TYPES = {
    "boolean": Type.BOOLEAN,
    "tinyint": Type.BYTE,
    "smallint": Type.SHORT,
    "integer": Type.INTEGER,
    "bigint": Type.LONG,
    "real": Type.FLOAT,
    "double": Type.DOUBLE,
    "varchar": Type.STRING,
    "varbinary": Type.BINARY,
    "date": Type.DATE,
    "timestamp": Type.TIMESTAMP_NTZ,
    "timestamp with time zone": Type.TIMESTAMP,
}


def rows_of(rows: Iterable[Sequence[Any]], columns: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    """``columns`` are those of the server's answer, with their ``typeSignature``."""
    types = [_type(column["typeSignature"]) for column in columns]
    return tuple(tuple(canonical(_plain(value), kind) for value, kind in zip(row, types)) for row in rows)


def _plain(value: Any) -> Any:
    """Without Trino's named tuples, which would be taken for mappings if a field were called keys or items."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _type(signature: Mapping[str, Any]) -> AnyType:
    raw = signature["rawType"]
    arguments = [argument["value"] for argument in signature["arguments"]]
    if raw == "decimal":
        return DecimalOf(*arguments)
    if raw == "array":
        return ArrayOf(_type(arguments[0]))
    if raw == "map":
        return MapOf(_type(arguments[0]), _type(arguments[1]))
    if raw == "row":
        return StructOf(tuple((field["fieldName"]["name"], _type(field["typeSignature"])) for field in arguments))
    return _TYPES[raw]
