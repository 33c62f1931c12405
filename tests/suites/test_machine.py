"""The state machine, on the reference engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from engines.deltalake.adapter import DeltalakeEngine
from engines.port import Engine, Outcome
from engines.wrapped import WrappedEngine
from faults import FAULTS, KnownBadEngine
from harness.campaigns.batch_runner import BatchRunner
from harness.campaigns.campaign import Batch
from harness.campaigns.drawing import PromiseBroken, fixed_cases
from harness.campaigns.machine import Judging
from harness.campaigns.record import case_record
from harness.judging.excusing.conditions import CONDITIONS
from harness.judging.excusing.declarations import Condition
from harness.running.judge import Judge, JudgedCase
from model.codec import from_json, to_json
from model.vocabulary.case import Case
from model.vocabulary.operations import COMMANDS, DRAWN, Operation, operation_of
from model.vocabulary.steps import ENGINE_STEPS as ENGINE_STEP_TYPES
from model.vocabulary.steps import Read, Request, Step, Vacuum
from records import run
from records.known_fault import KnownFault
from reference_engine import ReferenceEngine
from runner.run.controller import FIXED_SEED
from strategies.restriction.capabilities import restricted_to
from suites.campaigns import EXPLORATION
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES
from suites.test_programs import ENGINE_STEPS, TableMachine
from tests.builders.observations import full_judge
from tests.handmade.crashes import CRASHES


def explore(
    engine: Engine, directory: Path, lines: list[run.RecordedCase], *, runs: int, listed: Iterable[KnownFault] = ()
) -> None:
    runner = BatchRunner(
        Batch(EXPLORATION, 0, runs),
        full_judge(engine, directory, listed),
        emit=lines.append,
        claim=lambda *what: True,
    )
    runner.run(profile=PROFILES["nightly"], seed=3, database=directory / "examples")


def known_bad(fault: str) -> Engine:
    return KnownBadEngine(ReferenceEngine(), FAULTS[fault])


@pytest.mark.long
def test_a_healthy_engine_is_explored_to_the_end(tmp_path: Path) -> None:
    lines: list[run.RecordedCase] = []
    explore(ReferenceEngine(), tmp_path, lines, runs=25)
    assert len(lines) >= 15 and not any(line.violations or line.error for line in lines)
    assert max(len(line.steps) for line in lines) == ENGINE_STEPS, "some runs use up their steps"
    assert {path.name for path in tmp_path.iterdir()} <= {"examples"}


@pytest.mark.long
def test_a_fault_is_found_and_recorded_as_a_case(tmp_path: Path) -> None:
    lines: list[run.RecordedCase] = []
    bad = known_bad("removes-without-time")
    with pytest.raises(PromiseBroken, match="DEL-REM-1A"):
        explore(bad, tmp_path, lines, runs=100)
    shown = lines[-1]
    assert [line.origin for line in lines[-2:]] == ["generated", "shrunk"]
    assert shown.violations
    judged = full_judge(bad, tmp_path / "again").judge(shown.case)
    assert judged.violated == [id for id, result in shown.clauses.items() if result.verdict is run.Verdict.FAILS]


def test_a_crash_that_the_machine_finds_is_recorded_with_what_it_left(tmp_path: Path) -> None:
    """As where the case is judged at once: the script of the violation begins from it."""
    case, fault = CRASHES["rows: committed 0 whole"], "crash-removes-before-it-adds"
    found: list[JudgedCase] = []
    following = Judging(full_judge(known_bad(fault), tmp_path / "machine"), found.append, lambda judged: None)
    following.start(case.table)
    for number in range(1, len(case.steps) + 1):
        if following.take(Case(case.table, case.steps[:number])):
            break
    at_once = full_judge(known_bad(fault), tmp_path / "judge").judge(case)
    assert found[0].failed == at_once.failed and at_once.left is not None and found[0].left is not None
    assert [file.path for file in found[0].left.files if "_delta_log" in file.path] == [
        file.path for file in at_once.left.files if "_delta_log" in file.path
    ]
    assert case_record(found[0], campaign="c", batch=0, index=0, origin="generated").left == found[0].left


@pytest.mark.long
def test_a_known_fault_ends_the_case_and_not_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONDITIONS, "any step", Condition("any step", "you run one", lambda observation: True))
    lines: list[run.RecordedCase] = []
    known = [KnownFault(clause, when="any step") for clause in CATALOGUE]
    explore(known_bad("vacuums-inside-retention"), tmp_path, lines, runs=25, listed=known)
    excused = [line for line in lines if line.violations]
    assert excused and len(lines) >= 15 and not any(line.error for line in lines)
    assert all(violation.step == line.steps[-1].index for line in excused for violation in line.violations)


@pytest.mark.slow
def test_a_failing_example_is_kept_for_the_next_run(tmp_path: Path) -> None:
    lines: list[run.RecordedCase] = []
    with pytest.raises(PromiseBroken, match="DEL-REM-1A"):
        explore(known_bad("removes-without-time"), tmp_path, lines, runs=100)
    again: list[run.RecordedCase] = []
    with pytest.raises(PromiseBroken, match="DEL-REM-1A"):
        explore(known_bad("removes-without-time"), tmp_path, again, runs=1)
    assert again[0].violations, "the next run begins with the example"


@cache
def runs() -> tuple[Case, ...]:
    """As many runs as the corpus has of the state machine."""
    return tuple(fixed_cases(Batch(EXPLORATION, 0, 20), FIXED_SEED))


@pytest.mark.long
def test_a_fixed_profile_draws_the_same_runs_without_an_engine() -> None:
    batch = Batch(EXPLORATION, 0, 2)
    assert fixed_cases(batch, FIXED_SEED) == fixed_cases(batch, FIXED_SEED) != fixed_cases(batch, FIXED_SEED + 1)
    assert len(runs()) == 20
    for case in runs():
        assert sum(isinstance(step, ENGINE_STEP_TYPES) for step in case.steps) <= ENGINE_STEPS
        assert from_json(to_json(case)) == case


@pytest.mark.long
def test_every_rule_runs() -> None:
    drawn = {operation_of(step) for case in fixed_cases(Batch(EXPLORATION, 0, 40), FIXED_SEED) for step in case.steps}
    together = {Operation.KILLED_DELETE, Operation.KILLED_VACUUM, *COMMANDS}  # several have one rule
    alone = set(DRAWN) - {
        *together,
        Operation.OPEN_SESSION,
        Operation.AT_ONCE,
    }  # campaigns of their own draw these
    assert alone <= drawn and len(drawn & set(COMMANDS)) >= 10
    assert {operation.name.lower() for operation in alone} <= vars(TableMachine).keys()


def test_a_fault_that_needs_a_sequence_is_found(tmp_path: Path) -> None:
    """It deletes too much only after a VACUUM that deleted nothing, of a table where something must be kept."""
    judge = full_judge(known_bad("never-settles"), tmp_path)
    failing = next(judged for judged in map(judge.judge, runs()) if judged.failed)
    vacuums = [step for step in _run_steps(failing) if isinstance(step, Vacuum) and not step.dry_run]
    assert len(vacuums) >= 2


def _run_steps(judged: JudgedCase) -> list[Step]:
    return [judged.case.steps[record.index] for record in judged.steps]


class ReadByTwo(WrappedEngine):
    """Reads the table after each step by ``other`` too, and counts whether both have the same rows."""

    def __init__(self, engine: Engine, other: Engine) -> None:
        super().__init__(engine)
        self._other = other
        self.agree: Counter[bool] = Counter()

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = self._engine.run(root, step, clock=clock, version=version)
        rows, others = (
            Counter(one.run(root, Read(), clock=clock, version=None).rows) for one in (self._engine, self._other)
        )
        self.agree[rows == others] += 1
        return outcome


def test_two_independent_readers_agree_after_every_step(tmp_path: Path) -> None:
    """The project's reader, which the reference engine uses, and delta-rs."""
    other = DeltalakeEngine()
    engine = ReadByTwo(ReferenceEngine(), other)
    judge = Judge(engine, (), tmp_path)
    try:
        for case in runs()[::2]:
            judged = judge.judge(restricted_to(case, capabilities=other.capabilities))
            assert judged.failure is None, judged.failure
    finally:
        other.close()
    assert engine.agree[True] > 50 and not engine.agree[False]
