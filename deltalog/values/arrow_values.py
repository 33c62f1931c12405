"""The values of rows to Arrow and back.

A struct is the tuple of its fields in schema order, an array the tuple of its elements, a map the tuple of its entries
(key, value) as stored, a TIMESTAMP an aware datetime in UTC, a TIMESTAMP_NTZ a naive one; all else is as in pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from deltalog.errors import UnsupportedRows
from deltalog.values.primitive_values import Convert, as_is, primitive_reader
from deltalog.values.schemas import FIELD_ID, Field, SchemaColumn, arrow_schema, arrow_type, struct_fields

_LISTS = (pa.ListType, pa.LargeListType, pa.FixedSizeListType, pa.ListViewType, pa.LargeListViewType)

#: The values of one row.
Values = tuple[object, ...]


def to_table(columns: Iterable[SchemaColumn], rows: Sequence[Values]) -> pa.Table:
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


def from_table(table: pa.Table, fields: Sequence[Field], *, by_id: bool = False) -> list[list[object]]:
    """The values of each of ``fields`` in a table read from a data file; NULL if it lacks a field.

    Fields at any depth are found by their stored name, in another case too if none has the same, or by their id alone with
    ``by_id``. Raises UnsupportedRows for a column of another type than in the schema, unless that is wider, for a value
    that Python's types cannot hold, and for a file without ids if ``by_id``; UnsupportedType.
    Source: PROTOCOL.md, "Reader Requirements for Column Mapping", "Reader Requirements for Type Widening", and "Schema
    Serialization Format" (names are unique regardless of case).
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
            values.append(_converted(column, one.name, _typed_reader(column.type, one, one.type, by_id)))
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


def _converted(column: pa.ChunkedArray, name: str, convert: Convert) -> list[object]:
    try:
        return [None if value is None else convert(value) for value in column.to_pylist()]
    except (ValueError, ArithmeticError) as error:  # such as a year beyond 9999
        raise UnsupportedRows(f"the column {name!r} has a value that cannot be read: {error}") from None


def _nullable(convert: Convert) -> Convert:
    return convert if convert is as_is else lambda value: None if value is None else convert(value)


def _tuple_of(convert: Convert) -> Convert:
    inner = _nullable(convert)
    return lambda value: tuple(inner(item) for item in value)


def _entries_of(key: Convert, value: Convert) -> Convert:
    inner = _nullable(value)
    return lambda entries: tuple((key(name), inner(item)) for name, item in entries)


def _struct_of(parts: Sequence[tuple[str | None, Convert]]) -> Convert:
    """``parts``: for each field its name in the file (``None`` if missing), and its converter."""
    inner = [(name, _nullable(convert)) for name, convert in parts]
    return lambda value: tuple(None if name is None else convert(value[name]) for name, convert in inner)


def _typed_reader(stored: pa.DataType, top: Field, kind: object, by_id: bool) -> Convert:
    """Converts values stored as ``stored`` to ``kind``, which is the type of ``top`` or a part of it."""
    if pa.types.is_null(stored):
        return as_is
    if not isinstance(kind, Mapping):
        convert = primitive_reader(stored, arrow_type(kind))
        if convert is not None:
            return convert
    elif kind["type"] == "struct" and pa.types.is_struct(stored):
        inside = list(stored)
        parts: list[tuple[str | None, Convert]] = []
        for one in struct_fields(kind):
            index = _find(inside, one, by_id)
            if index is None:
                parts.append((None, as_is))
            else:
                parts.append((inside[index].name, _typed_reader(inside[index].type, top, one.type, by_id)))
        return _struct_of(parts)
    elif kind["type"] == "array" and isinstance(stored, _LISTS):
        return _tuple_of(_typed_reader(stored.value_type, top, kind["elementType"], by_id))
    elif kind["type"] == "map" and pa.types.is_map(stored):
        return _entries_of(
            _typed_reader(stored.key_type, top, kind["keyType"], by_id),
            _typed_reader(stored.item_type, top, kind["valueType"], by_id),
        )
    raise UnsupportedRows(f"the column {top.name!r} is stored as {stored}, and its type is {top.type}")


def _find(stored: Sequence[pa.Field], one: Field, by_id: bool) -> int | None:
    if by_id:
        return next((at for at, other in enumerate(stored) if one.id is not None and _id(other) == one.id), None)
    names = [other.name for other in stored]
    if one.stored_name in names:
        return names.index(one.stored_name)
    alike = [at for at, name in enumerate(names) if name.lower() == one.stored_name.lower()]
    if len(alike) > 1:
        raise UnsupportedRows(f"the file has several columns with the name {one.stored_name!r} in other cases")
    return alike[0] if alike else None


def _id(stored: pa.Field) -> int | None:
    number = (stored.metadata or {}).get(FIELD_ID)
    return None if number is None else int(number)
