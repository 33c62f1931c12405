"""Commands other than DELETE and VACUUM through the Spark adapter and in scripts, on tables that the suite writes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deltalog.log import read_log
from deltalog.snapshot import Snapshot
from deltalog.storage.names import LOG_DIRECTORY
from engines.dialect import ScriptedCase, ScriptRun
from engines.port import Outcome
from engines.spark.adapter import SparkEngine
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.prediction.commands import rows_after
from model.prediction.history import hidden_rows, live_ids, visible_rows
from model.semantics.definitions import table_after
from model.text.layout import clone_of
from model.vocabulary.commands import (
    SWITCHED,
    AddColumn,
    Assignment,
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    DropColumn,
    DropFeature,
    Merge,
    MergeTest,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Update,
    VacuumClone,
    WidenColumn,
)
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Moment, OtherCommand, Read
from model.vocabulary.table import DAY, Column, Commit, DataFile, DeletionVector, Feature, Removal, Table
from model.vocabulary.values import Row, Type
from tests import scripts
from tests.slow import slow_after

# Open the session first, because other tests kill the JVM.
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

START = 1_600_000_000_000  # in the past, so that no log file that a command writes has expired by it
CLOCK = START + 1000


def file(id: int, p: str | None, *rows: Row) -> DataFile:
    return DataFile(id, (p,), rows, modified=-DAY)


#: Three live files, two of them in one partition; a file that was removed.
PLAIN = Table(
    columns=(
        Column("id", Type.INTEGER),
        Column("v", Type.STRING),
        Column("n", Type.SHORT),
        Column("p", Type.STRING),
    ),
    partition_by=("p",),
    files=(
        file(0, "x", (1, "a", 1), (2, "b", 2)),
        file(1, "x", (3, "c", 3)),
        file(2, None, (4, "d", 4), (5, None, 5)),
        file(3, None, (6, "f", 6)),
    ),
    commits=(
        Commit(at=-3 * DAY, adds=(0, 1, 2)),
        Commit(at=-2 * DAY, adds=(3,)),
        Commit(at=-DAY, removes=(Removal(3, -DAY),)),
    ),
)

#: The same with features, of which rows 2 and 4 are deleted by vectors.
FEATURED = replace(
    PLAIN,
    features=tuple(
        feature.value
        for feature in (
            *(Feature.DELETION_VECTORS, Feature.COLUMN_MAPPING_NAME, Feature.CHANGE_DATA_FEED, Feature.ROW_TRACKING),
            *(Feature.IN_COMMIT_TIMESTAMPS, Feature.V2_CHECKPOINTS, Feature.CHECKSUMS),
        )
    ),
    commits=(
        *PLAIN.commits[:2],
        replace(
            PLAIN.commits[2],
            deletion_vectors=(DeletionVector(0, (1,), deleted=-DAY), DeletionVector(2, (0,), deleted=-DAY)),
        ),
    ),
)

TABLES = [FEATURED, PLAIN]

X = Compare("p", Op.EQ, "x", Type.STRING)
FIRST = Compare("id", Op.LE, 1, Type.INTEGER)
NO_ROW = Compare("id", Op.EQ, 99, Type.INTEGER)
ROW: Row = (9, "it's", None, "x")


def rows_of(table: Table, version: int | None = None) -> Counter[Row]:
    hidden, live = hidden_rows(table, version), live_ids(table, version)
    return Counter(
        table.row(file.partition, row)
        for file in table.files
        if file.id in live
        for row in visible_rows(file, hidden.get(file.id, frozenset()))
    )


def make(table: Table, directory: Path) -> Path:
    root = directory / "case" / "table"
    write_table(plan_table(table, root, start=START))
    return root


def run(engine: SparkEngine, root: Path, command: Command, *, clock: int = CLOCK, version: int | None = None) -> None:
    """Run the command. Raises AssertionError if it is refused, or answers with rows."""
    outcome = engine.run(root, OtherCommand(command), clock=clock, version=version)
    assert outcome.error is None, outcome.error
    assert outcome.rows == ()


def refused(engine: SparkEngine, root: Path, command: Command) -> Outcome:
    before = read_log(root).snapshot()
    outcome = engine.run(root, OtherCommand(command), clock=CLOCK, version=None)
    assert outcome.error is not None
    assert read_log(root).snapshot() == before, "a refused command changed the table"
    return outcome


def read(engine: SparkEngine, root: Path) -> Counter[Row]:
    outcome = engine.run(root, Read(), clock=CLOCK, version=None)
    assert outcome.error is None, outcome.error
    return Counter(outcome.rows)


def snapshot_of(root: Path | str) -> Snapshot:
    return read_log(Path(root)).snapshot()


def operations(root: Path | str, since: int = 3) -> list[str]:
    """The operations of the commits since a version, each of which has the injected clock."""
    infos = [
        commit.info.fields
        for version, commit in read_log(Path(root)).commits.items()
        if version >= since
        if commit.info
    ]
    assert {info["timestamp"] for info in infos} <= {CLOCK}
    return [str(info["operation"]) for info in infos]


def log_names(root: Path | str) -> set[str]:
    """The names in the log, without those that Hadoop's checksums have."""
    return {path.name for path in (Path(root) / LOG_DIRECTORY).iterdir() if not path.name.startswith(".")}


