"""Random cases that resemble the user's tables (``--like``): without the features that a table lacks, and the nearest of
several.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from harness.campaigns.drawing import Choice
from harness.tables.case_shape import table_entries
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.table import ColumnRule, Feature, Reference
from shapes.entries import entries_of
from shapes.likeness import EntryBits
from shapes.shape import Shape, Shapes
from strategies.restriction.capabilities import can_be_judged, restricted_to


def _has_feature(name: str, shape: Shape) -> bool:
    return name in shape.protocol.features


def _is_set(name: str, value: str, shape: Shape) -> bool:
    return shape.properties.known.get(f"delta.{name}") == value


def _maps_columns(shape: Shape) -> bool:
    return _is_set("columnMapping.mode", "name", shape) or _is_set("columnMapping.mode", "id", shape)


def _is_widened(shape: Shape) -> bool:
    return _has_feature("typeWidening", shape) or _has_feature("typeWidening-preview", shape)


def _is_in(forms: frozenset[str], shape: Shape) -> bool:
    return bool(forms & {*shape.paths.forms})


#: What a case has only if the table does. A damaged log, checksums and the like are not among them: they come and go.
_FEATURES: Mapping[Feature, Callable[[Shape], bool]] = {
    Feature.DELETION_VECTORS: partial(_has_feature, "deletionVectors"),
    Feature.DELETION_VECTORS_OFF: partial(_has_feature, "deletionVectors"),
    Feature.CHANGE_DATA_FEED: partial(_is_set, "enableChangeDataFeed", "true"),
    Feature.COLUMN_MAPPING_NAME: partial(_is_set, "columnMapping.mode", "name"),
    Feature.COLUMN_MAPPING_ID: partial(_is_set, "columnMapping.mode", "id"),
    Feature.DROPPED_COLUMN: _maps_columns,
    Feature.ROW_TRACKING: partial(_has_feature, "rowTracking"),
    Feature.IN_COMMIT_TIMESTAMPS: partial(_has_feature, "inCommitTimestamp"),
    Feature.V2_CHECKPOINTS: partial(_has_feature, "v2Checkpoint"),
    Feature.APPEND_ONLY: partial(_is_set, "appendOnly", "true"),
    Feature.VACUUM_PROTOCOL_CHECK: partial(_has_feature, "vacuumProtocolCheck"),
    Feature.UNKNOWN_WRITER: lambda shape: shape.protocol.unknown_features > 0,
    Feature.UNKNOWN_READER: lambda shape: shape.protocol.unknown_features > 0,
    Feature.WIDENED: _is_widened,
    Feature.STRUCT_STATISTICS: partial(_is_set, "checkpoint.writeStatsAsJson", "false"),
}
_RULES: Mapping[ColumnRule, Callable[[Shape], bool]] = {
    ColumnRule.CHECK: lambda shape: shape.properties.constraints > 0,
    ColumnRule.DEFAULT: partial(_has_feature, "allowColumnDefaults"),
    ColumnRule.GENERATED: partial(_has_feature, "generatedColumns"),
    ColumnRule.IDENTITY: partial(_has_feature, "identityColumns"),
}
_REFERENCES: Mapping[Reference, Callable[[Shape], bool]] = {
    Reference.ABSOLUTE: partial(_is_in, frozenset({"absolute", "uri"})),
    Reference.OUTSIDE: partial(_is_in, frozenset({"outside"})),
}


def capabilities_like(shape: Shape) -> Capabilities:
    """What a case for tables of this shape may contain."""
    return Capabilities(
        features=frozenset(one for one in Feature if one not in _FEATURES or _FEATURES[one](shape)),
        column_rules=frozenset(one for one in ColumnRule if one not in _RULES or _RULES[one](shape)),
        references=frozenset(one for one in Reference if one not in _REFERENCES or _REFERENCES[one](shape)),
    )


def drawn_to(shapes: Shapes, capabilities: Capabilities = EVERYTHING) -> Choice:
    """For each case to judge, takes the next shape of the user's tables, and the candidate nearest to it, without what the
    shape lacks; the first of equally near ones. ``capabilities``: what the engine supports. A candidate takes some 30 ms of a
    core.
    """
    bits = EntryBits()
    wanted = [
        (bits.of(entries_of(one.shape)), capabilities_like(one.shape).shared(capabilities)) for one in shapes.shapes
    ]

    def choose(candidates: Sequence[Case], place: int) -> Case | None:
        own, allowed = wanted[place % len(wanted)]

        def likeness(case: Case) -> int:
            entries = table_entries(case.table)
            return 0 if entries is None else round(1000 * bits.likeness(own, bits.of(entries)))

        known = [one for one in candidates if can_be_judged(one, capabilities=allowed)]
        return max((restricted_to(one, capabilities=allowed) for one in known), key=likeness, default=None)

    return choose
