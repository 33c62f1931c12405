"""Sets of table features. They are drawn together because engines tend to fail on pairs of them."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.table import FEATURES, Feature
from strategies.weights import odds

#: Each is in two sets of five, independently of the others.
_FREE = (
    Feature.CHANGE_DATA_FEED,
    Feature.ROW_TRACKING,
    Feature.IN_COMMIT_TIMESTAMPS,
    Feature.V2_CHECKPOINTS,
    Feature.CHECKSUMS,
)

#: A property of tables whose DELETEs must not read data (``strategies.cases.deletes.partition_deletes``).
OF_WHOLE_FILES = (Feature.UNREADABLE_FILES,)

#: What another writer did to a table, or left of it (``strategies.cases.evolved_tables``).
OF_OTHER_WRITERS = (
    Feature.ALTERED,
    Feature.WIDENED,
    Feature.STRUCT_STATISTICS,
    Feature.HALF_CHECKPOINT,
    Feature.HALF_CHECKPOINT_NAMED,
)

#: Features for VACUUM only (``strategies.cases.vacuums``, ``strategies.cases.vacuum_commands``).
OF_VACUUM = (
    Feature.FREQUENT_CHECKPOINTS,
    Feature.BROKEN_LAST_CHECKPOINT,
    Feature.VACUUM_PROTOCOL_CHECK,
    Feature.UNKNOWN_WRITER,
    Feature.UNKNOWN_READER,
)


@st.composite
def feature_sets(draw: DrawFn, *, append_only: bool = False) -> tuple[str, ...]:
    """Valid sets of features, in the order of ``FEATURES``. Each is in two sets of five, so a pair is in one of six.

    At most one of the two deletion vector features and one of the two column mapping features; a dropped column only
    with mapping. APPEND_ONLY is in all sets with ``append_only``, else in none; ``OF_VACUUM``, ``OF_OTHER_WRITERS`` and
    ``OF_WHOLE_FILES`` are in none. Shrinks to no feature.
    """
    vectors = draw(odds((7, None), (7, Feature.DELETION_VECTORS), (5, Feature.DELETION_VECTORS_OFF)))
    mapping = draw(odds((5, None), (3, Feature.COLUMN_MAPPING_NAME), (2, Feature.COLUMN_MAPPING_ID)))
    chosen = {vectors, mapping}
    if mapping is not None and draw(odds((3, False), (2, True))):
        chosen.add(Feature.DROPPED_COLUMN)
    chosen.update(feature for feature in _FREE if draw(odds((3, False), (2, True))))
    if append_only:
        chosen.add(Feature.APPEND_ONLY)
    names = {feature.value for feature in chosen if feature is not None}
    return tuple(name for name in FEATURES if name in names)


def maps_columns(features: tuple[str, ...]) -> bool:
    """Whether a table with these features uses column mapping."""
    return Feature.COLUMN_MAPPING_NAME.value in features or Feature.COLUMN_MAPPING_ID.value in features
