"""The features of a case's table; the report counts pairs of them."""

from __future__ import annotations

from model.vocabulary.table import Feature, Table

#: The gate exercises every pair of these features.
PAIRED = (
    "deletion vectors",
    "change feed",
    "column mapping",
    "row tracking",
    "partitions",
    "checkpoint",
    "generated columns",
    "in-commit timestamps",
)


def features_of(table: Table) -> list[str]:
    """The features of a table, sorted. "deletion vectors": new ones may be written."""
    has = {
        "deletion vectors": table.has(Feature.DELETION_VECTORS),
        "change feed": table.has(Feature.CHANGE_DATA_FEED),
        "column mapping": table.maps_columns,
        "row tracking": table.has(Feature.ROW_TRACKING),
        "partitions": bool(table.partition_by),
        "checkpoint": any(commit.checkpoint for commit in table.commits),
        "generated columns": any(column.generated_from is not None for column in table.columns),
        "in-commit timestamps": table.has(Feature.IN_COMMIT_TIMESTAMPS),
    }
    return sorted(name for name, present in has.items() if present)
