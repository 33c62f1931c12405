"""What a case's table has that a user's table may lack: features and properties, rules of columns, and how files are named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from model.vocabulary.table import ColumnRule, Feature, Reference, Table
from shapes.shape import Shape
from shapes.told import Has, has_feature, has_feed, has_struct_statistics_only, is_set, maps_columns


def _names_files(*forms: str) -> Has:
    return lambda shape: not set(forms).isdisjoint(shape.paths.forms)


#: A damaged log, checksums and the like are not among them: they come and go.
FEATURES: Mapping[Feature, Has] = {
    Feature.DELETION_VECTORS: has_feature("deletionVectors"),
    Feature.DELETION_VECTORS_OFF: has_feature("deletionVectors"),
    Feature.CHANGE_DATA_FEED: has_feed,
    Feature.COLUMN_MAPPING_NAME: is_set("delta.columnMapping.mode", "name"),
    Feature.COLUMN_MAPPING_ID: is_set("delta.columnMapping.mode", "id"),
    Feature.DROPPED_COLUMN: maps_columns,
    Feature.ROW_TRACKING: has_feature("rowTracking"),
    Feature.IN_COMMIT_TIMESTAMPS: has_feature("inCommitTimestamp"),
    Feature.V2_CHECKPOINTS: has_feature("v2Checkpoint"),
    Feature.APPEND_ONLY: is_set("delta.appendOnly", "true"),
    Feature.VACUUM_PROTOCOL_CHECK: has_feature("vacuumProtocolCheck"),
    Feature.UNKNOWN_WRITER: lambda shape: shape.protocol.unknown_features > 0,
    Feature.UNKNOWN_READER: lambda shape: shape.protocol.unknown_features > 0,
    Feature.WIDENED: has_feature("typeWidening", "typeWidening-preview"),
    Feature.STRUCT_STATISTICS: has_struct_statistics_only,
}
RULES: Mapping[ColumnRule, Has] = {
    ColumnRule.CHECK: lambda shape: shape.properties.constraints > 0,
    ColumnRule.DEFAULT: has_feature("allowColumnDefaults"),
    ColumnRule.GENERATED: has_feature("generatedColumns"),
    ColumnRule.IDENTITY: has_feature("identityColumns"),
}
REFERENCES: Mapping[Reference, Has] = {
    Reference.ABSOLUTE: _names_files("absolute", "uri"),
    Reference.OUTSIDE: _names_files("outside"),
}


def needs_of(table: Table) -> frozenset[Feature | ColumnRule | Reference]:
    """Those that the table of a case has."""
    return frozenset(_needs(table))


def _needs(table: Table) -> Iterator[Feature | ColumnRule | Reference]:
    yield from (one for one in map(Feature, table.features) if one in FEATURES)
    if any(commit.deletion_vectors for commit in table.commits):
        yield Feature.DELETION_VECTORS
    rules = {
        ColumnRule.CHECK: table.checks,
        ColumnRule.DEFAULT: any(one.default for one in table.columns),
        ColumnRule.GENERATED: any(one.generated_from for one in table.columns),
        ColumnRule.IDENTITY: any(one.identity for one in table.columns),
    }
    yield from (rule for rule, has in rules.items() if has)
    yield from (one.reference for one in table.files if one.reference in REFERENCES)


def has_all(shape: Shape, needs: frozenset[Feature | ColumnRule | Reference]) -> bool:
    """Whether tables of this shape have all of these."""
    return all(_HAS[one](shape) for one in needs)


_HAS: dict[Feature | ColumnRule | Reference, Has] = dict([*FEATURES.items(), *RULES.items(), *REFERENCES.items()])
