"""The initial schema, protocol and metadata of a case's table (PROTOCOL.md, "Table Features")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from deltalog.entries.actions import Metadata, Protocol
from deltalog.values.schemas import (
    Field,
    array_type,
    decimal_type,
    declared_metadata,
    default_metadata,
    generated_metadata,
    identity_metadata,
    map_columns,
    map_type,
    schema_string,
    struct_type,
)
from model.text.layout import physical_name
from model.text.literals import identifier
from model.text.sql import sql
from model.vocabulary.table import Column, Feature, Table, retention_text
from model.vocabulary.values import AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, types_in

#: The columns that keep row ids in rewritten files of a table with row tracking (PROTOCOL.md, "Row Tracking").
ROW_ID_COLUMN = "_row-id-col-00000000-0000-4000-8000-000000000000"
ROW_COMMIT_VERSION_COLUMN = "_row-commit-version-col-00000000-0000-4000-8000-000000000000"

#: The column that a file of a table with Feature.DROPPED_COLUMN still holds.
DROPPED_COLUMN = "col-dropped"

#: The reader features.
_READER_FEATURES = (
    "columnMapping",
    "deletionVectors",
    "timestampNtz",
    "typeWidening",
    "v2Checkpoint",
    "vacuumProtocolCheck",
)

#: The protocol's features that the last commit of a changed table may add, with the property that needs them.
_COME_LATER = {"changeDataFeed", "checkConstraints", "typeWidening"}

#: A feature that no engine has.
UNKNOWN_FEATURE = "tombstoneUnknown"

#: The legacy writer version of each feature that does not need the list of features.
_LEGACY_WRITERS = {
    "appendOnly": 2,
    "invariants": 2,
    "checkConstraints": 3,
    "changeDataFeed": 4,
    "generatedColumns": 4,
    "columnMapping": 5,
    "identityColumns": 6,
}


def type_name(type: AnyType) -> object:
    """A type in the schema's JSON: a name, or an object for a nested type."""
    if isinstance(type, DecimalOf):
        return decimal_type(type.precision, type.scale)
    if isinstance(type, ArrayOf):
        return array_type(type_name(type.element))
    if isinstance(type, MapOf):
        return map_type(type_name(type.key), type_name(type.value))
    if isinstance(type, StructOf):
        return struct_type([Field(name, type_name(kind), name not in type.required) for name, kind in type.fields])
    return type.value


def schema_of(table: Table) -> tuple[tuple[Field, ...], int]:
    """The columns of the log's schema, and the greatest column id (0 without column mapping)."""
    fields = tuple(
        Field(column.name, type_name(column.type), column.nullable, _rules(table, column)) for column in table.columns
    )
    if not table.maps_columns:
        return fields, 0
    return map_columns(fields, [physical_name(table, column.name) for column in table.columns])


