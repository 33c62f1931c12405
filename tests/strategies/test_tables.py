"""Tables: each is well formed, and each interesting condition is drawn often enough."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.text.layout import file_path
from model.vocabulary.table import DAY, WEEK, Statistics, Table
from strategies.tables.initial_tables import History, live_files, tables
from strategies.tables.schemas import DATA_TYPES, schemas
from tests.builders.read_back import table_read_back
from tests.sampling import check_shares, sample, smallest


def deleted_before_the_start(table: Table) -> bool:
    """Every removal has a time, which is not after the start."""
    times = [removal.deleted for commit in table.commits for removal in commit.removes]
    return all(time is not None and time <= 0 for time in times)


@given(tables())
def test_tables_are_well_formed(table: Table) -> None:
    assert table_read_back(table) == table
    assert len({file_path(table, file) for file in table.files}) == len(table.files)
    assert all(commit.at <= 0 for commit in table.commits)
    assert deleted_before_the_start(table)
    assert all(file.modified <= 0 for file in table.files)
    assert "" not in {value for file in table.files for value in file.partition}
    assert table.stray_files == ()
    assert table.features == ()
    assert table.retention_hours is None


@pytest.mark.slow
def test_the_interesting_tables_are_frequent() -> None:
    age = 3 * DAY

    def conditions(table: Table) -> dict[str, tuple[float, bool]]:
        live = live_files(table)
        removals = [removal for commit in table.commits for removal in commit.removes]
        partitions = [file.partition for file in live]
        in_schema_order = [column.name for column in table.columns if column.name in table.partition_by]
        return {
            "no live file": (2, not live),
            "several live files": (40, len(live) > 1),
            "files share a partition": (15, bool(table.partition_by) and len(set(partitions)) < len(partitions)),
            "several live partitions": (15, len(set(partitions)) > 1),
            "unpartitioned": (10, not table.partition_by),
            "three partition columns": (3, len(table.partition_by) == 3),
            "partition column with a hidden prefix": (20, any(name[0] in "_." for name in table.partition_by)),
            "schema order interleaves": (5, table.columns != table.partition_columns + table.data_columns),
            "partitions in another order": (3, in_schema_order != list(table.partition_by)),
            "NULL partition": (15, any(None in partition for partition in partitions)),
            "empty file": (5, any(not file.rows for file in live)),
            "file of equal rows": (8, any(len(file.rows) > 1 and len(set(file.rows)) == 1 for file in live)),
            "statistics: none": (15, any(file.statistics is Statistics.NONE for file in live)),
            "statistics: count": (15, any(file.statistics is Statistics.COUNT for file in live)),
            "one commit": (8, len(table.commits) == 1),
            "five commits": (8, len(table.commits) == 5),
            "checkpoint": (12, any(commit.checkpoint for commit in table.commits)),
            "tombstone": (18, bool(removals)),
            "tombstone on the cutoff": (2, any(removal.deleted == -age for removal in removals)),
            "tombstone before": (2, any(removal.deleted == -age - 1 for removal in removals)),
            "tombstone after": (2, any(removal.deleted == -age + 1 for removal in removals)),
            "file on the cutoff": (20, any(abs(file.modified + age) <= 1 for file in table.files)),
            "tombstone with the commit's time": (5, any(r.deleted == c.at for c in table.commits for r in c.removes)),
            **{
                f"data column: {type.value}": (10, any(c.type is type for c in table.data_columns))
                for type in DATA_TYPES
            },
        }

    check_shares(sample(tables(history=History(cutoff_age=age))), conditions)


@given(
    tables(
        schema=schemas(partition_counts=st.just(2)),
        history=History(removed=st.just(True), min_commits=3),
        retentions=st.just(24),
        features=st.just(("changeDataFeed",)),
    )
)
def test_parameters(table: Table) -> None:
    assert len(table.partition_by) == 2
    assert len(table.commits) >= 3
    assert live_files(table) == ()
    assert (table.retention_hours, table.retention) == (24, DAY)
    assert table.features == ("changeDataFeed",)


@pytest.mark.parametrize("cutoff_age", [0, -WEEK, WEEK])
@given(data=st.data())
def test_no_instant_is_after_the_start_whatever_the_cutoff(cutoff_age: int, data: st.DataObject) -> None:
    table = data.draw(tables(history=History(cutoff_age=cutoff_age, removed=st.booleans())))
    assert all(file.modified <= 0 for file in table.files)
    assert deleted_before_the_start(table)


def test_tables_shrink_to_one_small_file() -> None:
    table = smallest(tables(), lambda table: bool(table.files))
    assert len(table.files) == 1
    assert len(table.commits) == 1
    assert len(table.files[0].rows) == 1
    assert table.files[0].statistics is Statistics.FULL
    assert table.partition_by == ()
    assert len(table.columns) == 1
