"""How a case is run and judged, on the reference engine: its directory, its clock, where it ends, and what is recorded."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from deltalog.checkpoints.writing import write_checkpoint
from deltalog.log import read_log
from engines.deltalake.capabilities import NEWEST
from engines.port import EngineDied, EngineError, Outcome, now
from faults import FAULTS, KnownBadEngine
from harness.campaigns.record import case_record
from harness.observing.record.recorded_texts import recorded_message
from harness.observing.steps.observation import Observation, ReadObservation
from harness.running.coverage import Cell
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, IsNull, Not, Op, Or
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import (
    AddStrayFiles,
    Append,
    Delete,
    Moment,
    Read,
    Request,
    SetClock,
    Step,
    Vacuum,
)
from model.vocabulary.table import DAY, HOUR, WEEK, Column, Commit, DataFile, Kind, Reference, Removal, StrayFile, Table
from model.vocabulary.values import Type
from records import run
from reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE, promised
from tests.builders.observations import full_judge

ID = Column("id", Type.INTEGER)
TABLE = Table(
    columns=(ID,),
    partition_by=(),
    files=(
        DataFile(0, (), ((1,), (2,)), -3 * WEEK),
        DataFile(1, (), ((3,), (None,)), -3 * WEEK),
        DataFile(2, (), ((9,),), -3 * WEEK),
    ),
    commits=(Commit(-2 * HOUR, adds=(0, 1, 2)), Commit(-HOUR, removes=(Removal(2, -2 * WEEK),))),
    stray_files=(StrayFile("old.tmp", modified=-2 * WEEK),),
)
SMALL = Delete(Compare("id", Op.LE, 1, Type.INTEGER))
CASE = Case(TABLE, (SMALL, Read(), Read(before_step=0), Vacuum(dry_run=True), Vacuum(), Vacuum(), Read()))

#: Files inside and outside the root, something beside it, and a log that begins at version 1.
PLACED = Table(
    (Column("v", Type.INTEGER),),
    (),
    tuple(
        DataFile(id, (), ((id,),), -4 * WEEK, reference=reference)
        for id, reference in enumerate((Reference.RELATIVE, Reference.ABSOLUTE, Reference.OUTSIDE, Reference.RELATIVE))
    ),
    (
        Commit(-3 * WEEK, adds=(0, 1, 2, 3)),
        Commit(-2 * WEEK, removes=(Removal(3, -2 * WEEK),), checkpoint=True),
        Commit(-DAY),
    ),
    stray_files=(StrayFile("../around/f"), StrayFile("old", modified=-4 * WEEK)),
    pruned=1,
)


class Watched(ReferenceEngine):
    """The reference engine, with every call noted and what lies around the table; dies at the first ``deaths`` steps."""

    def __init__(self, *, deaths: int = 0) -> None:
        super().__init__()
        self.deaths = deaths
        self.calls: list[tuple[Path, Request, int, int | None]] = []
        self.around: set[str] = set()

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        self.calls.append((root, step, clock, version))
        self.around |= {path.name for path in root.parent.iterdir()}
        if self.deaths:
            self.deaths -= 1
            raise EngineDied("DELETE took the JVM with it\nits log")
        return super().run(root, step, clock=clock, version=version)


def observations(directory: Path, *steps: Step) -> list[Observation]:
    judge = full_judge(ReferenceEngine(), directory)
    run = judge.start(PLACED, judge.new_root())
    for step in steps:
        run.take(step)
    assert not any(tally.violations for tally in run.tallies.values())
    return run.observations


# Where, and with what -----------------------------------------------------------------------------------------------


def test_a_case_has_a_directory_of_its_own_and_leaves_nothing(tmp_path: Path) -> None:
    engine = Watched()
    judge = full_judge(engine, tmp_path)
    for _ in range(2):
        result = judge.judge(Case(PLACED, (Vacuum(), Read())))
        assert result.failure is None and not result.violated
    assert [root for root, *_ in engine.calls] == [tmp_path / f"case-{number}" / "table" for number in (1, 1, 2, 2)]
    assert engine.around == {"table", "around", "elsewhere"}
    assert not list(tmp_path.iterdir())


def test_the_engine_is_given_the_clock_and_the_version(tmp_path: Path) -> None:
    engine = Watched()
    before = time.time_ns() // 1_000_000
    case = Case(TABLE, (SMALL, SetClock(Moment(HOUR)), Read(before_step=0), Read(), SetClock(Moment(5, 0)), Vacuum()))
    assert not full_judge(engine, tmp_path).judge(case).violated
    after = time.time_ns() // 1_000_000
    clocks = [clock for _, _, clock, _ in engine.calls]
    assert before <= clocks[0] <= after
    assert [clock - clocks[0] for clock in clocks[:3]] == [0, HOUR, HOUR]
    assert clocks[0] + 5 <= clocks[3] <= after + 5, "the clock is 5 ms after the deletionTimestamp of the DELETE"
    assert [version for _, _, _, version in engine.calls] == [None, 1, None, None]
    assert len({root for root, _, _, _ in engine.calls}) == 1


def test_a_clock_after_a_step_that_removed_nothing_counts_from_its_start(tmp_path: Path) -> None:
    engine, nothing = Watched(), Delete(Compare("id", Op.GT, 100, Type.INTEGER))
    full_judge(engine, tmp_path).judge(Case(TABLE, (nothing, SetClock(Moment(7, 0)), Vacuum())))
    assert engine.calls[1][2] == engine.calls[0][2] + 7


def test_versions_that_the_log_has_lost_are_not_expected(tmp_path: Path) -> None:
    (read,) = observations(tmp_path, Read())
    assert isinstance(read, ReadObservation) and sorted(read.versions) == [1, 2]
    assert read.rows == read.expected_version.rows and len(read.rows) == 3


def test_appended_and_stray_files_may_lie_beside_the_table(tmp_path: Path) -> None:
    appended = DataFile(9, (), ((9,),), 0, reference=Reference.OUTSIDE)
    stray_files = (StrayFile("../around/g"), StrayFile("link", Kind.LINK, size=0, target="../around/g"))
    (read,) = observations(tmp_path, Append((appended,)), AddStrayFiles(stray_files), Read())
    assert {"../around/f", "../around/g"} <= set(read.before.beside) and read.before.target("link") == "../around/g"
    assert any("part-00009" in path for path in read.before.live) and len(read.outcome.rows) == 4


# What is observed and recorded --------------------------------------------------------------------------------------


def test_a_record_has_every_step_of_the_engine(tmp_path: Path) -> None:
    result = full_judge(ReferenceEngine(), tmp_path).judge(CASE)
    assert not result.violated
    kinds = ["delete", "read", "read", "vacuum", "vacuum", "vacuum", "read"]
    assert [(step.index, step.kind) for step in result.steps] == list(enumerate(kinds))
    assert result.steps[0].observed.version == (1, 2)
    assert result.steps[1].outcome.rows == [[2], [3], [None]]
    assert result.steps[2].outcome.rows == [[1], [2], [3], [None]]
    removed = "part-00002-00000002-0000-4000-8000-000000000000.c000.snappy.parquet"
    assert result.steps[3].outcome.rows == ["old.tmp", removed]
    assert result.steps[4].observed.operations == ("VACUUM START", "VACUUM END")


def test_records_do_not_depend_on_the_run(tmp_path: Path) -> None:
    def records(name: str) -> list[run.RecordedStep]:
        steps = full_judge(ReferenceEngine(), tmp_path / name).judge(CASE).steps
        return [replace(step, seconds=0) for step in steps]

    assert records("first") == records("second")


@pytest.mark.parametrize(
    ("file", "kept"),
    [
        ("{root}/p=a b/%2E q=1/part-00003-0-c000.snappy.parquet", "table/"),
        ("_change_data/p=C%3Ax/part-00001-0-c000.snappy.parquet", "_change_data/"),
        ("p=x/part-00001-0-c000.snappy.parquet", ""),
    ],
)
def test_the_record_of_an_error_names_no_file_that_is_one_of_several(file: str, kept: str, tmp_path: Path) -> None:
    """Which of the files that are read at the same time is missed first differs from run to run."""

    class MissesAFile(ReferenceEngine):
        def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
            error = EngineError("Exception", None, None, f"Object at {file.format(root=root)} not found: x=1")
            return replace(super().run(root, step, clock=clock, version=version), rows=(), error=error)

    (step,) = Judge(MissesAFile(), [], tmp_path).judge(Case(TABLE, (Read(),))).steps
    assert step.outcome.error is not None and step.outcome.error.message.endswith(
        f"{kept}part-*.parquet not found: x=1"
    )


def test_the_record_of_an_error_does_not_say_which_of_two_readers_met_it() -> None:
    whole = "Parquet error: Failed to fetch metadata for file"
    observation = SimpleNamespace(root="/case/table")
    for first in ("Failed to parse parquet: ", "Generic DeltaTable error: Parquet error: "):
        assert recorded_message(observation, f"{first}{whole}") == whole  # type: ignore[arg-type]


def test_coverage_is_summed_and_recorded(tmp_path: Path) -> None:
    result = full_judge(ReferenceEngine(), tmp_path).judge(Case(PLACED, (Vacuum(dry_run=True), Vacuum(), Vacuum())))
    assert result.coverage[Cell("vacuums", "table's default", "default")] == 3
    paths = {"orphaned file": {"delete": 1}, "live add by URI": {"keep": 2}}
    line = case_record(result, campaign="c", batch=0, index=0, origin="generated")
    assert line.coverage["vacuums"] == {"table's default": {"default": 3}}
    assert paths.items() <= line.coverage["paths"].items()
    vanished = line.steps[1].observed.vanished
    assert "old" in vanished and len(vanished) == 2


# Where a case ends --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "listed", "violated", "judged_steps"),
    [
        ("removes-without-time", [], "DEL-REM-1A", 1),
        ("says-blind-append", ["DEL-INFO-1B"], "DEL-INFO-1B", len(CASE.steps)),
        ("breaks-the-log", list(CATALOGUE), "DEL-PHYS-3", 1),
    ],
    ids=["at a violation", "not at a known fault", "at a broken table, even by a known fault"],
)
def test_where_a_case_ends(fault: str, listed: list[str], violated: str, judged_steps: int, tmp_path: Path) -> None:
    result = full_judge(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), tmp_path, listed).judge(CASE)
    assert result.violated == [violated]
    assert [step.index for step in result.steps] == list(range(judged_steps))


def test_an_engine_that_dies_gets_a_second_chance_on_a_fresh_table(tmp_path: Path) -> None:
    engine = Watched(deaths=1)
    result = full_judge(engine, tmp_path).judge(CASE)
    assert result.failure is None and not result.violated
    assert engine.calls[0][0] != engine.calls[1][0]
    assert engine.calls[0][1] == engine.calls[1][1] == SMALL


def test_an_engine_that_dies_twice_is_a_failure_with_its_log(tmp_path: Path) -> None:
    result = full_judge(Watched(deaths=2), tmp_path).judge(CASE)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.message) == ("engine-died", "DELETE took the JVM with it")
    assert result.failure.log.endswith("its log")
    assert not result.tallies and not result.steps


# What is judged -----------------------------------------------------------------------------------------------------


def test_a_clause_that_is_not_recorded_ends_the_case_too(tmp_path: Path) -> None:
    """What a table should be after a DELETE that went wrong is not known: judged on it, a right VACUUM would be wrong."""
    clauses = [replace(clause, recorded=id == "VAC-SAFE-1") for id, clause in CATALOGUE.items()]
    right = Judge(ReferenceEngine(), clauses, tmp_path / "right").judge(CASE)
    assert right.tallies.keys() == {"VAC-SAFE-1"} and len(right.steps) == len(CASE.steps)
    faulty = KnownBadEngine(ReferenceEngine(), FAULTS["removes-without-time"])
    wrong = Judge(faulty, clauses, tmp_path / "wrong").judge(CASE)
    assert wrong.tallies == {} and len(wrong.steps) == 1


class CleansUp(ReferenceEngine):
    """Writes a checkpoint after every VACUUM, and then deletes the commits before it."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        if isinstance(step, Vacuum) and not step.dry_run:
            log = read_log(root)
            write_checkpoint(root, log.snapshot())
            for number in range(log.version):
                (root / "_delta_log" / f"{number:020d}.json").unlink()
        return outcome