# Rows -----------------------------------------------------------------------------------------------------------------

#: Commands that change rows or rewrite files, and the operation of their commit.
WRITES: list[tuple[Command, str]] = [
    (Optimize(), "OPTIMIZE"),
    (Update(Assignment("v", Type.STRING, "new"), FIRST), "UPDATE"),
    (Merge(FIRST, Assignment("n", Type.SHORT, 7), (ROW,)), "MERGE"),
    (Overwrite((ROW,), X), "WRITE"),
    (StreamAppend((ROW, (None, None, 3, None))), "STREAMING UPDATE"),
    (Restore(0), "RESTORE"),
    (Merge(NO_ROW, insert=(ROW,)), "MERGE"),
    (Overwrite((ROW,)), "WRITE"),
    (Optimize(X, ("id", "v")), "OPTIMIZE"),
    (Update(Assignment("n", Type.SHORT, None)), "UPDATE"),
    (Merge(FIRST), "MERGE"),
    (Merge(FIRST, test=MergeTest.MATCHED), "MERGE"),
    (Merge(FIRST, Assignment("n", Type.SHORT, 7), test=MergeTest.BY_SOURCE), "MERGE"),
    (Merge(NO_ROW, Assignment("p", Type.STRING, "q"), (ROW,)), "MERGE"),
    (Overwrite(()), "WRITE"),
    (Overwrite((), X), "WRITE"),
]


_BOTH = [(command, operation, table) for command, operation in WRITES for table in TABLES]
_FIRST = [_BOTH[place] for place in (0, 3, 4, 7, 8, 10)]  # one of each kind


@pytest.mark.parametrize(
    ("command", "operation", "table"), slow_after(len(_FIRST), [*_FIRST, *(one for one in _BOTH if one not in _FIRST)])
)
def test_a_command_that_writes_rows(
    spark_engine: SparkEngine, tmp_path: Path, command: Command, operation: str, table: Table
) -> None:
    root, before = make(table, tmp_path), rows_of(table)
    run(spark_engine, root, command, version=0)
    assert read(spark_engine, root) == rows_after(command, table, before, restored=rows_of(table, 0))
    assert operations(root) == [operation]
    assert [path.name for path in root.parent.iterdir()] == ["table"], "what a stream needs outlasts the step"


def test_a_merge_compares_the_table_alone(spark_engine: SparkEngine, tmp_path: Path) -> None:
    """The row to insert satisfies the condition, which none of the table does."""
    root = make(PLAIN, tmp_path)
    command = Merge(Compare("id", Op.EQ, 9, Type.INTEGER), Assignment("n", Type.SHORT, 1), (ROW,))
    run(spark_engine, root, command)
    assert read(spark_engine, root) == rows_of(PLAIN) + Counter([ROW])


def test_optimize_and_purge_leave_the_rows_in_other_files(spark_engine: SparkEngine, tmp_path: Path) -> None:
    root = make(FEATURED, tmp_path)
    assert sum(add.deletion_vector is not None for add in snapshot_of(root).adds.values()) == 2
    run(spark_engine, root, Purge())
    assert operations(root) == ["REORG"]
    assert not any(add.deletion_vector for add in snapshot_of(root).adds.values())
    run(spark_engine, root, Optimize(X))
    assert len(snapshot_of(root).adds) == 2, "one file in each partition"
    assert read(spark_engine, root) == rows_of(FEATURED)


