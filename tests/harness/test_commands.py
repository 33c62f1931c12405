"""Other commands are adopted: DELETE, VACUUM and reads after them are judged by the table that they left."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deltalog.storage.times import set_modified
from engines.port import EngineError, Outcome, now
from engines.wrapped import WrappedEngine
from harness.observing.table.definitions import switched_as_logged
from harness.running.judge import Judge, JudgedCase
from model.codec import InvalidCase, from_json, to_json
from model.vocabulary.case import Case
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
    VacuumClone,
    WidenColumn,
)
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, Moment, OtherCommand, Read, Request, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, HOUR, Column, Commit, DataFile, DeletionVector, Feature, Table
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE
from tests.builders.merges import evolving, merge

PLAIN = Table(
    columns=(Column("p", Type.INTEGER), Column("v", Type.LONG), Column("w", Type.STRING)),
    partition_by=("p",),
    files=(
        DataFile(0, (1,), ((1, "a"), (2, "b")), -HOUR),
        DataFile(1, (2,), ((3, "c"), (4, "d")), -HOUR),
        DataFile(2, (1,), ((5, "e"), (6, "f")), -HOUR),
    ),
    commits=(Commit(-HOUR, (0, 1, 2)), Commit(1 - HOUR)),
)


def having(*features: Feature) -> Table:
    return replace(PLAIN, features=tuple(feature.value for feature in features))


VECTORS = replace(
    having(Feature.DELETION_VECTORS),
    commits=(Commit(-HOUR, (0, 1, 2)), Commit(1 - HOUR, deletion_vectors=(DeletionVector(0, (1,), -HOUR),))),
)
TABLES = {
    "plain": PLAIN,
    "vectors": VECTORS,
    "vectors and row tracking": replace(VECTORS, features=(Feature.DELETION_VECTORS.value, Feature.ROW_TRACKING.value)),
    "change feed": having(Feature.CHANGE_DATA_FEED),
    "column mapping": having(Feature.COLUMN_MAPPING_NAME),
    "in-commit timestamps": having(Feature.IN_COMMIT_TIMESTAMPS),
    "checksums and checkpoints": having(Feature.CHECKSUMS, Feature.FREQUENT_CHECKPOINTS),
    "checkpoints of version 2": having(Feature.V2_CHECKPOINTS, Feature.FREQUENT_CHECKPOINTS),
}


def equal(column: str, value: int, type: Type = Type.LONG) -> Compare:
    return Compare(column=column, op=Op.EQ, type=type, value=value)


def run(*commands: Command | Step) -> tuple[Step, ...]:
    steps = (Delete, Vacuum, Read, SetClock)
    return tuple(one if isinstance(one, steps) else OtherCommand(one) for one in commands)  # type: ignore[arg-type]


N = Column("n", Type.LONG)
IN_PARTITION = equal("p", 1, Type.INTEGER)
SEVEN = Assignment("v", Type.LONG, 7)
LATER = SetClock(Moment(40 * DAY))
PROGRAMS = {
    "OPTIMIZE": run(Optimize(), Optimize(where=IN_PARTITION), Optimize(zorder_by=("v",))),
    "PURGE": run(Delete(equal("v", 1)), Purge()),
    "RESTORE": run(Delete(equal("v", 1)), Restore(0), Delete(), Restore(2)),
    "RESTORE of a version of the initial table": run(Restore(-1), Delete(equal("v", 1)), Restore(0)),
    "RESTORE of what is gone": run(Delete(equal("v", 1)), LATER, Vacuum(), Restore(0)),
    "UPDATE": run(Update(SEVEN, IN_PARTITION), Update(SEVEN)),
    "UPDATE of the partition too": run(Update(SEVEN, equal("v", 1), (Assignment("p", Type.INTEGER, 2),))),
    "MERGE": run(merge(equal("v", 1)), merge(equal("v", 3), SEVEN), merge(equal("v", 9), insert=((1, 9, None),))),
    "MERGE with a new column": run(evolving(N, "v", (3, 1, "x", 5), (1, 9, None, 6)), Delete(equal("n", 5))),
    "MERGE that only adds a column": run(evolving(N, "v", (1, 99, None, 5), inserts=False), Delete()),
    "overwrite": run(Overwrite(((1, 8, "x"),), IN_PARTITION), Overwrite(((3, 9, "y"),))),
    "overwrite of partitions": run(Overwrite(((1, 8, "x"), (3, 9, "y")), dynamic=True), Delete(equal("v", 8))),
    "overwrite with a new column": run(Overwrite(((1, 8, "x", 5),), adds=N), Delete(equal("n", 5))),
    "streaming append": run(StreamAppend(((1, 8, "x"),))),
    "checkpoint": run(Checkpoint(), Delete(equal("v", 1)), Checkpoint()),
    "log compaction": run(Delete(equal("v", 1)), CompactLog()),
    "log compaction of a range": run(
        Delete(equal("v", 1)), Delete(equal("v", 3)), CompactLog(3, 1), CompactLog(2, 1), Read()
    ),
    "log clean-up": run(Delete(equal("v", 1)), Checkpoint(), Delete(equal("v", 3)), LATER, CleanUpLog(), Read()),
    "retention": run(Delete(equal("v", 1)), SetRetention(5), SetRetention(48, of_log=True), LATER, Vacuum()),
    "vectors on and off": run(
        Switch(Feature.DELETION_VECTORS, on=True), Delete(equal("v", 1)), Switch(Feature.DELETION_VECTORS, on=False)
    ),
    "DROP FEATURE": run(Delete(equal("v", 1)), DropFeature(Feature.DELETION_VECTORS)),
    "change feed on": run(Switch(Feature.CHANGE_DATA_FEED, on=True), Delete(equal("v", 1))),
    "ADD COLUMN": run(AddColumn(N), Update(Assignment("n", Type.LONG, 1), IN_PARTITION)),
    "RENAME COLUMN": run(RenameColumn("v", "x"), Delete(equal("x", 1))),
    "DROP COLUMN": run(DropColumn("w"), Delete(equal("v", 1))),
    "columns back": run(DropColumn("w"), Delete(equal("v", 1)), Restore(0)),
    "widening": run(WidenColumn("p"), Delete(equal("p", 1))),
    "clone": run(ShallowClone(), Delete(equal("p", 1, Type.INTEGER)), VacuumClone(), Vacuum()),
}


def judged(engine: ReferenceEngine | WrappedEngine, case: Case, directory: Path) -> JudgedCase:
    found = Judge(engine, list(CATALOGUE.values()), directory).judge(case)
    assert found.failure is None, found.failure.log
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", TABLES)
def test_no_clause_accuses_a_right_engine(name: str, tmp_path: Path) -> None:
    met: set[str] = set()
    for program in PROGRAMS.values():
        case = Case(TABLES[name], (*program, Delete(), Vacuum(), Read(), Read(before_step=0)))
        try:
            assert from_json(to_json(case)) == case
        except InvalidCase:
            continue  # a command that this table cannot have
        found = judged(ReferenceEngine(), case, tmp_path)
        assert not found.violated, [(wrong.clause, wrong.step, wrong.message) for wrong in found.wrong]
        assert len(found.steps) == sum(not isinstance(step, SetClock) for step in case.steps)
        met |= {id for id in found.tallies if id.startswith("LIFE")}
    assert met >= {"LIFE-1A", "LIFE-1B", "LIFE-1C", "LIFE-1D", "LIFE-1E", "LIFE-1F", "LIFE-2A", "LIFE-2B", "LIFE-3A"}


class Refusing(WrappedEngine):
    """Refuses every command that is neither DELETE nor VACUUM."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if isinstance(step, OtherCommand):
            outcome = self._engine.run(root, Read(), clock=clock, version=None)
            return replace(outcome, rows=(), error=EngineError("Unsupported", None, None, "not here"))
        return self._engine.run(root, step, clock=clock, version=version)


