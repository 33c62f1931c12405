"""Values of the model as Arrow, for engines that are asked about rows without a table."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, Value


def arrow_type(type: AnyType) -> pa.DataType:
    if isinstance(type, DecimalOf):
        return pa.decimal128(type.precision, type.scale)
    if isinstance(type, ArrayOf):
        return pa.list_(arrow_type(type.element))
    if isinstance(type, MapOf):
        return pa.map_(arrow_type(type.key), arrow_type(type.value))
    if isinstance(type, StructOf):
        return pa.struct([pa.field(name, arrow_type(kind)) for name, kind in type.fields])
    return {
        Type.STRING: pa.string(),
        Type.BINARY: pa.binary(),
        Type.BYTE: pa.int8(),
        Type.SHORT: pa.int16(),
        Type.INTEGER: pa.int32(),
        Type.LONG: pa.int64(),
        Type.FLOAT: pa.float32(),
        Type.DOUBLE: pa.float64(),
        Type.BOOLEAN: pa.bool_(),
        Type.DATE: pa.date32(),
        Type.TIMESTAMP: pa.timestamp("us", tz="UTC"),
        Type.TIMESTAMP_NTZ: pa.timestamp("us"),
    }[type]


def arrow_value(value: Value, type: AnyType) -> Any:
    if value is None or not isinstance(value, tuple):
        return value
    if isinstance(type, StructOf):
        return {name: arrow_value(part, kind) for part, (name, kind) in zip(value, type.fields)}
    if isinstance(type, MapOf):
        return [(arrow_value(key, type.key), arrow_value(item, type.value)) for key, item in value]
    assert isinstance(type, ArrayOf)
    return [arrow_value(element, type.element) for element in value]
