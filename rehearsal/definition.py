"""A user's table as the model defines tables, by its log: its columns of plain types, its features and its retention."""

from __future__ import annotations

from collections.abc import Mapping

from deltalog.snapshot import Snapshot
from deltalog.values.schemas import Field, parse_decimal_type, parse_schema
from model.vocabulary import table
from model.vocabulary.table import DEFAULT_LOG_RETENTION, HOUR, Column, Feature, Table
from model.vocabulary.values import AnyType, DecimalOf, Type
from records.mistakes import UsageMistake

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


def retention_of(properties: Mapping[str, str]) -> int | None:
    """Of removed files, in ms; None: not set. Raises UsageMistake for a value that is no interval of weeks, days and smaller
    units.
    """
    return _interval(properties, "delta.deletedFileRetentionDuration")


def log_retention_of(properties: Mapping[str, str]) -> int:
    """Of the log, in ms. Raises UsageMistake likewise."""
    found = _interval(properties, "delta.logRetentionDuration")
    return DEFAULT_LOG_RETENTION if found is None else found


def _interval(properties: Mapping[str, str], name: str) -> int | None:
    text = properties.get(name)
    try:
        return None if text is None else table.retention_of(text)
    except ValueError:
        raise UsageMistake(
            f"The table has {name} = {text!r}, which this release cannot read: it knows intervals such as "
            "'interval 30 days' or 'interval 36 hours 30 minutes'."
        ) from None
