"""Scripts do on Spark what the adapter does: one command of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deltalog.log import read_log
from engines.dialect import ScriptedCase, ScriptRun
from engines.spark.adapter import SparkEngine
from model.prediction.commands import rows_after
from model.prediction.history import hidden_rows, live_ids, visible_rows
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    DropColumn,
    DropFeature,
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
    WidenColumn,
)
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Moment, OtherCommand, Read
from model.vocabulary.table import DAY, Column, Commit, DataFile, DeletionVector, Feature, Removal, Table
from model.vocabulary.values import Row, Type
from tests import scripts
from tests.builders.merges import merge
from tests.builders.observations import make

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.slow]

START = 1_600_000_000_000  # in the past, so that no log file that a command writes has expired by it
CLOCK = START + 1000


def file(id: int, p: str | None, *rows: Row) -> DataFile:
    return DataFile(id, (p,), rows, modified=-DAY)


#: Three live files, two of them in one partition; a file that was removed; rows 2 and 4 are deleted by vectors.
TABLE = Table(
    columns=(
        *(Column("id", Type.INTEGER), Column("v", Type.STRING)),
        *(Column("n", Type.SHORT), Column("p", Type.STRING)),
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
        Commit(
            at=-DAY,
            removes=(Removal(3, -DAY),),
            deletion_vectors=(DeletionVector(0, (1,), deleted=-DAY), DeletionVector(2, (0,), deleted=-DAY)),
        ),
    ),
    features=tuple(
        feature.value
        for feature in (
            *(Feature.DELETION_VECTORS, Feature.COLUMN_MAPPING_NAME, Feature.CHANGE_DATA_FEED, Feature.ROW_TRACKING),
            *(Feature.IN_COMMIT_TIMESTAMPS, Feature.V2_CHECKPOINTS, Feature.CHECKSUMS),
        )
    ),
)

X = Compare("p", Op.EQ, "x", Type.STRING)
FIRST = Compare("id", Op.LE, 1, Type.INTEGER)
ROW: Row = (9, "it's", None, "x")

#: One command of each kind, and the operation of its last commit; None without one in the table.
COMMANDS: list[tuple[Command, str | None]] = [
    (Optimize(), "OPTIMIZE"),
    (Update(Assignment("v", Type.STRING, "new"), FIRST), "UPDATE"),
    (merge(FIRST, Assignment("n", Type.SHORT, 7), (ROW,)), "MERGE"),
    (Overwrite((ROW,), X), "WRITE"),
    (StreamAppend((ROW, (None, None, 3, None))), "STREAMING UPDATE"),
    (Restore(0), "RESTORE"),
    (AddColumn(Column("c d", Type.DOUBLE)), "ADD COLUMNS"),
    (RenameColumn("p", "q r"), "RENAME COLUMN"),
    (DropColumn("v"), "DROP COLUMNS"),
    (WidenColumn("n"), "CHANGE COLUMN"),
    (Purge(), "REORG"),
    *((command, None) for command in (Checkpoint(), CompactLog(), CleanUpLog(), ShallowClone())),
    (SetRetention(200), "SET TBLPROPERTIES"),
    (Switch(Feature.CHANGE_DATA_FEED, on=False), "SET TBLPROPERTIES"),
    (DropFeature(Feature.ROW_TRACKING), "DROP FEATURE"),
]


def rows_of(table: Table, version: int | None = None) -> Counter[Row]:
    hidden, live = hidden_rows(table, version), live_ids(table, version)
    return Counter(
        table.row(file.partition, row)
        for file in table.files
        if file.id in live
        for row in visible_rows(file, hidden.get(file.id, frozenset()))
    )


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
@pytest.mark.parametrize(("command", "operation"), COMMANDS)
def test_a_script_does_the_same(
    spark: Any, spark_engine: SparkEngine, tmp_path: Path, command: Command, operation: str | None
) -> None:
    root = make(TABLE, tmp_path, start=START)
    done = ScriptRun(0, OtherCommand(command), Moment(0))
    dialect = scripts.SPARK(ScriptedCase(TABLE, str(root), (done,)))
    clock = dialect.clock(str(CLOCK), first=True)
    pieces = dialect.command(done)
    lines = "\n".join([*clock, *pieces.setup, pieces.text, *pieces.cleanup])
    exec(scripts.runnable(lines, dialect), {"ROOT": str(root), "spark": spark, "before_0": 0})
    infos = [one.info.fields for version, one in read_log(root).commits.items() if version > 2 and one.info]
    assert {info["timestamp"] for info in infos} <= {CLOCK}
    assert [info["operation"] for info in infos][-1:] == ([] if operation is None else [operation])
    read = spark_engine.run(root, Read(), clock=CLOCK, version=None)
    assert read.error is None, read.error
    assert Counter(read.rows) == rows_after(command, TABLE, rows_of(TABLE), restored=rows_of(TABLE, 0))
    assert {path.name for path in root.parent.iterdir()} - {"table", "table-beside"} == set()