def first_fields(table: Table, fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """These fields of the table as they were before the last commit changed them."""
    added, widened = table.added_column, table.widened_column
    before = (field for field in fields if added is None or field.name != added.name)
    if widened is None:
        return tuple(before)
    narrow = table.narrower_type(widened)
    assert narrow is not None, "a column whose type was widened had another"
    return tuple(
        replace(field, type=type_name(narrow), metadata=_without_changes(field.metadata))
        if field.name == widened.name
        else field
        for field in before
    )


#: The key of a column's metadata with the changes of its type (PROTOCOL.md, "Type Change Metadata").
_TYPE_CHANGES = "delta.typeChanges"


def _without_changes(metadata: Mapping[str, object]) -> Mapping[str, object]:
    return {key: value for key, value in metadata.items() if key != _TYPE_CHANGES}


def _rules(table: Table, column: Column) -> Mapping[str, object]:
    if column == table.widened_column and (narrow := table.narrower_type(column)) is not None:
        return {_TYPE_CHANGES: [{"fromType": type_name(narrow), "toType": type_name(column.type)}]}
    if column.generated_from is not None:
        return generated_metadata(identifier(column.generated_from))
    if column.identity:
        position = table.columns.index(column)
        values = [row[position] for file in table.files for row in (table.row(file.partition, r) for r in file.rows)]
        whole = [value for value in values if isinstance(value, int)]
        return identity_metadata(max(whole, default=None))
    if column.declared is not None:
        return declared_metadata(column.declared)
    return default_metadata("NULL") if column.default else {}


def stored_fields(table: Table) -> tuple[Field, ...]:
    """The columns of a data file: the data columns, and the dropped one if the table has one.

    Files that are older than an added column lack it.
    """
    fields, last = schema_of(table)
    stored = tuple(field for field in fields if field.name not in table.partition_by)
    if not table.has(Feature.DROPPED_COLUMN):
        return stored
    # Its physical name is its own name: the written schema never has it.
    metadata = {"delta.columnMapping.id": last + 1, "delta.columnMapping.physicalName": DROPPED_COLUMN}
    return (*stored, replace(stored[0], name=DROPPED_COLUMN, type="long", nullable=True, metadata=metadata))


def definition(table: Table, version: int, created: int) -> list[Protocol | Metadata]:
    """The actions ``protocol`` and ``metaData`` of the commit of a version, if it has them; ``created`` in ms since the epoch."""
    changes = table.has(Feature.ALTERED, Feature.WIDENED)
    first, last = _protocol(table, _first_features(table)), _protocol(table, features_used(table))
    if version == 0:
        return [first if changes else last, _metadata(table, created, first=changes)]
    if not changes or version != len(table.commits) - 1:
        return []
    return [*([] if first == last else [last]), _metadata(table, created)]


def _first_features(table: Table) -> list[str]:
    """The protocol's features of the first version of a table that is changed later: some come, and one may go."""
    used = set(features_used(table))
    if not any(commit.deletion_vectors for commit in table.commits):
        used ^= {"deletionVectors"}
    return sorted(used - _COME_LATER)


def _metadata(table: Table, created: int, *, first: bool = False) -> Metadata:
    """``first``: as before the table was altered."""
    fields, last = schema_of(table)
    last += table.has(Feature.DROPPED_COLUMN)
    if first:
        fields = first_fields(table, fields)
    set_later = dict(_set_later(table)) if first else {}
    return Metadata(
        "00000000-0000-4000-8000-000000000000",
        schema_string(fields),
        table.partition_by,
        {name: value for name, value in _configuration(table, last) if name not in set_later},
        created,
    )


def _set_later(table: Table) -> Iterator[tuple[str, str]]:
    """The properties that ALTER TABLE can set at any time."""
    if table.retention_hours is not None:
        yield "delta.deletedFileRetentionDuration", retention_text(table.retention_hours)
    if table.has(Feature.FREQUENT_CHECKPOINTS):
        yield "delta.checkpointInterval", "2"
    if table.indexed_leaves is not None:
        yield "delta.dataSkippingNumIndexedCols", str(table.indexed_leaves)
    if table.indexed_columns:
        yield "delta.dataSkippingStatsColumns", ",".join(map(identifier, table.indexed_columns))
    if table.has(Feature.DELETION_VECTORS):
        yield "delta.enableDeletionVectors", "true"
    if table.has(Feature.CHANGE_DATA_FEED):
        yield "delta.enableChangeDataFeed", "true"
    if table.has(Feature.APPEND_ONLY):
        yield "delta.appendOnly", "true"
    if table.has(Feature.WIDENED):
        yield "delta.enableTypeWidening", "true"
    for number, check in enumerate(table.checks, start=1):
        yield f"delta.constraints.check_{number}", sql(check)


def _configuration(table: Table, last_id: int) -> Iterator[tuple[str, str]]:
    yield from _set_later(table)
    if table.maps_columns:
        yield "delta.columnMapping.mode", "name" if table.has(Feature.COLUMN_MAPPING_NAME) else "id"
        yield "delta.columnMapping.maxColumnId", str(last_id)
    if table.has(Feature.ROW_TRACKING):
        yield "delta.enableRowTracking", "true"
        yield "delta.rowTracking.materializedRowIdColumnName", ROW_ID_COLUMN
        yield "delta.rowTracking.materializedRowCommitVersionColumnName", ROW_COMMIT_VERSION_COLUMN
    if table.has(Feature.IN_COMMIT_TIMESTAMPS):
        yield "delta.enableInCommitTimestamps", "true"
    if table.has(Feature.V2_CHECKPOINTS):
        yield "delta.checkpointPolicy", "v2"
    if table.has(Feature.STRUCT_STATISTICS):
        yield "delta.checkpoint.writeStatsAsJson", "false"
        yield "delta.checkpoint.writeStatsAsStruct", "true"


#: The protocol's features by the features of a case's table.
_PROTOCOL_FEATURES = {
    "deletionVectors": (Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF),
    "changeDataFeed": (Feature.CHANGE_DATA_FEED,),
    "columnMapping": (Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
    "rowTracking": (Feature.ROW_TRACKING,),
    "domainMetadata": (Feature.ROW_TRACKING,),
    "inCommitTimestamp": (Feature.IN_COMMIT_TIMESTAMPS,),
    "v2Checkpoint": (Feature.V2_CHECKPOINTS,),
    "vacuumProtocolCheck": (Feature.VACUUM_PROTOCOL_CHECK,),
    "typeWidening": (Feature.WIDENED,),
    UNKNOWN_FEATURE: (Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER),
}


def features_used(table: Table) -> list[str]:
    """The protocol's features that a table uses, sorted."""
    by_feature = {name for name, features in _PROTOCOL_FEATURES.items() if table.has(*features)}
    by_column = {
        "checkConstraints": bool(table.checks),
        "generatedColumns": any(column.generated_from is not None for column in table.columns),
        "identityColumns": any(column.identity for column in table.columns),
        "allowColumnDefaults": any(column.default for column in table.columns),
        "timestampNtz": any(Type.TIMESTAMP_NTZ in types_in(column.type) for column in table.columns),
    }
    return sorted({"appendOnly", "invariants", *by_feature, *(name for name, used in by_column.items() if used)})


def _protocol(table: Table, used: list[str]) -> Protocol:
    """The smallest legacy versions that suffice for these features of the table, else 3 and 7 with lists of features."""
    if all(name in _LEGACY_WRITERS for name in used):
        return Protocol(2 if "columnMapping" in used else 1, max(_LEGACY_WRITERS[name] for name in used))
    reader_features = (*_READER_FEATURES, UNKNOWN_FEATURE) if table.has(Feature.UNKNOWN_READER) else _READER_FEATURES
    return Protocol(3, 7, tuple(name for name in used if name in reader_features), tuple(used))