# The log --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", slow_after(1, TABLES))
def test_a_checkpoint_and_a_compaction_of_the_log(spark_engine: SparkEngine, tmp_path: Path, table: Table) -> None:
    root = make(table, tmp_path)
    before = log_names(root)
    run(spark_engine, root, CompactLog())
    assert log_names(root) - before == {f"{0:020d}.{2:020d}.compacted.json"}
    assert read(spark_engine, root) == rows_of(table)
    run(spark_engine, root, Checkpoint())
    assert [checkpoint.version for checkpoint in read_log(root).checkpoints] == [2]
    assert "_last_checkpoint" in log_names(root)
    assert read(spark_engine, root) == rows_of(table)


def test_a_log_with_one_commit_is_not_compacted(spark_engine: SparkEngine, tmp_path: Path) -> None:
    root = make(replace(PLAIN, files=PLAIN.files[:3], commits=PLAIN.commits[:1]), tmp_path)
    before = log_names(root)
    run(spark_engine, root, CompactLog())
    assert log_names(root) == before


def test_log_clean_up_deletes_what_is_older_than_the_retention_and_not_needed(
    spark_engine: SparkEngine, tmp_path: Path
) -> None:
    *commits, last = PLAIN.commits
    root = make(replace(PLAIN, commits=(*commits, replace(last, checkpoint=True))), tmp_path)
    before = log_names(root)
    run(spark_engine, root, CleanUpLog(), clock=START + 27 * DAY)
    assert log_names(root) == before, "the retention is 30 days"
    run(spark_engine, root, CleanUpLog(), clock=START + 40 * DAY)
    assert before - log_names(root) == {f"{version:020d}.json" for version in (0, 1)}
    assert read(spark_engine, root) == rows_of(PLAIN)


# Properties and features ----------------------------------------------------------------------------------------------

#: A table with each switch the other way, by whether it becomes on.
_SWITCHES = [(feature, on) for feature in SWITCHED for on in (True, False)]


@pytest.mark.parametrize(("feature", "on"), slow_after(0, _SWITCHES))
def test_a_feature_is_switched(spark_engine: SparkEngine, tmp_path: Path, feature: Feature, on: bool) -> None:
    table = PLAIN if on else FEATURED
    root = make(table, tmp_path)
    run(spark_engine, root, Switch(feature, on))
    assert set(operations(root)) >= {"SET TBLPROPERTIES"}
    properties = snapshot_of(root).metadata.configuration
    assert properties[f"delta.enable{feature.value[0].upper()}{feature.value[1:]}"] == ("true" if on else "false")
    assert read(spark_engine, root) == rows_of(table)


def test_row_tracking_of_a_table_with_rows_numbers_them(spark_engine: SparkEngine, tmp_path: Path) -> None:
    root = make(PLAIN, tmp_path)
    run(spark_engine, root, Switch(Feature.ROW_TRACKING, on=True))
    assert operations(root) == ["UPGRADE PROTOCOL", "ROW TRACKING BACKFILL", "SET TBLPROPERTIES"]
    assert all(add.base_row_id is not None for add in snapshot_of(root).adds.values())


def test_retentions_are_set(spark_engine: SparkEngine, tmp_path: Path) -> None:
    """Delta compares what a command sets with the default of the other retention, not with what the table has."""
    root = make(PLAIN, tmp_path)
    run(spark_engine, root, SetRetention(200))
    run(spark_engine, root, SetRetention(1000, of_log=True))
    properties = snapshot_of(root).metadata.configuration
    assert properties["delta.deletedFileRetentionDuration"] == "interval 200 hours"
    assert properties["delta.logRetentionDuration"] == "interval 1000 hours"
    error = refused(spark_engine, root, SetRetention(167, of_log=True)).error
    assert error is not None and "needs to be greater than or equal to" in error.message


@pytest.mark.parametrize(
    "feature", slow_after(1, [Feature.ROW_TRACKING, Feature.DELETION_VECTORS, Feature.IN_COMMIT_TIMESTAMPS])
)
def test_a_feature_is_dropped(spark_engine: SparkEngine, tmp_path: Path, feature: Feature) -> None:
    root = make(FEATURED, tmp_path)
    run(spark_engine, root, DropFeature(feature))
    assert operations(root)[-1] == "DROP FEATURE"
    names = snapshot_of(root).protocol.writer_features or ()
    assert feature.value.removesuffix("s") not in {name.removesuffix("s") for name in names}
    assert not any(add.deletion_vector for add in snapshot_of(root).adds.values()) or feature is not SWITCHED[0]
    assert read(spark_engine, root) == rows_of(FEATURED)


