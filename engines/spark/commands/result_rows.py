"""Result rows as canonical values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import ArrayType, DataType, DecimalType, MapType, StructType

from engines.port import Answer
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, Row, StructOf, Type, canonical


@dataclass(frozen=True)
class ReturnedRows:
    """The rows that a command returns, and those that the session then reads of a table that it has cached."""

    rows: tuple[Row, ...]
    cached_rows: tuple[Row, ...] | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)  # of a read, when it is asked in other ways


def type_of(type: DataType) -> AnyType:
    """The model's type. Raises ValueError for one that it does not have."""
    if isinstance(type, DecimalType):
        return DecimalOf(type.precision, type.scale)
    if isinstance(type, ArrayType):
        return ArrayOf(type_of(type.elementType))
    if isinstance(type, MapType):
        return MapOf(type_of(type.keyType), type_of(type.valueType))
    if isinstance(type, StructType):
        return StructOf(tuple((field.name, type_of(field.dataType)) for field in type.fields))
    return Type(type.typeName())


def columns_of(spark: SparkSession, root: Path) -> list[tuple[str, AnyType]]:
    """The names and types of the columns of the table at ``root``."""
    schema = spark.read.format("delta").load(str(root)).schema
    return [(field.name, type_of(field.dataType)) for field in schema.fields]


def answered(frame: DataFrame) -> tuple[Row, ...]:
    """The rows that a command returns: numbers and paths, for which ``collect`` is exact."""
    return tuple(tuple(row) for row in frame.collect())


def rows_of(frame: DataFrame) -> tuple[Row, ...]:
    """All rows, with canonical values in schema order.

    Through Arrow, because ``collect`` returns timestamps as local times of this process, which are ambiguous at the end
    of daylight saving.
    """
    types = [type_of(field.dataType) for field in frame.schema.fields]
    columns = [column.to_pylist() for batches in _arrow(frame) for column in batches.columns]
    return tuple(tuple(canonical(value, type) for value, type in zip(row, types)) for row in zip(*columns))


def _arrow(frame: DataFrame) -> list[pa.Table]:
    """The rows as at most one Arrow table; none if there are no batches.

    As ``toPandas`` does. ``toArrow`` also casts, and fails where a struct is NULL that has a NOT NULL field.
    """
    of_pandas: Any = frame
    if hasattr(type(frame), "_to_table"):  # of Spark Connect
        table, _ = of_pandas._to_table()
        return [table]
    batches = of_pandas._collect_as_arrow()
    return [pa.Table.from_batches(batches)] if batches else []
