"""An error of the suite in a case: it costs its own verdict and no other, and never counts as a pass."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.port import EngineDied, EngineError, Outcome
from harness.campaigns.record import case_record
from harness.judging.clause import Clause, Judgement, Violation, judgement
from harness.observing.steps.observation import DeleteObservation, Observation
from harness.running import case_run, initial_tables
from harness.running.judge import Judge, JudgedCase
from model.vocabulary.case import Case
from model.vocabulary.steps import Delete, EngineStep, Read, Request, Vacuum
from records import run as run_records
from records.expectations import ByReplay
from records.run import Verdict
from reference_engine import ReferenceEngine
from reports.findings.verdicts import exit_code
from suites.catalogue import CATALOGUE
from tests.builders.observations import full_judge
from tests.builders.small_streams import footer, header
from tests.handmade.steps import IN_A, PARTITIONED

CASE = Case(PARTITIONED, (IN_A, Read(), Vacuum(), Read()))


def raising(d: DeleteObservation) -> Judgement:
    raise IndexError("list index out of range")


def violating(d: DeleteObservation) -> Judgement:
    return judgement(Violation("x", "It is wrong.", ByReplay("it is made up"), ("seen",)))


def clause(id: str, judge: Any) -> Clause[DeleteObservation]:
    return Clause(id, "It is made up.", (), DeleteObservation, judge)


RAISING, VIOLATING = clause("DEL-ROW-77", raising), clause("DEL-ROW-78", violating)


def judged(directory: Path, *more: Clause[Any], case: Case = CASE, known: tuple[str, ...] = ()) -> JudgedCase:
    """On the healthy reference engine, by the whole catalogue, with more clauses before its own."""
    return Judge(ReferenceEngine(), [*more, *CATALOGUE.values()], directory, known).judge(case)


# A clause ------------------------------------------------------------------------------------------------------------


def test_a_clause_that_raises_leaves_the_other_verdicts(tmp_path: Path) -> None:
    healthy, found = judged(tmp_path / "healthy"), judged(tmp_path / "raising", RAISING)
    assert healthy.failure is None
    assert found.tallies.keys() == healthy.tallies.keys() and len(found.steps) == len(CASE.steps)
    assert {id: tally.met for id, tally in found.tallies.items()} == {id: t.met for id, t in healthy.tallies.items()}


def test_it_is_an_error_of_the_suite_that_names_clause_and_step(tmp_path: Path) -> None:
    found = judged(tmp_path, RAISING, case=replace(CASE, steps=(Read(), IN_A)))
    assert found.failure is not None and found.failure.kind == "harness"
    told = "The clause DEL-ROW-77 raised an error of the suite in step 1: IndexError: list index out of range"
    assert found.failure.message == told
    assert found.failure.clauses == ("DEL-ROW-77",)
    assert "Traceback" in found.failure.log and "in raising" in found.failure.log


def test_it_does_not_hide_what_else_is_broken(tmp_path: Path) -> None:
    found = judged(tmp_path, RAISING, VIOLATING)
    assert found.failed == ["DEL-ROW-78"] and found.failure is not None
    assert len(found.steps) == 1, "a broken clause ends the case, as ever"


def test_a_clause_that_raises_in_one_step_passes_in_none(tmp_path: Path) -> None:
    def at_the_second(d: DeleteObservation) -> Judgement:
        return raising(d) if d.earlier else judgement(None)

    found = judged(tmp_path, clause("DEL-ROW-77", at_the_second), case=replace(CASE, steps=(IN_A, Delete())))
    assert "DEL-ROW-77" not in found.tallies and len(found.steps) == 2


def test_what_a_clause_broke_before_it_raised_stays(tmp_path: Path) -> None:
    """A known fault does not end the case."""

    def breaks_then_raises(d: DeleteObservation) -> Judgement:
        return raising(d) if d.earlier else violating(d)

    case = replace(CASE, steps=(IN_A, Delete()))
    made = clause("DEL-ROW-77", breaks_then_raises)
    known = judged(tmp_path / "known", made, case=case, known=("DEL-ROW-77",))
    assert "DEL-ROW-77" not in known.tallies, "what is known says nothing of what the clause did not judge"
    assert judged(tmp_path / "unknown", made, case=case).failed == ["DEL-ROW-77"]


@pytest.mark.parametrize(
    "name",
    [
        "step_judge.evidence.of_actions",
        "excusing.conditions.Kinds.of",
        "step_judge.Circumstances.names",
    ],
)
def test_a_violation_without_its_details_is_one(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> Any:
        raise KeyError("lost")

    monkeypatch.setattr(f"harness.judging.{name}", property(fails) if name.endswith("names") else fails)

    def bare(d: DeleteObservation) -> Judgement:
        return judgement(Violation("x", "It is wrong.", ByReplay("it is made up")))

    found = judged(tmp_path, clause("DEL-ROW-77", bare))
    assert found.failed == ["DEL-ROW-77"]
    assert found.failure is not None and "The clause DEL-ROW-77 raised" in found.failure.message


# What else may raise --------------------------------------------------------------------------------------------------


def test_a_step_that_cannot_be_recorded_keeps_its_verdicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(observation: Observation) -> Any:
        raise TypeError("unhashable")

    monkeypatch.setattr(case_run, "normalise", fails)
    found = judged(tmp_path, VIOLATING)
    assert found.failed == ["DEL-ROW-78"]
    assert found.failure is not None and found.failure.message.startswith(
        "The record raised an error of the suite in step 0"
    )
    (step,) = found.steps
    assert (step.index, step.kind, step.observed.version) == (0, "delete", (0, 1))
    assert case_record(found, campaign="c", batch=0, index=0, origin="generated").violations[0].step == step.index


@pytest.mark.parametrize(
    ("raised", "kind", "message"),
    [
        (KeyError("the adapter"), "harness", "Vacuum raised an error of the suite in step 2: KeyError: 'the adapter'"),
        (EngineDied("VACUUM killed its process\nits log"), "engine-died", "VACUUM killed its process"),
    ],
)
def test_a_step_that_cannot_be_observed_keeps_what_was_judged(
    raised: Exception, kind: str, message: str, tmp_path: Path
) -> None:
    """The step is named; the case ends there, as nobody knows what the table is."""

    class Odd(ReferenceEngine):
        def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
            if isinstance(step, Vacuum):
                raise raised
            return super().run(root, step, clock=clock, version=version)

    found = full_judge(Odd(), tmp_path).judge(CASE)
    assert found.tallies["DEL-ROW-1"].met == 1 and len(found.steps) == 2
    assert found.failure is not None and (found.failure.kind, found.failure.message) == (kind, message)
    assert not list(tmp_path.iterdir()), "nothing is left"


def test_a_table_that_cannot_be_made_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(initial_tables, "write_table", fails)
    found = judged(tmp_path)
    assert found.failure is not None
    told = "The machine failed: the disk is full (No space left on device): "
    assert found.failure.message.startswith(told)


# In a run -------------------------------------------------------------------------------------------------------------


def test_a_run_with_a_clause_that_raised_is_no_pass() -> None:
    listed = header()
    id = listed.clauses[0].id
    passing = run_records.ClauseResult(Verdict.HOLDS, 1, 1, 0.0)

    def verdict(*cases: run_records.RecordedCase) -> tuple[Verdict, int]:
        (result,) = footer(replace(listed, clauses=listed.clauses[:1]), cases).verdicts.values()
        return result.verdict, exit_code([result], sum(case.error is not None for case in cases))

    healthy = _case(1, {id: passing})
    raised = replace(_case(2, {}), error=run_records.CaseError("harness", "It raised.", "", (id,)))
    failing = _case(3, {id: replace(passing, verdict=Verdict.FAILS)})
    excused = _case(4, {id: replace(passing, verdict=Verdict.KNOWN_FAULT)})
    assert verdict(healthy) == (Verdict.HOLDS, 0)
    assert verdict(healthy, raised) == (Verdict.ERROR, 2)
    assert verdict(excused, raised) == (Verdict.ERROR, 2)
    assert verdict(healthy, raised, failing) == (Verdict.FAILS, 1), "what is broken wins"


def _case(number: int, clauses: dict[str, run_records.ClauseResult]) -> run_records.RecordedCase:
    return run_records.RecordedCase(f"{number:012x}", "c", 0, number, "generated", {}, (), clauses, (), None)


# The engine's words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [IN_A, Vacuum(), Read()], ids=["DELETE", "VACUUM", "read"])
@pytest.mark.parametrize(
    "message", ["", "\n", "\u2028", "x" * 1_000_000], ids=["none", "a line", "a separator", "long"]
)
def test_a_refusal_is_as_wrong_in_any_words(step: EngineStep, message: str, tmp_path: Path) -> None:
    kind = type(step)

    class Refusing(ReferenceEngine):
        message = "boom"

        def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
            if type(step) is not kind:
                return super().run(root, step, clock=clock, version=version)
            return Outcome((), EngineError("Exception", None, None, self.message), clock, clock)

    # A read is judged after a DELETE.
    engine, case = Refusing(), Case(PARTITIONED, (IN_A, step) if isinstance(step, Read) else (step,))
    boom = full_judge(engine, tmp_path / "boom").judge(case)
    engine.message = message
    found = full_judge(engine, tmp_path / "odd").judge(case)
    assert found.failed and found.failed == boom.failed and found.failure is None
    record = case_record(found, campaign="c", batch=0, index=0, origin="generated")
    assert len(json.dumps([one.evidence for one in record.violations])) < 100_000