def test_after_a_refused_command_the_table_is_as_before(tmp_path: Path) -> None:
    case = Case(PLAIN, run(Update(SEVEN), Delete(equal("v", 1)), Read()))
    clauses = [clause for clause in CATALOGUE.values() if clause.id != "LIFE-1E"]
    found = Judge(Refusing(ReferenceEngine()), clauses, tmp_path).judge(case)
    assert found.failure is None
    assert not found.violated
    assert len(found.steps) == 3


def test_a_refused_change_of_columns_ends_the_case(tmp_path: Path) -> None:
    case = Case(PLAIN, run(AddColumn(Column("n", Type.LONG)), Delete(equal("n", 1)), Read()))
    found = judged(Refusing(ReferenceEngine()), case, tmp_path)
    assert found.violated == ["LIFE-1E"]
    assert len(found.steps) == 1


class LosesColumnMapping(WrappedEngine):
    """Takes column mapping out of the protocol when it changes it."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        if isinstance(step, OtherCommand):
            newest = max((root / "_delta_log").glob("[0-9]" * 20 + ".json"))
            newest.write_bytes(newest.read_bytes().replace(b'"columnMapping",', b""))
        return outcome


@pytest.mark.parametrize("mode", [Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID])
def test_a_table_whose_protocol_loses_column_mapping_has_lost_its_rows(mode: Feature, tmp_path: Path) -> None:
    case = Case(having(mode), run(Switch(Feature.DELETION_VECTORS, on=True), Vacuum(), Read()))
    found = judged(LosesColumnMapping(ReferenceEngine()), case, tmp_path)
    assert found.violated == ["LIFE-1A", "LIFE-1D"]
    assert len(found.steps) == 1


def test_a_table_without_rows_whose_protocol_loses_column_mapping_ends_the_case(tmp_path: Path) -> None:
    table = replace(having(Feature.COLUMN_MAPPING_NAME), files=(), commits=(Commit(-HOUR),))
    case = Case(table, run(Switch(Feature.DELETION_VECTORS, on=True), Vacuum(), Read()))
    clauses = [clause for clause in CATALOGUE.values() if clause.id != "LIFE-1D"]
    found = Judge(LosesColumnMapping(ReferenceEngine()), clauses, tmp_path).judge(case)
    assert not found.violated
    assert len(found.steps) == 1


class CleansUpByFileTimes(WrappedEngine):
    """Delta on Spark with its clock ahead: commits have the machine's time, and log clean-up goes by it (docs/delta.md 2.5)."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        log = root / "_delta_log"
        before = set(log.iterdir())
        outcome = super().run(root, step, clock=clock, version=version)
        commits = sorted(log.glob("[0-9]" * 20 + ".json"))
        for commit in set(commits) - before:
            set_modified(commit, now())
        if isinstance(step, OtherCommand):  # which has written a checkpoint
            for commit in commits[:-1]:
                commit.unlink()
        return outcome


