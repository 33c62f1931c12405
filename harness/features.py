"""What a case's table has, in words: the report counts which features were drawn together."""

from __future__ import annotations

from model.table import Feature, Table

#: Every two of these meet in the gate.
PAIRED = (
    "vectors",
    "change feed",
    "column mapping",
    "row tracking",
    "partitions",
    "checkpoint",
    "generated columns",
    "in-commit timestamps",
)


def features_of(table: Table) -> list[str]:
    """The features of a table, sorted. "vectors" is that new deletion vectors may be written."""
    there = {
        "vectors": table.has(Feature.DELETION_VECTORS),
        "change feed": table.has(Feature.CHANGE_DATA_FEED),
        "column mapping": table.maps_columns,
        "row tracking": table.has(Feature.ROW_TRACKING),
        "partitions": bool(table.partition_by),
        "checkpoint": any(commit.checkpoint for commit in table.commits),
        "generated columns": any(column.generated_from is not None for column in table.columns),
        "in-commit timestamps": table.has(Feature.IN_COMMIT_TIMESTAMPS),
    }
    return sorted(name for name, has in there.items() if has)
