"""Tables with features, column rules and deletion vectors: each is valid, and pairs of features are frequent."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.prediction.history import hidden_rows, live_ids
from model.vocabulary.table import EXCLUSIVE, FEATURES, Column, Feature, Statistics, Table, VectorStorage
from model.vocabulary.values import is_nested, required_fields
from strategies.tables.features import OF_OTHER_WRITERS, OF_VACUUM, OF_WHOLE_FILES, feature_sets
from strategies.tables.initial_tables import feature_tables
from strategies.tables.schemas import CHANGE_NAMES, INTERNAL_NAMES, MAPPED_NAMES, MAPPED_PARTITION_NAMES
from strategies.tables.types import PARTITIONABLE, types
from tests.builders.read_back import table_read_back
from tests.sampling import check_shares, sample, smallest

#: Features that are drawn only together with another one.
SELDOM = {Feature.DELETION_VECTORS_OFF.value, Feature.DROPPED_COLUMN.value}

#: The pairs of features that a set may contain.
PAIRS = [
    pair
    for pair in combinations(
        sorted(set(FEATURES) - {Feature.APPEND_ONLY, *OF_OTHER_WRITERS, *OF_VACUUM, *OF_WHOLE_FILES}), 2
    )
    if not any(set(pair) == {feature.value for feature in exclusive} for exclusive in EXCLUSIVE)
]

any_table = feature_tables(types=types(), wide=st.sampled_from([False] * 9 + [True]))


@given(feature_sets(), feature_sets(append_only=True))
def test_append_only_is_in_every_set_that_asks_for_it(features: tuple[str, ...], asked: tuple[str, ...]) -> None:
    assert Feature.APPEND_ONLY.value in asked and Feature.APPEND_ONLY.value not in features
    assert list(features) == [name for name in FEATURES if name in features]


def test_pairs_of_features_are_frequent() -> None:
    sets = sample(feature_sets())
    seen: Counter[object] = Counter({(): sets.count(())})
    for features in sets:
        seen.update(combinations(sorted(features), 2))
    shares = {pair: 100 * seen[pair] / len(sets) for pair in [(), *PAIRS]}
    assert {pair: share for pair, share in shares.items() if share < (0 if set(pair) & SELDOM else 3)} == {}
    assert all(seen[pair] for pair in PAIRS), seen


@given(any_table)
def test_tables_are_well_formed(table: Table) -> None:
    """The codec refuses rows, rules of columns, vectors and features that do not go together."""
    assert table_read_back(table) == table
    names = [column.name.lower() for column in table.columns]
    if not table.maps_columns:
        assert not any(character in " ,;{}()\n\t=" for name in names for character in name)
    if table.has(Feature.CHANGE_DATA_FEED):
        assert not {"_change_type", "_commit_version", "_commit_timestamp"} & set(names)
    if any(commit.deletion_vectors for commit in table.commits):
        assert table.has(Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF)
    with_vectors = {vector.file for commit in table.commits for vector in commit.deletion_vectors}
    assert not any(file.id in with_vectors and file.statistics is Statistics.NONE for file in table.files)
    assert len({file.partition for file in table.files}) <= 3 and "" not in {
        *sum((f.partition for f in table.files), ())
    }
    assert len(table.columns) <= 9 or 100 <= len(table.columns) <= 120
    times = [commit.at for commit in table.commits]
    assert times == sorted(set(times)) and times[-1] <= 0


def has_capital(column: Column) -> bool:
    return column.name != column.name.lower()


@pytest.mark.slow
def test_the_interesting_tables_are_frequent() -> None:
    def conditions(table: Table) -> dict[str, tuple[float, bool]]:
        deletion_vectors = [vector for commit in table.commits for vector in commit.deletion_vectors]
        names = {column.name for column in table.columns}
        sizes = {file.id: len(file.rows) for file in table.files}
        removed = {removal.file for commit in table.commits for removal in commit.removes}
        live = set(live_ids(table))
        return {
            "vector": (15, bool(deletion_vectors)),
            "a live file with a vector": (12, bool(live & set(hidden_rows(table)))),
            "two vectors of a file": (2, len({vector.file for vector in deletion_vectors}) < len(deletion_vectors)),
            "a vector, then removed": (1, bool({vector.file for vector in deletion_vectors} & removed)),
            "a vector of all rows": (0.5, any(len(vector.rows) == sizes[vector.file] for vector in deletion_vectors)),
            **{
                f"vector: {kind.name}": (3, any(vector.storage is kind for vector in deletion_vectors))
                for kind in VectorStorage
            },
            "generated": (8, any(column.generated_from for column in table.data_columns)),
            "generated partition column": (4, any(column.generated_from for column in table.partition_columns)),
            "identity": (5, any(column.identity for column in table.columns)),
            "default": (8, any(column.default for column in table.columns)),
            "not nullable": (8, any(not column.nullable for column in table.columns)),
            "check": (5, bool(table.checks)),
            "altered": (3, table.has(Feature.ALTERED)),
            "an added column": (1, table.added_column is not None),
            "a NOT NULL field": (1, any(required_fields(column.type) for column in table.columns)),
            "statistics in another zone": (1, any(file.statistics is Statistics.ZONED for file in table.files)),
            "nested": (15, any(is_nested(column.type) for column in table.columns)),
            "wide": (1, len(table.columns) >= 100),
            "an internal name": (10, bool(names & {*INTERNAL_NAMES, *CHANGE_NAMES})),
            "a data column with a capital": (8, any(map(has_capital, table.data_columns))),
            "a partition column with a capital": (4, any(map(has_capital, table.partition_columns))),
            "a NOT NULL column with a capital": (
                1,
                any(not one.nullable and has_capital(one) for one in table.columns),
            ),
            "a name that Parquet does not allow": (4, bool(names & {*MAPPED_NAMES, *MAPPED_PARTITION_NAMES})),
            "row groups": (10, any(file.group_rows for file in table.files)),
            "statistics: none": (8, any(file.statistics is Statistics.NONE for file in table.files)),
            "checkpoint": (15, any(commit.checkpoint for commit in table.commits)),
            "several live files": (40, len(live) > 1),
            **{
                f"partition column: {type}": (0.5, any(column.type == type for column in table.partition_columns))
                for type in PARTITIONABLE
            },
        }

    check_shares(sample(any_table, seeds=range(32)), conditions)


def test_tables_shrink_to_one_small_file_without_features() -> None:
    table = smallest(feature_tables(types=types()), lambda table: bool(table.files))
    assert (table.features, table.checks, table.partition_by) == ((), (), ())
    assert len(table.files) == len(table.commits) == len(table.columns) == 1
    assert len(table.files[0].rows) == 1


@pytest.mark.long
def test_a_vector_shrinks_to_one_row() -> None:
    table = smallest(feature_tables(), lambda table: any(commit.deletion_vectors for commit in table.commits))
    assert table.features == (Feature.DELETION_VECTORS.value,)
    assert [vector.rows for commit in table.commits for vector in commit.deletion_vectors] == [(0,)]
