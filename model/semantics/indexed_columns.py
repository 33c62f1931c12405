"""The columns whose statistics Delta on Spark collects: by the table's properties, else the first 32 leaves."""

from __future__ import annotations

from model.vocabulary.table import Column, Table
from model.vocabulary.values import AnyType, StructOf, Type, is_nested

#: The default of delta.dataSkippingNumIndexedCols.
INDEXED = 32


def indexed_columns(table: Table, *, nested: bool = False) -> tuple[Column, ...]:
    """The data columns that have statistics in a new file; those that are nested only if ``nested`` says so.

    Source: StatisticsCollection.scala; each field of a struct counts, an array and a map count once.
    """
    if table.indexed_columns:
        return tuple(column for column in table.data_columns if column.name in table.indexed_columns)
    left = INDEXED if table.indexed_leaves is None else table.indexed_leaves
    found = []
    for column in table.data_columns:
        if left > 0 or table.indexed_leaves == -1:
            found += [column] if nested or not is_nested(column.type) else []
        left -= _leaves(column.type)
    return tuple(found)


def may_be_listed(type: AnyType) -> bool:
    """Whether delta.dataSkippingStatsColumns may name a column of this type: it has bounds."""
    return not is_nested(type) and has_bounds(type)


def has_bounds(type: AnyType) -> bool:
    """Whether Delta collects the least and the greatest value of a column, or of a field of it.

    Source: DataSkippingReader.scala, SkippingEligibleDataType.
    """
    if isinstance(type, StructOf):
        return any(has_bounds(field) for _, field in type.fields)
    return not is_nested(type) and type not in (Type.BOOLEAN, Type.BINARY)


def _leaves(kind: AnyType) -> int:
    return sum(_leaves(field) for _, field in kind.fields) if isinstance(kind, StructOf) else 1
