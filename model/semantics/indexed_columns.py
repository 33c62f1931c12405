"""The columns whose statistics Delta on Spark collects: by the table's properties, else the first 32 leaves."""

from __future__ import annotations

from model.vocabulary.table import Column, Table
from model.vocabulary.values import AnyType, StructOf, Type, is_nested

#: The default of delta.dataSkippingNumIndexedCols.
INDEXED = 32


def indexed_columns(table: Table) -> tuple[Column, ...]:
    """The data columns that are not nested and have statistics in a new file.

    Source: StatisticsCollection.scala; each field of a struct counts, an array and a map count once.
    """
    if table.indexed_columns:
        return tuple(column for column in table.data_columns if column.name in table.indexed_columns)
    left = INDEXED if table.indexed_leaves is None else table.indexed_leaves
    found = []
    for column in table.data_columns:
        if left > 0 or table.indexed_leaves == -1:
            found += [] if is_nested(column.type) else [column]
        left -= _leaves(column.type)
    return tuple(found)


def may_be_listed(type: AnyType) -> bool:
    """Whether delta.dataSkippingStatsColumns may name a column of this type: it has bounds."""
    return not is_nested(type) and type not in (Type.BOOLEAN, Type.BINARY)


def _leaves(kind: AnyType) -> int:
    return sum(_leaves(field) for _, field in kind.fields) if isinstance(kind, StructOf) else 1
