"""Commands other than DELETE and VACUUM on delta-rs: the calls that it makes, and what they do to a table."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Field, QueryBuilder, write_deltalake
from deltalake.schema import PrimitiveType

from deltalog.storage.names import compacted_name
from engines.deltalake.adapter import DeltalakeEngine
from engines.deltalake.capabilities import capabilities_of
from engines.deltalake.commands import calls_of
from engines.deltalake.script_functions import as_of
from engines.dialect import ScriptedCase, ScriptRun
from engines.port import Outcome
from harness.running.judge import JudgedCase
from model.prediction.commands import rows_after
from model.vocabulary.case import Case
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    AsWritten,
    Checkpoint,
    CleanUpLog,
    Command,
    CommandKind,
    CompactLog,
    Optimize,
    Overwrite,
    Purge,
    Restore,
    SetRetention,
    Switch,
    Update,
    When,
    kind_of,
)
from model.vocabulary.predicate import And, Compare, In, IsNull, Not, Op, Or, Predicate
from model.vocabulary.steps import Moment, OtherCommand, Read
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import ArrayOf, DecimalOf, Row, StructOf, Type
from reports.counterexamples.plan import rows_file_of
from tests import scripts
from tests.builders.merges import merge
from tests.builders.observations import make
from tests.slow import slow_after

TABLE = Table(
    columns=(Column("p", Type.STRING), Column("v", Type.INTEGER), Column("a.b", Type.STRING)),
    partition_by=("p",),
    files=(
        DataFile(0, ("a",), ((1, "x"), (2, "y"), (None, None)), -9 * DAY),
        DataFile(1, ("a",), ((1, "z"),), -9 * DAY),
        DataFile(2, ("b",), ((4, "it's"),), -9 * DAY),
        DataFile(3, ("b",), ((5, ""),), -9 * DAY),
    ),
    commits=(Commit(-8 * DAY, adds=(0, 1)), Commit(-HOUR, adds=(2, 3))),
)
ONE, IN_A = Compare("v", Op.EQ, 1, Type.INTEGER), Compare("p", Op.EQ, "a", Type.STRING)
NESTED = Column("n w", StructOf((("x", Type.LONG), ("y", DecimalOf(9, 2))), required=("x",)))
NEW: Row = ("c", 7, "new")


def written(table: Table, directory: Path) -> Path:
    return make(table, directory, start=time.time_ns() // 1_000_000)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(TABLE, tmp_path)


def run(engine: DeltalakeEngine, root: Path, command: Command, version: int | None = None) -> Outcome:
    return engine.run(root, OtherCommand(command), clock=0, version=version)


def rows(engine: DeltalakeEngine, root: Path, version: int | None = None) -> Counter[Row]:
    read = engine.run(root, Read(), clock=0, version=version)
    assert read.error is None, read.error
    return Counter(read.rows)


def rows_of(table: Table, *ids: int) -> Counter[Row]:
    return Counter(table.row(file.partition, row) for file in table.files if file.id in ids for row in file.rows)


BEFORE = rows_of(TABLE, 0, 1, 2, 3)


COMMANDS: tuple[Command, ...] = (
    Optimize(),
    Optimize(IN_A),
    Optimize(And(IN_A, In("p", ("a", "b"), Type.STRING)), zorder_by=("v",)),
    Optimize(Or(IN_A, IsNull("p"))),
    *(Optimize(Compare("p", op, "a", Type.STRING)) for op in Op),
    Optimize(Not(In("p", ("a", "b"), Type.STRING)), target_size=1000),
    Optimize(zorder_by=("v",), target_size=1000),
    Update(Assignment("v", Type.INTEGER, 9)),
    Update(Assignment("a.b", Type.STRING, "o'clock"), ONE),
    Update(Assignment("v", Type.INTEGER, None), IN_A),
    Update(Assignment("p", Type.STRING, "c"), ONE),
    Update(
        Assignment("v", Type.INTEGER, None),
        ONE,
        (Assignment("p", Type.STRING, "b"), Assignment("a.b", Type.STRING, "")),
    ),
    merge(ONE),
    merge(ONE, when=When.MATCHED),
    merge(ONE, when=When.BY_SOURCE),
    merge(ONE, Assignment("v", Type.INTEGER, 8), when=When.BY_SOURCE),
    merge(ONE, Assignment("v", Type.INTEGER, 8), (NEW,)),
    merge(Compare("v", Op.EQ, 100, Type.INTEGER), None, (NEW,)),
    merge(Compare("a.b", Op.EQ, "it's", Type.STRING), Assignment("a.b", Type.STRING, None)),
    Overwrite((NEW, NEW)),
    Overwrite(()),
    Overwrite((("a", None, None),), IN_A),
    Overwrite((), IN_A),
    Overwrite(((*NEW, 5),), adds=Column("n", Type.LONG)),
    Checkpoint(),
    CompactLog(),
    CleanUpLog(),
    SetRetention(24),
    Switch(Feature.CHANGE_DATA_FEED, on=True),
    Switch(Feature.DELETION_VECTORS, on=True),
    AddColumn(Column("new", DecimalOf(5, 2))),
    AddColumn(Column("new", ArrayOf(StructOf((("x", Type.LONG),))))),
    AsWritten("table.optimize.compact(writer_properties=WriterProperties(compression='ZSTD'))", python=True),
)


def skip_unless_known(engine: DeltalakeEngine, *commands: Command) -> None:
    known = engine.capabilities
    features = {command.feature for command in commands if isinstance(command, Switch)}
    if not ({kind_of(command) for command in commands} <= known.commands and features <= known.features):
        pytest.skip("this release does not have the command")


OLD_COMMITS = (
    *(Commit(-60 * DAY + number * HOUR, adds=(number,), checkpoint=number == 2) for number in range(3)),
    Commit(-HOUR, adds=(3,)),
)
AGED = replace(TABLE, commits=(Commit(-3 * DAY, adds=(0, 1)), Commit(-2 * DAY, adds=(2, 3), checkpoint=True)))
OFF = Switch(Feature.CHANGE_DATA_FEED, on=False)

#: Commands one after the other.
PROGRAMS: dict[str, tuple[Table, tuple[Command, ...]]] = {
    **{str(command): (TABLE, (command,)) for command in COMMANDS},
    "there and back": (TABLE, (Update(Assignment("v", Type.INTEGER, 9)), Restore(0), Restore(1), Restore(-1))),
    "on and off": (TABLE, (Switch(Feature.CHANGE_DATA_FEED, on=True), OFF, SetRetention(5, of_log=True))),
    "a column, and rows of it": (TABLE, (AddColumn(NESTED), Overwrite((), IN_A))),
    "a clean-up of what is old": (replace(TABLE, commits=OLD_COMMITS), (CleanUpLog(),)),
    "a checkpoint twice": (AGED, (Checkpoint(), Checkpoint())),
    "a log compaction twice": (AGED, (CompactLog(), CompactLog())),
    "a retention, and a clean-up by it": (AGED, (SetRetention(24, of_log=True), CleanUpLog())),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_commands_do_what_the_model_says(
    engine: DeltalakeEngine, judged: Callable[[Case], JudgedCase], name: str
) -> None:
    table, commands = PROGRAMS[name]
    skip_unless_known(engine, *commands)
    found = judged(Case(table, (*map(OtherCommand, commands), Read())))
    assert found.tallies["LIFE-1A"].met
    assert "LIFE-3C" in found.tallies or Checkpoint() not in commands


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (Checkpoint(), f"{3:020}.checkpoint.parquet"),
        (CompactLog(), compacted_name(0, 3)),
        (CompactLog(but_newest=1), compacted_name(0, 2)),
        (CompactLog(4, 2), compacted_name(0, 1)),
        (CompactLog(3, 1), compacted_name(1, 2)),
        (CompactLog(but_newest=3), None),  # of one commit
        (CompactLog(but_newest=9), None),
    ],
    ids=str,
)
def test_what_a_command_adds_to_the_log(
    command: Command, name: str | None, engine: DeltalakeEngine, tmp_path: Path
) -> None:
    commits = tuple(Commit(-HOUR + number, adds=(number,)) for number in range(4))
    root = written(replace(TABLE, commits=commits), tmp_path)
    skip_unless_known(engine, command)
    before = {path.name for path in (root / "_delta_log").iterdir()}
    assert run(engine, root, command).error is None
    new = {path.name for path in (root / "_delta_log").iterdir()} - before - {"_last_checkpoint"}
    assert new == ({name} if name else set())


#: One of each kind; the others run at night.
SCRIPTED = [*{kind_of(command): command for command in (*COMMANDS, Restore(0))}.values()]
OTHERS = [command for command in COMMANDS if command not in SCRIPTED]


@pytest.mark.parametrize("command", slow_after(len(SCRIPTED), [*SCRIPTED, *OTHERS]), ids=str)
def test_a_script_does_the_same(engine: DeltalakeEngine, root: Path, command: Command) -> None:
    """The lines of the command, run with the names that they use."""
    skip_unless_known(engine, command)
    run = ScriptRun(0, OtherCommand(command), Moment(0), rows_file=rows_file_of(TABLE, OtherCommand(command)))
    scripted = scripts.DELTA_RS(ScriptedCase(TABLE, str(root), (run,)))
    written = scripted.command(run)
    scope: dict[str, Any] = {"ROOT": str(root), "before_0": 0}
    exec(scripts.runnable("\n".join([*written.setup, written.text]), scripted), scope)
    after = rows_after(command, TABLE, BEFORE, restored=rows_of(TABLE, 0, 1))
    assert rows(engine, root) == after


@pytest.mark.parametrize(
    ("times", "target"),
    [((-5000, -4000), datetime), ((-5000, -5000), int), ((-4000, -5000), int)],
    ids=["told apart", "the same", "in another order"],
)
def test_a_restore_goes_by_a_time_that_tells_the_version(
    times: tuple[int, int], target: type, engine: DeltalakeEngine, root: Path
) -> None:
    now = time.time_ns() // 10**6
    for version, at in enumerate(times):
        os.utime(root / "_delta_log" / f"{version:020}.json", ns=((now + at) * 10**6,) * 2)
    assert type(as_of(str(root), 0)) is target and as_of(str(root), 9) == 9
    assert run(engine, root, Restore(0, by_time=True), version=0).error is None
    assert rows(engine, root) == rows_of(TABLE, 0, 1)


@pytest.mark.parametrize(
    ("where", "filters"),
    [
        (IN_A, [("p", "=", "a")]),
        (In("n", (1, 2), Type.INTEGER), [("n", "in", ["1", "2"])]),
        (And(IN_A, Compare("n", Op.EQ, 3, Type.INTEGER)), [("p", "=", "a"), ("n", "=", "3")]),
        (And(IN_A, IsNull("n")), None),
        (Compare("p", Op.GT, "a", Type.STRING), [("p", ">", "a")]),
        (Not(In("n", (1, 2), Type.INTEGER)), [("n", "not in", ["1", "2"])]),
        (Not(IN_A), None),
        (Compare("p", Op.EQ, None, Type.STRING), None),
        (In("p", ("a", None), Type.STRING), None),
        (Compare("b", Op.EQ, True, Type.BOOLEAN), None),
        (None, None),
    ],
    ids=str,
)
def test_conditions_on_partitions_that_filters_can_say(where: Predicate | None, filters: object) -> None:
    for columns in ((), ("v",)):
        (call,) = calls_of(Optimize(where, columns), [])
        assert call.arguments.get("partition_filters") == filters


def test_commands_that_the_package_lacks_are_not_in_its_capabilities() -> None:
    assert CommandKind.PURGE not in capabilities_of("1.6.6").commands
    assert capabilities_of("1.6.6").commands - capabilities_of("1.4.2").commands == {CommandKind.COMPACT_LOG}
    for command in (Purge(), Switch(Feature.ROW_TRACKING, on=True)):
        with pytest.raises(ValueError, match="deltalake has no such command"):
            calls_of(command, [])


@pytest.mark.parametrize("name", ["timestamp_nanos", "void"])
def test_a_column_without_values_of_a_type_that_the_model_has_not(tmp_path: Path, name: str) -> None:
    """The same DELETEs and VACUUM do the same to a table with it and without."""
    left = []
    for root in (tmp_path / "with", tmp_path / "without"):
        write_deltalake(str(root), pa.table({"id": list(range(9))}))
        if root.name == "with":
            DeltaTable(str(root)).alter.add_columns([Field("x", PrimitiveType(name))])
        counts = [DeltaTable(str(root)).delete(where)["num_deleted_rows"] for where in ("id = 3", "id > 5")]
        DeltaTable(str(root)).vacuum(0, dry_run=False, enforce_retention_duration=False)
        ids = QueryBuilder().register("t", DeltaTable(str(root))).execute("SELECT id FROM t")
        files = [path.name for path in root.glob("*.parquet")]
        assert [uri.rpartition("/")[2] for uri in DeltaTable(str(root)).file_uris()] == files
        left.append((counts, sorted(pa.table(ids)["id"].to_pylist())))
    assert left == [([1, 3], [0, 1, 2, 4, 5])] * 2
