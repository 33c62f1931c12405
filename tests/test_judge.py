"""The judge on the reference engine: right outcomes pass every clause, and every fault is noticed by its clauses."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from deltalog.checkpoints import write_checkpoint
from deltalog.log import read_log
from engines.deltalake.capabilities import NEWEST
from engines.port import Engine, EngineDied, Outcome, now
from harness.judge import Judge, JudgedCase
from model.capabilities import EVERYTHING
from model.case import Case
from model.predicate import Compare, Op
from model.rules import DELTA_RS, SPARK
from model.steps import (
    ENGINE_STEPS,
    AddStrayFiles,
    Append,
    Delete,
    EngineStep,
    InvalidVacuum,
    Moment,
    Read,
    SetClock,
    Vacuum,
)
from model.table import HOUR, WEEK, Column, Commit, DataFile, Removal, StrayFile, Table
from model.values import Type
from selfcheck.faults import FAULTS, Fault, KnownBadEngine
from selfcheck.reference_engine import Habits, ReferenceEngine
from suites.campaigns import CAMPAIGNS, Campaign
from suites.catalogue import CATALOGUE, unsupported

#: The tests share drawn cases: one worker of pytest-xdist does them all.
pytestmark = pytest.mark.xdist_group("judge")

HABITS = [Habits(*choices) for choices in product((False, True), repeat=4)]

#: Hypothesis varies a case some five times before it draws a new one, so several seeds give more kinds of cases than one.
SEEDS, CASES = 3, 25


@cache
def drawn(campaign: Campaign) -> tuple[Case, ...]:
    """Up to seventy-five cases, the same ones on every run."""
    found: list[Case] = []
    for number in range(SEEDS):

        @seed(number)
        @settings(
            max_examples=CASES,
            phases=(Phase.generate,),
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(campaign.cases)
        def draw(case: Case) -> None:
            found.append(case)

        draw()
    return tuple(found)


def judge(engine: Engine, directory: Path, **listed: Any) -> Judge:
    return Judge(engine, list(CATALOGUE.values()), directory, **listed)


@cache
def judged(campaign: Campaign, directory: Path) -> tuple[JudgedCase, ...]:
    """The drawn cases, judged on the right engine; its habits take turns."""
    judges = [judge(ReferenceEngine(habits), directory / str(number)) for number, habits in enumerate(HABITS)]
    return tuple(judges[number % len(HABITS)].judge(case) for number, case in enumerate(drawn(campaign)))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("judge")


# What is right passes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda campaign: campaign.name)
def test_a_right_engine_keeps_every_clause(campaign: Campaign, directory: Path) -> None:
    results = judged(campaign, directory)
    assert len(results) >= 55
    for result in results:
        assert result.failure is None, result.failure
        told = {id: result.tallies[id].violations for id in result.violated}
        assert not told, f"{result.case}: {told}"
        run = [step for step in result.case.steps if isinstance(step, ENGINE_STEPS)]
        assert len(result.steps) == len(run), "a case that breaks nothing is run to its end"


def test_the_campaigns_meet_every_clause(directory: Path) -> None:
    met = {id for campaign in CAMPAIGNS for result in judged(campaign, directory) for id in result.tallies}
    assert met == set(CATALOGUE) - unsupported(ReferenceEngine()).keys()


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda campaign: campaign.name)
def test_a_campaign_meets_its_chapters(campaign: Campaign, directory: Path) -> None:
    met = {id.split("-")[0] for result in judged(campaign, directory) for id in result.tallies}
    assert set(campaign.chapters) <= met


def test_a_table_is_gone_when_its_case_is_judged(tmp_path: Path) -> None:
    judge(ReferenceEngine(), tmp_path).judge(drawn(CAMPAIGNS[0])[0])
    assert not list(tmp_path.iterdir())


# What is wrong is noticed ------------------------------------------------------------------------------------------

#: Those of VACUUM are in test_known_bad_vacuums.py.
BY_CLAUSE = [
    (fault, clause)
    for fault in FAULTS.values()
    if fault.on not in (Vacuum, InvalidVacuum)
    for clause in fault.caught_by
]


def witnesses(fault: Fault, clause: str, directory: Path) -> list[Case]:
    """Drawn cases that meet the clause, from the campaigns of all chapters by turns, so that every kind comes early."""
    meeting = [
        [result.case for result in judged(campaign, directory) if clause in result.tallies] for campaign in CAMPAIGNS
    ]
    longest = max(map(len, meeting))
    return [cases[place] for place in range(longest) for cases in meeting if place < len(cases)]


@pytest.mark.parametrize(("fault", "clause"), BY_CLAUSE, ids=lambda value: getattr(value, "name", value))
def test_every_fault_is_noticed_by_each_of_its_clauses(fault: Fault, clause: str, directory: Path) -> None:
    """Stronger than what a run of a known-bad engine asks for: that one of the clauses notices."""
    bad = judge(KnownBadEngine(ReferenceEngine(), fault), directory / f"{fault.name}-{clause}")
    for case in witnesses(fault, clause, directory)[:100]:
        result = bad.judge(case)
        assert result.failure is None, result.failure
        if clause in result.violated:
            (index, violation), *_ = result.tallies[clause].violations
            assert 0 <= index < len(case.steps)
            assert violation.message.endswith(".") and violation.subject and violation.evidence
            return
    pytest.fail(f"none of the drawn cases that meet {clause} shows it the fault {fault.name!r}")


# How a case is run -------------------------------------------------------------------------------------------------

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


class Watched:
    """The right engine, with every call noted; dies at the first ``deaths`` steps."""

    name = "watched"
    versions: Mapping[str, str] = {"delta": "4.4.0"}
    capabilities = EVERYTHING
    rules = SPARK

    def __init__(self, *, deaths: int = 0) -> None:
        self.engine = ReferenceEngine()
        self.deaths = deaths
        self.calls: list[tuple[Path, EngineStep, int, int | None]] = []

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        self.calls.append((root, step, clock, version))
        if self.deaths:
            self.deaths -= 1
            raise EngineDied("DELETE took the JVM with it\nits log")
        return self.engine.run(root, step, clock=clock, version=version)

    def close(self) -> None:
        self.engine.close()


def test_what_was_seen_is_recorded_step_by_step(tmp_path: Path) -> None:
    result = judge(ReferenceEngine(), tmp_path).judge(CASE)
    assert not result.violated
    assert [(step["index"], step["kind"]) for step in result.steps] == [
        (0, "delete"),
        (1, "read"),
        (2, "read"),
        (3, "vacuum"),
        (4, "vacuum"),
        (5, "vacuum"),
        (6, "read"),
    ]
    assert result.steps[0]["observed"]["version"] == [1, 2]
    assert result.steps[1]["outcome"]["rows"] == [[2], [3], [None]]
    assert result.steps[2]["outcome"]["rows"] == [[1], [2], [3], [None]]
    named = TABLE.files[2].id
    assert result.steps[3]["outcome"]["rows"] == [
        "old.tmp",
        f"part-{named:05d}-{named:08x}-0000-4000-8000-000000000000.c000.snappy.parquet",
    ]
    assert result.steps[4]["observed"]["operations"] == ["VACUUM START", "VACUUM END"]


def test_records_do_not_depend_on_the_run(tmp_path: Path) -> None:
    def records(name: str) -> list[dict[str, Any]]:
        steps = judge(ReferenceEngine(), tmp_path / name).judge(CASE).steps
        return [{key: value for key, value in step.items() if key != "seconds"} for step in steps]

    assert records("one") == records("another")


class CleansUp(Watched):
    """The right engine, which makes a checkpoint after every VACUUM and then deletes the commits before it."""

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        if isinstance(step, Vacuum) and not step.dry_run:
            log = read_log(root)
            write_checkpoint(root, log.snapshot())
            for number in range(log.version):
                (root / "_delta_log" / f"{number:020d}.json").unlink()
        return outcome


def test_log_cleanup_right_after_a_vacuum_is_no_fault(tmp_path: Path) -> None:
    # On Delta: the checkpoint of version 10 takes VACUUM START along where the clock is far beyond the log's retention.
    case = Case(TABLE, (SMALL, SetClock(Moment(60 * WEEK)), Vacuum(), Read()))
    result = judge(CleansUp(), tmp_path).judge(case)
    assert result.failure is None
    assert not result.violated
    assert result.tallies["VAC-LOG-1A"].met == 1


def test_the_engine_is_given_the_clock_and_the_version(tmp_path: Path) -> None:
    engine = Watched()
    before = time.time_ns() // 1_000_000
    case = Case(TABLE, (SMALL, SetClock(Moment(HOUR)), Read(before_step=0), Read(), SetClock(Moment(5, 0)), Vacuum()))
    assert not judge(engine, tmp_path).judge(case).violated
    after = time.time_ns() // 1_000_000
    clocks = [clock for _, _, clock, _ in engine.calls]
    assert before <= clocks[0] <= after
    assert [clock - clocks[0] for clock in clocks[:3]] == [0, HOUR, HOUR]
    assert clocks[0] + 5 <= clocks[3] <= after + 5, "the clock stands 5 ms after the DELETE's stamp"
    assert [version for _, _, _, version in engine.calls] == [None, 1, None, None]
    assert len({root for root, _, _, _ in engine.calls}) == 1


def test_a_stamp_of_a_step_that_removed_nothing_is_the_start(tmp_path: Path) -> None:
    engine = Watched()
    none = Delete(Compare("id", Op.GT, 100, Type.INTEGER))
    judge(engine, tmp_path).judge(Case(TABLE, (none, SetClock(Moment(7, 0)), Vacuum())))
    assert engine.calls[1][2] == engine.calls[0][2] + 7


def test_appends_and_litter_are_part_of_the_promise(tmp_path: Path) -> None:
    steps = (
        Append((DataFile(7, (), ((1,), (50,)), 0),)),
        AddStrayFiles((StrayFile("young.tmp", modified=0), StrayFile("_hidden/x", modified=-9 * WEEK))),
        SMALL,
        Read(),
        Vacuum(),
        Read(),
    )
    result = judge(ReferenceEngine(), tmp_path).judge(Case(TABLE, steps))
    assert not result.violated
    assert result.steps[1]["outcome"]["rows"] == [[2], [3], [50], [None]]
    assert result.tallies["VAC-SAFE-4"].met == result.tallies["VAC-SAFE-3"].met == 1


def test_a_case_ends_where_a_clause_is_broken(tmp_path: Path) -> None:
    bad = KnownBadEngine(ReferenceEngine(), FAULTS["removes-without-time"])
    result = judge(bad, tmp_path).judge(CASE)
    assert result.violated == ["DEL-REM-1A"]
    assert [step["index"] for step in result.steps] == [0]


def test_a_known_deviation_does_not_end_a_case(tmp_path: Path) -> None:
    bad = KnownBadEngine(ReferenceEngine(), FAULTS["says-blind-append"])
    result = judge(bad, tmp_path, listed=["DEL-INFO-1B"]).judge(CASE)
    assert result.violated == ["DEL-INFO-1B"]
    assert len(result.steps) == len(CASE.steps)


def test_a_broken_table_ends_a_case_even_where_that_is_a_known_deviation(tmp_path: Path) -> None:
    bad = KnownBadEngine(ReferenceEngine(), FAULTS["breaks-the-log"])
    result = judge(bad, tmp_path, listed=list(CATALOGUE)).judge(CASE)
    assert result.violated == ["DEL-PHYS-3"]
    assert [step["index"] for step in result.steps] == [0]


def test_an_engine_that_dies_gets_a_second_chance_on_a_fresh_table(tmp_path: Path) -> None:
    engine = Watched(deaths=1)
    result = judge(engine, tmp_path).judge(CASE)
    assert result.failure is None and not result.violated
    assert engine.calls[0][0] != engine.calls[1][0]
    assert engine.calls[0][1] == engine.calls[1][1] == SMALL


def test_an_engine_that_dies_twice_is_a_failure_that_says_so(tmp_path: Path) -> None:
    result = judge(Watched(deaths=2), tmp_path).judge(CASE)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.message) == ("engine-died", "DELETE took the JVM with it")
    assert result.failure.log.endswith("its log")
    assert not result.tallies and not result.steps


def test_a_mistake_of_our_own_is_a_failure_of_the_harness(tmp_path: Path) -> None:
    absent = Delete(Compare("absent", Op.EQ, 1, Type.INTEGER))
    result = judge(ReferenceEngine(), tmp_path).judge(replace(CASE, steps=(absent,)))
    assert result.failure is not None and result.failure.kind == "harness"
    assert result.failure.message == "KeyError: 'absent'"
    assert "Traceback" in result.failure.log
    assert not list(tmp_path.iterdir())


def test_only_the_clauses_that_are_asked_for_are_judged(tmp_path: Path) -> None:
    chosen = [CATALOGUE["VAC-SAFE-1"], CATALOGUE["DEL-ROW-5A"]]
    result = Judge(ReferenceEngine(), chosen, tmp_path).judge(CASE)
    assert set(result.tallies) == {"VAC-SAFE-1", "DEL-ROW-5A"}


def test_a_step_that_takes_its_time_draws_its_line_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that nobody can set the line falls somewhere in the step, and what expired by then may go."""
    table = Table(
        columns=(Column("v", Type.INTEGER),),
        partition_by=(),
        files=(DataFile(0, (), ((1,),), -2 * WEEK), DataFile(1, (), ((2,),), -2 * WEEK)),
        commits=(
            Commit(-WEEK + HOUR, adds=(0, 1)),
            Commit(-WEEK + 2 * HOUR, removes=(Removal(1, -WEEK + 2 * HOUR),)),
        ),
    )
    for module in ("engine", "vacuuming"):
        monkeypatch.setattr(f"selfcheck.reference_engine.{module}.now", lambda: now() + 3 * HOUR)
    engine = ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST)
    judged = Judge(engine, list(CATALOGUE.values()), tmp_path).judge(Case(table, (Vacuum(),)))
    assert judged.failure is None and not judged.violated
    assert judged.steps[0]["observed"]["vanished"], "the removed file is gone"