@pytest.mark.parametrize("features", [(), (Feature.IN_COMMIT_TIMESTAMPS,)], ids=["by file", "in commit"])
@pytest.mark.parametrize("command", [Update(SEVEN, IN_PARTITION), Checkpoint()], ids=["UPDATE", "checkpoint"])
def test_a_version_is_lost_only_if_it_is_young_by_its_file_too(
    features: tuple[Feature, ...], command: Command, tmp_path: Path
) -> None:
    """In-commit timestamps may say that versions are young; the times of their files do not."""
    program = run(SetClock(Moment(407 * DAY)), Delete(equal("v", 1)), Delete(equal("v", 3)), command)
    case = Case(having(Feature.FREQUENT_CHECKPOINTS, *features), program)
    found = judged(CleansUpByFileTimes(ReferenceEngine()), case, tmp_path)
    assert len(found.steps) == 3
    assert not found.violated, found.wrong


def test_a_version_that_is_older_than_the_retention_may_go(tmp_path: Path) -> None:
    """Also the newest of them, which was the current one when the retention of the log began (docs/delta.md 2.5)."""
    table = having(Feature.FREQUENT_CHECKPOINTS)
    old = replace(table, commits=tuple(replace(commit, at=commit.at - 50 * DAY) for commit in table.commits))
    found = judged(CleansUpByFileTimes(ReferenceEngine()), Case(old, run(Update(SEVEN, IN_PARTITION))), tmp_path)
    assert not found.violated, found.wrong


def test_what_is_written_in_the_engines_own_words_switches_what_the_log_switches() -> None:
    on = switched_as_logged(PLAIN, {"delta.enableChangeDataFeed": "TRUE", "delta.enableDeletionVectors": "false"})
    assert on.has(Feature.CHANGE_DATA_FEED) and not on.has(Feature.DELETION_VECTORS)
    assert not switched_as_logged(on, {}).has(Feature.CHANGE_DATA_FEED)
