"""Tables for programs: with and without features, all that the campaigns draw in one table."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.table import Feature, Table
from strategies.tables.features import feature_sets
from strategies.tables.indexed_columns import indexed_tables
from strategies.tables.initial_tables import RETENTIONS
from strategies.tables.stray_files import stray_files, with_stray_files
from strategies.tables.vacuum_tables import (
    aged,
    checkpointed,
    featured_tables,
    incomplete_removes,
    milliseconds,
    stored,
    vacuumable_tables,
    with_relative_vectors,
)
from strategies.weights import odds, one_in, weighted

_VECTORS = (Feature.DELETION_VECTORS.value, Feature.DELETION_VECTORS_OFF.value)

#: Features that are drawn beside ``feature_sets``, each with the number of tables of which one has it.
_MORE_FEATURES = (
    (Feature.CHANGE_DATA_FEED, 3),
    (Feature.FREQUENT_CHECKPOINTS, 3),
    (Feature.VACUUM_PROTOCOL_CHECK, 8),
    (Feature.BROKEN_LAST_CHECKPOINT, 12),
)


def program_tables() -> st.SearchStrategy[Table]:
    """Tables with stray files: one in four without features, the others with any set of features.

    Shrinks to a table without features.
    """
    return weighted((1, vacuumable_tables()), (3, _with_features()))


@st.composite
def _with_features(draw: DrawFn) -> Table:
    """Tables with any features that a DELETE and a VACUUM support, and histories around the cutoff at the start.

    Of those with deletion vectors, half have some at the start. Half of the tables have checkpoints, a quarter of these a pruned
    log; half have commits at the cutoff, a quarter removes without optional fields. Shrinks to no feature.
    """
    retention = draw(st.sampled_from(RETENTIONS))
    age = milliseconds(retention)
    names = draw(feature_sets())
    chosen = [Feature(name) for name in names]
    chosen += [feature for feature, number in _MORE_FEATURES if draw(one_in(number)) and feature not in chosen]
    if any(name in _VECTORS for name in names) and draw(st.booleans()):
        # ``featured_tables`` chooses one of the two features itself.
        rest = tuple(feature for feature in chosen if feature.value not in _VECTORS)
        table = draw(featured_tables(retention=retention, cutoff_age=age, features=rest, vectors=True))
        table = draw(stored(table, absolute=False))
        if not draw(one_in(6)):
            table = with_relative_vectors(table)
    else:
        table = draw(featured_tables(retention=retention, cutoff_age=age, features=tuple(chosen)))
    table = draw(indexed_tables(table))
    if draw(st.booleans()):
        table = draw(aged(table, cutoff_age=age))
    if draw(one_in(4)):
        table = draw(incomplete_removes(table))
    if draw(st.booleans()):
        table = draw(checkpointed(table, pruned=draw(one_in(4))))
    flat = draw(odds((2, True), (1, False)))
    return draw(with_stray_files(table, stray_files(table, cutoff_age=age, max_size=4, flat=flat)))