def test_log_cleanup_right_after_a_vacuum_is_no_fault(tmp_path: Path) -> None:
    # On Delta: the checkpoint of version 10 deletes VACUUM START too, where the clock is far beyond the log's retention.
    case = Case(TABLE, (SMALL, SetClock(Moment(60 * WEEK)), Vacuum(), Read()))
    result = full_judge(CleansUp(), tmp_path).judge(case)
    assert result.failure is None
    assert not result.violated
    assert result.tallies["VAC-LOG-1A"].met == 1


def test_without_a_settable_clock_the_cutoff_lies_within_the_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file whose retention ends while the step runs may be deleted."""
    table = Table(
        columns=(Column("v", Type.INTEGER),),
        partition_by=(),
        files=(DataFile(0, (), ((1,),), -2 * WEEK), DataFile(1, (), ((2,),), -2 * WEEK)),
        commits=(
            Commit(-WEEK + HOUR, adds=(0, 1)),
            Commit(-WEEK + 2 * HOUR, removes=(Removal(1, -WEEK + 2 * HOUR),)),
        ),
    )
    monkeypatch.setattr("reference_engine.engine.now", lambda: now() + 3 * HOUR)
    engine = ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST)
    judged = Judge(engine, promised(engine), tmp_path).judge(Case(table, (Vacuum(),)))
    assert judged.failure is None and not judged.violated
    assert judged.steps[0].observed.vanished, "the removed file is deleted"


def test_an_engine_need_not_notice_that_a_condition_is_constant(tmp_path: Path) -> None:
    """The reference engine reads the rows, so a file without rows stays."""
    table = replace(TABLE, files=(*TABLE.files, DataFile(3, (), (), -3 * WEEK)), commits=(Commit(-2, adds=(0, 1, 3)),))
    judged = full_judge(ReferenceEngine(), tmp_path).judge(
        Case(table, (Delete(Or(IsNull("id"), Not(IsNull("id")))), Read()))
    )
    assert not judged.violated
    assert len(judged.steps[0].observed.removed) == 2