def test_the_change_feed_cannot_be_dropped(spark_engine: SparkEngine, tmp_path: Path) -> None:
    root = make(FEATURED, tmp_path)
    error = refused(spark_engine, root, DropFeature(Feature.CHANGE_DATA_FEED)).error
    assert error is not None and error.condition == "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE"


# Columns --------------------------------------------------------------------------------------------------------------

COLUMNS: list[tuple[Command, str]] = [
    (AddColumn(Column("c d", Type.DOUBLE)), "ADD COLUMNS"),
    (RenameColumn("p", "q r"), "RENAME COLUMN"),
    (DropColumn("v"), "DROP COLUMNS"),
    (WidenColumn("n"), "CHANGE COLUMN"),
]


@pytest.mark.parametrize(("command", "operation"), COLUMNS)
def test_a_command_that_changes_columns(
    spark_engine: SparkEngine, tmp_path: Path, command: Command, operation: str
) -> None:
    root = make(FEATURED, tmp_path)
    run(spark_engine, root, command)
    assert operations(root)[-1] == operation
    names = [field["name"] for field in json.loads(snapshot_of(root).metadata.schema_string or "")["fields"]]
    assert names == [column.name for column in table_after(command, FEATURED).columns]
    assert read(spark_engine, root) == rows_after(command, FEATURED, rows_of(FEATURED))
    run(spark_engine, root, Update(Assignment("id", Type.INTEGER, 0), FIRST))  # by the new columns


# Clones ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", slow_after(1, TABLES))
def test_a_shallow_clone_is_vacuumed_by_the_injected_clock(
    spark_engine: SparkEngine, tmp_path: Path, table: Table
) -> None:
    root = make(table, tmp_path)
    before = {path for path in root.rglob("*") if path.is_file()}
    run(spark_engine, root, ShallowClone())
    clone = clone_of(str(root))
    assert operations(clone, 0) == ["CLONE"]
    run(spark_engine, root, VacuumClone())
    assert operations(clone, 0) == ["CLONE", "VACUUM START", "VACUUM END"]
    assert read(spark_engine, Path(clone)) == rows_of(table)
    assert {path for path in root.rglob("*") if path.is_file()} == before
    assert [path.name for path in root.parent.iterdir() if path != root] == ["table-beside"]


# Scripts --------------------------------------------------------------------------------------------------------------

#: One command of each kind, and the operation of its last commit; None without one in the table.
ALL: list[tuple[Command, str | None]] = [
    *(WRITES[0], WRITES[1], WRITES[2], WRITES[3], WRITES[4], WRITES[5], *COLUMNS),
    (Purge(), "REORG"),
    *((command, None) for command in (Checkpoint(), CompactLog(), CleanUpLog(), ShallowClone())),
    (SetRetention(200), "SET TBLPROPERTIES"),
    (Switch(Feature.CHANGE_DATA_FEED, on=False), "SET TBLPROPERTIES"),
    (DropFeature(Feature.ROW_TRACKING), "DROP FEATURE"),
]


@pytest.fixture
def settings_kept(spark: Any) -> Iterator[None]:
    """The session keeps its settings, which a script changes."""
    before = spark.conf.getAll
    yield
    for key in set(spark.conf.getAll) - set(before):
        spark.conf.unset(key)
    for key, value in before.items():
        if spark.conf.get(key) != value:
            spark.conf.set(key, value)


@pytest.mark.usefixtures("settings_kept")
@pytest.mark.parametrize(("command", "operation"), slow_after(0, ALL))
def test_a_script_does_the_same(
    spark: Any, spark_engine: SparkEngine, tmp_path: Path, command: Command, operation: str | None
) -> None:
    root, before = make(FEATURED, tmp_path), rows_of(FEATURED)
    done = ScriptRun(0, OtherCommand(command), Moment(0))
    dialect = scripts.SPARK(ScriptedCase(FEATURED, str(root), (done,)))
    clock = dialect.clock(str(CLOCK), first=True)
    pieces = dialect.command(done)
    lines = "\n".join([*clock, *pieces.setup, pieces.text, *pieces.cleanup])
    exec(scripts.runnable(lines, dialect), {"ROOT": str(root), "spark": spark, "before_0": 0})
    assert operations(root)[-1:] == ([] if operation is None else [operation])
    assert read(spark_engine, root) == rows_after(command, FEATURED, before, restored=rows_of(FEATURED, 0))
    assert {path.name for path in root.parent.iterdir()} - {"table", "table-beside"} == set()
