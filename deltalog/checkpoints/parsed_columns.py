"""The columns of a checkpoint with the statistics and the partition values of adds as structs.

Source: PROTOCOL.md, "Checkpoint Schema": ``stats_parsed`` and ``partitionValues_parsed``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from deltalog.entries.actions import Add, Metadata
from deltalog.errors import UnsupportedType
from deltalog.values.partition_values import parse_partition_value
from deltalog.values.schemas import Field, arrow_type, parse_schema, timestamp_ntz_paths
from deltalog.values.statistics import is_bounded, struct_statistics

#: The column with an add's statistics.
STATISTICS = "stats_parsed"


class ParsedColumns:
    """The columns for a table's adds, without statistics of columns of unsupported types. Raises MalformedAction for an invalid
    schema, and UnsupportedType for a partition column."""

    def __init__(self, metadata: Metadata) -> None:
        fields = parse_schema(metadata.schema_string)
        self._local = timestamp_ntz_paths(fields)
        self._partition_by = [field for field in fields if field.name in metadata.partition_columns]
        stored = [
            (field.stored_name, kind)
            for field in fields
            if field not in self._partition_by and (kind := _supported(field.type)) is not None
        ]
        bounds, nulls = _struct(stored, _bounded), _struct(stored, _counted)
        kinds = {"numRecords": pa.int64(), "minValues": bounds, "maxValues": bounds, "nullCount": nulls}
        self._statistics = pa.struct(
            [*((name, kind) for name, kind in kinds.items() if kind is not None), ("tightBounds", pa.bool_())]
        )

    @property
    def fields(self) -> tuple[pa.Field, ...]:
        """The columns, as fields of ``add``. Only partitioned tables have ``partitionValues_parsed``."""
        statistics = pa.field(STATISTICS, self._statistics)
        if not self._partition_by:
            return (statistics,)
        values = pa.struct([(field.stored_name, arrow_type(field.type)) for field in self._partition_by])
        return statistics, pa.field("partitionValues_parsed", values)

    def values(self, add: Add) -> dict[str, object]:
        """The values of the columns for an add. Raises MalformedAction for an invalid partition value."""
        found: dict[str, object] = {STATISTICS: self._parsed(add)}
        if self._partition_by:
            found["partitionValues_parsed"] = {
                field.stored_name: _partition_value(add, field) for field in self._partition_by
            }
        return found

    def given_back(self, add: Add) -> Add:
        """The add as it is read if only its struct was written: statistics that the struct has no place for are gone.

        It is as it was if they are no statistics of these types.
        """
        try:
            parsed = pa.scalar(self._parsed(add), self._statistics).as_py()
        except (ValueError, TypeError, ArithmeticError, AttributeError):
            return add
        return replace(add, stats=None if parsed is None else struct_statistics(parsed, self._local))

    def _parsed(self, add: Add) -> object:
        return None if add.stats is None else _typed(json.loads(add.stats, parse_float=Decimal), self._statistics)


def _partition_value(add: Add, field: Field) -> object:
    return parse_partition_value(add.partition_values.get(field.stored_name), field.type)


def _supported(kind: object) -> pa.DataType | None:
    try:
        return arrow_type(kind)
    except UnsupportedType:
        return None


def _bounded(kind: pa.DataType) -> pa.DataType | None:
    return kind if is_bounded(kind) else None


def _counted(kind: pa.DataType) -> pa.DataType:
    return pa.int64()


def _struct(
    columns: Iterable[tuple[str, pa.DataType]], leaf: Callable[[pa.DataType], pa.DataType | None]
) -> pa.DataType | None:
    """The struct of these columns with ``leaf`` of the type of each leaf; None where that is nothing."""
    found = []
    for name, kind in columns:
        inner = _struct(((one.name, one.type) for one in kind), leaf) if pa.types.is_struct(kind) else leaf(kind)
        if inner is not None:
            found.append((name, inner))
    return pa.struct(found) if found else None


def _typed(value: Any, kind: pa.DataType) -> object:
    """A value of the JSON statistics as a value of this type."""
    if value is None:
        return None
    types = pa.types
    if types.is_struct(kind):
        return {one.name: _typed(value.get(one.name), one.type) for one in kind} if isinstance(value, Mapping) else None
    if types.is_timestamp(kind):
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    if types.is_date(kind):
        return date.fromisoformat(value)
    if types.is_decimal(kind):
        return Decimal(value)
    return float(value) if types.is_floating(kind) else value
