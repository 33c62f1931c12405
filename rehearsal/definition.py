"""A user's table as the model defines tables, by its log: its columns of plain types, its features and its retention."""

from __future__ import annotations

from deltalog.snapshot import Snapshot
from deltalog.values.schemas import Field, parse_decimal_type, parse_schema
from model.vocabulary.table import HOUR, Column, Feature, Table
from model.vocabulary.values import AnyType, DecimalOf, Type
from rehearsal.retention import retention_of

#: The features that a property of this value sets.
_PROPERTIES = {
    ("delta.appendOnly", "true"): Feature.APPEND_ONLY,
    ("delta.enableDeletionVectors", "true"): Feature.DELETION_VECTORS,
    ("delta.enableChangeDataFeed", "true"): Feature.CHANGE_DATA_FEED,
    ("delta.enableRowTracking", "true"): Feature.ROW_TRACKING,
    ("delta.enableInCommitTimestamps", "true"): Feature.IN_COMMIT_TIMESTAMPS,
    ("delta.columnMapping.mode", "name"): Feature.COLUMN_MAPPING_NAME,
    ("delta.columnMapping.mode", "id"): Feature.COLUMN_MAPPING_ID,
    ("delta.checkpoint.writeStatsAsJson", "false"): Feature.STRUCT_STATISTICS,
}


def definition_of(snapshot: Snapshot) -> Table:
    """Without files and commits, which the log itself has. A partition column of a type that the model does not know counts as a
    STRING. Raises UsageMistake for a retention that cannot be read.
    """
    metadata = snapshot.metadata
    properties, partitions = metadata.configuration, metadata.partition_columns
    features = [feature for (key, value), feature in _PROPERTIES.items() if properties.get(key, "").lower() == value]
    kept = retention_of(properties)
    return Table(
        columns=tuple(
            Column(field.name, kind or Type.STRING, field.nullable, physical_name=field.stored_name)
            for field in parse_schema(metadata.schema_string)
            if (kind := type_of(field)) is not None or field.name in partitions
        ),
        partition_by=partitions,
        files=(),
        commits=(),
        retention_hours=None if kept is None else kept / HOUR,
        features=tuple(one.value for one in features),
    )


def type_of(field: Field) -> AnyType | None:
    """The type of a column; None for one that is nested, or that the model does not know."""
    kind = str(field.type)
    if decimal := parse_decimal_type(kind):
        return DecimalOf(*decimal)
    return Type(kind) if kind in {one.value for one in Type} else None
