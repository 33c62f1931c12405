"""The values of rows to Arrow and back.

A struct is the tuple of its fields in schema order, an array the tuple of its elements, a map the tuple of its entries
(key, value) as stored, a TIMESTAMP an aware datetime in UTC, a TIMESTAMP_NTZ a naive one; all else is as in pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timezone
from typing import Any

import pyarrow as pa

from deltalog.errors import UnsupportedRows
from deltalog.schemas import FIELD_ID, Column, Field, arrow_schema, struct_fields

#: The values of one row.
Values = tuple[object, ...]

_Convert = Callable[[Any], object]


def to_table(columns: Iterable[Column], rows: Sequence[Values]) -> pa.Table:
    """The rows as stored in a data file, with stored names, and field ids if the columns have ids.

    Raises UnsupportedType, and pyarrow.ArrowException for a value that is not of its column's type.
    """
    fields = [column if isinstance(column, Field) else Field(*column) for column in columns]
    schema = arrow_schema(fields)
    arrays = [
        pa.array([_to_arrow(row[index], field.type) for row in rows], type=schema.field(index).type)
        for index, field in enumerate(fields)
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def from_column(column: pa.ChunkedArray) -> list[object]:
    """The values of a stored column, by the type in the file: structs in the file's order."""
    return _converted(column, _plain_reader(column.type))


def from_table(table: pa.Table, fields: Sequence[Field], *, by_id: bool = False) -> list[list[object]]:
    """The values of each of ``fields`` in a table read from a data file; NULL if it lacks a field.

    Fields at any depth are found by their stored name, or by their id alone with ``by_id``. Raises UnsupportedRows for a
    column that is nested differently than in the schema, and for a file without ids if ``by_id``.
    Source: PROTOCOL.md, "Reader Requirements for Column Mapping".
    """
    stored = list(table.schema)
    if by_id and fields and all(_id(field) is None for field in stored):
        raise UnsupportedRows("columns are found by their ids, and the file has none")
    values: list[list[object]] = []
    for one in fields:
        index = _find(stored, one, by_id)
        if index is None:
            values.append([None] * table.num_rows)
        else:
            column = table.column(index)
            values.append(_converted(column, _typed_reader(column.type, one, one.type, by_id)))
    return values


def _to_arrow(value: Any, kind: object) -> object:
    """``value`` as ``pyarrow.array`` takes it."""
    if value is None or not isinstance(kind, Mapping):
        return value
    if kind["type"] == "struct":
        return {one.stored_name: _to_arrow(item, one.type) for one, item in zip(struct_fields(kind), value)}
    if kind["type"] == "array":
        return [_to_arrow(item, kind["elementType"]) for item in value]
    return [(_to_arrow(key, kind["keyType"]), _to_arrow(item, kind["valueType"])) for key, item in value]


def _converted(column: pa.ChunkedArray, convert: _Convert) -> list[object]:
    values: list[object] = column.to_pylist()
    return [None if value is None else convert(value) for value in values]


def _as_is(value: Any) -> object:
    return value


def _utc(value: Any) -> object:
    return value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)


def _naive(value: Any) -> object:
    return value.replace(tzinfo=None)


def _nullable(convert: _Convert) -> _Convert:
    return convert if convert is _as_is else lambda value: None if value is None else convert(value)


def _tuple_of(convert: _Convert) -> _Convert:
    inner = _nullable(convert)
    return lambda value: tuple(inner(item) for item in value)


def _entries_of(key: _Convert, value: _Convert) -> _Convert:
    inner = _nullable(value)
    return lambda entries: tuple((key(name), inner(item)) for name, item in entries)


def _struct_of(parts: Sequence[tuple[str | None, _Convert]]) -> _Convert:
    """``parts``: for each field its name in the file (``None`` if missing), and its converter."""
    inner = [(name, _nullable(convert)) for name, convert in parts]
    return lambda value: tuple(None if name is None else convert(value[name]) for name, convert in inner)


def _plain_reader(stored: pa.DataType) -> _Convert:
    if pa.types.is_struct(stored):
        return _struct_of([(one.name, _plain_reader(one.type)) for one in stored])
    if pa.types.is_list(stored) or pa.types.is_large_list(stored):
        return _tuple_of(_plain_reader(stored.value_type))
    if pa.types.is_map(stored):
        return _entries_of(_plain_reader(stored.key_type), _plain_reader(stored.item_type))
    return _utc if pa.types.is_timestamp(stored) and stored.tz is not None else _as_is


def _typed_reader(stored: pa.DataType, top: Field, kind: object, by_id: bool) -> _Convert:
    """Converts values stored as ``stored`` to ``kind``, which is the type of ``top`` or a part of it."""
    if not isinstance(kind, Mapping):
        if pa.types.is_nested(stored):
            raise UnsupportedRows(f"the column {top.name!r} is stored as {stored}, and its type is {top.type}")
        # An INT96 timestamp has no zone in Arrow, but is in UTC.
        return {"timestamp": _utc, "timestamp_ntz": _naive}.get(str(kind), _as_is)
    if kind["type"] == "struct" and pa.types.is_struct(stored):
        inside = list(stored)
        parts: list[tuple[str | None, _Convert]] = []
        for one in struct_fields(kind):
            index = _find(inside, one, by_id)
            if index is None:
                parts.append((None, _as_is))
            else:
                parts.append((inside[index].name, _typed_reader(inside[index].type, top, one.type, by_id)))
        return _struct_of(parts)
    if kind["type"] == "array" and (pa.types.is_list(stored) or pa.types.is_large_list(stored)):
        return _tuple_of(_typed_reader(stored.value_type, top, kind["elementType"], by_id))
    if kind["type"] == "map" and pa.types.is_map(stored):
        return _entries_of(
            _typed_reader(stored.key_type, top, kind["keyType"], by_id),
            _typed_reader(stored.item_type, top, kind["valueType"], by_id),
        )
    raise UnsupportedRows(f"the column {top.name!r} is stored as {stored}, and its type is {top.type}")


def _find(stored: Sequence[pa.Field], one: Field, by_id: bool) -> int | None:
    for index, candidate in enumerate(stored):
        if (_id(candidate) == one.id and one.id is not None) if by_id else candidate.name == one.stored_name:
            return index
    return None


def _id(stored: pa.Field) -> int | None:
    number = (stored.metadata or {}).get(FIELD_ID)
    return None if number is None else int(number)
