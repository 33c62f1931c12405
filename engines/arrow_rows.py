"""Arrow rows as canonical values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
from pyarrow import types

from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, Row, StructOf, Type, canonical

_PRIMITIVES: dict[Any, Type] = {
    pa.int8(): Type.BYTE,
    pa.int16(): Type.SHORT,
    pa.int32(): Type.INTEGER,
    pa.int64(): Type.LONG,
    pa.uint64(): Type.LONG,  # _commit_version of the change feed
    pa.float32(): Type.FLOAT,
    pa.float64(): Type.DOUBLE,
    pa.bool_(): Type.BOOLEAN,
    pa.date32(): Type.DATE,
    pa.string(): Type.STRING,
    pa.large_string(): Type.STRING,
    pa.string_view(): Type.STRING,
    pa.binary(): Type.BINARY,
    pa.large_binary(): Type.BINARY,
    pa.binary_view(): Type.BINARY,
}


def type_of(type: Any) -> AnyType:
    """The model's type for an Arrow type. Raises ValueError if it has none."""
    if types.is_dictionary(type):
        return type_of(type.value_type)
    if types.is_decimal(type):
        return DecimalOf(type.precision, type.scale)
    if types.is_timestamp(type):
        return Type.TIMESTAMP_NTZ if type.tz is None else Type.TIMESTAMP
    if types.is_map(type):
        return MapOf(type_of(type.key_type), type_of(type.item_type))
    if types.is_struct(type):
        return StructOf(tuple((field.name, type_of(field.type)) for field in type))
    if types.is_list(type) or types.is_large_list(type) or types.is_list_view(type):
        return ArrayOf(type_of(type.value_type))
    if type not in _PRIMITIVES:
        raise ValueError(f"the model has no type for Arrow's {type}")
    return _PRIMITIVES[type]


def rows_of(table: pa.Table, columns: Iterable[str]) -> tuple[Row, ...]:
    """All rows, with canonical values in the order of ``columns``: some releases have partition columns last.

    Raises ValueError for other columns than these, or one that is there twice.
    """
    names = tuple(columns)
    if sorted(names) != sorted(table.column_names):
        raise ValueError(f"the result has the columns {table.column_names}, the table {list(names)}")
    table = table.select(names)
    kinds = [type_of(field.type) for field in table.schema]
    columns = [column.to_pylist() for column in table.columns]
    return tuple(tuple(canonical(value, kind) for value, kind in zip(row, kinds)) for row in zip(*columns))
