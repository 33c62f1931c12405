"""Commands that are killed in the middle, on the reference engine: what they leave, how it is judged, who is caught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from engines.port import Engine, Outcome
from faults import FAULTS, KnownBadEngine
from harness.campaigns.shrinking import candidates
from harness.observing.steps.crash_observation import CrashObservation, DeleteCrashObservation, VacuumCrashObservation
from harness.observing.steps.observation import Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.judge import Judge, JudgedCase
from model.codec import InvalidCase, dumps, from_json, loads, to_json
from model.text.steps import step_text
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.steps import Crash, CrashPoint, Delete, IOFault, Mode, Read, Request, Vacuum, Written
from records.json_form import from_json as record_from_json
from records.json_form import to_json as record_to_json
from reference_engine import ReferenceEngine
from reports.counterexamples.plan import ScriptPlan
from strategies.restriction.capabilities import restricted_to
from suites.catalogue import CATALOGUE
from tests.builders.observations import full_judge, listener
from tests.handmade.crashes import CRASHES, PARTITION, ROWS, TABLE
from tests.scripts import outcome, plans, recorded


def judged(case: Case, directory: Path, engine: Engine | None = None) -> tuple[JudgedCase, list[Observation]]:
    seen: list[Observation] = []
    return Judge(engine or ReferenceEngine(), [*CATALOGUE.values(), listener(seen.append)], directory).judge(case), seen


@cache
def healthy(name: str) -> tuple[JudgedCase, tuple[Observation, ...]]:
    """A case on the healthy engine, with its observations."""
    with TemporaryDirectory() as directory:
        found, seen = judged(CRASHES[name], Path(directory))
    return found, tuple(seen)


def first(case: Case, **changes: object) -> Case:
    """The case with other fields of its first step."""
    return replace(case, steps=(replace(case.steps[0], **changes), *case.steps[1:]))  # type: ignore[type-var,arg-type]


# What is left -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CRASHES)
def test_a_healthy_engine_may_be_killed_at_any_effect(name: str) -> None:
    found, (killed, *later) = healthy(name)
    assert found.failure is None and not found.violated, (found.failure, found.violated)
    assert isinstance(killed, CrashObservation), "its point is reached"
    assert len(later) == len(CRASHES[name].steps) - 2 and not any(isinstance(one, CrashObservation) for one in later)
    last = next(one for one in reversed(later) if isinstance(one, VacuumObservation))
    left = {path for path in killed.appeared if not killed.commits and killed.after.data[path].kind == "file"}
    assert left.isdisjoint(last.after.data), "a VACUUM beyond the retention deletes it"
    chapter = "CRASH-1" if isinstance(killed, DeleteCrashObservation) else "CRASH-2"
    exercised = {id for id in found.tallies if id.startswith("CRASH")}
    assert {id for id in CATALOGUE if id.startswith(chapter)} - exercised <= {"CRASH-1D", "CRASH-2G"}
    assert "CRASH-3" in exercised
    step = CRASHES[name].steps[0]
    if isinstance(step, Delete) and step.crash is not None:  # the commit decides on the rows
        committed = step.crash.point not in (CrashPoint.FILE_CREATED, CrashPoint.FILE_CLOSED, CrashPoint.COMMIT_WRITTEN)
        assert bool(killed.commits) is committed and killed.after.rows == killed.expected_rows
        assert (killed.after.rows != killed.before.rows) is committed


def test_the_answer_of_a_killed_engine_is_no_evidence(tmp_path: Path) -> None:
    class Answering(ReferenceEngine):
        def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
            outcome = super().run(root, step, clock=clock, version=version)
            return outcome if outcome.effects is None else replace(outcome, rows=((77,),))

    found, _ = judged(CRASHES["rows: committed 0 whole"], tmp_path, Answering())
    assert not found.violated


def test_a_point_that_is_not_reached_is_an_ordinary_step(tmp_path: Path) -> None:
    case = Case(TABLE, (replace(PARTITION, crash=Crash(CrashPoint.FILE_CREATED)), Read()))
    found, (whole, _) = judged(case, tmp_path)
    assert whole.outcome.effects is None and "DEL-META-1" in found.tallies and "CRASH-1A" not in found.tallies


@pytest.mark.parametrize(("written", "part"), [(Written.WHOLE, 1.0), (Written.HALF, 0.5), (Written.EMPTY, 0.0)])
def test_so_much_of_a_file_reaches_storage(written: Written, part: float) -> None:
    _, (whole, *_) = healthy("rows: file closed 0 whole")
    _, (cut, *_) = healthy(f"rows: file closed 0 {written.value}")
    (path,) = cut.appeared
    assert cut.after.listing[path].size == int(whole.after.listing[path].size * part)


def test_effects_are_told_in_order_and_the_last_is_the_one_asked_for() -> None:
    _, (killed, *_) = healthy("rows: commit written 0 whole")
    effects = killed.outcome.effects or ()
    assert [effect.split()[0] for effect in effects] == ["create", "close", "create", "close", "write"]
    temporary = effects[-1].split()[1]
    assert temporary.endswith(".tmp") and temporary in killed.after.listing


def test_a_vacuum_that_is_killed_has_deleted_what_came_before() -> None:
    _, (killed, *_) = healthy("full: deletion 1 whole")
    assert isinstance(killed, VacuumCrashObservation)
    assert len(killed.vanished) == 2 and [one.split()[0] for one in killed.effects[-2:]] == ["delete", "delete"]


# Who is caught ------------------------------------------------------------------------------------------------------


def test_a_violation_tells_what_was_done_and_what_is_left(tmp_path: Path) -> None:
    engine = KnownBadEngine(ReferenceEngine(), FAULTS["crash-tears-the-commit"])
    found, _ = judged(CRASHES["rows: commit written 0 whole"], tmp_path, engine)
    (violation,) = found.tallies["CRASH-1A"].violations
    told = "\n".join(violation.evidence)
    assert "effect 1: create p=" in told and "effect 5: write _delta_log/.00000000000000000004.json." in told
    assert "no commit of the step is in the log" in told and "left on storage: _delta_log/" in told


def test_what_is_wrong_with_the_commit_costs_what_it_costs_without_a_crash(tmp_path: Path) -> None:
    engine = KnownBadEngine(ReferenceEngine(), FAULTS["crash-leaves-half-a-checkpoint"])
    found, _ = judged(CRASHES["checkpoint: checkpoint 0 whole"], tmp_path, engine)
    (violation,) = found.tallies["CRASH-1D"].violations
    assert violation.message.startswith("DEL-CKPT-1 is violated: ") and violation.cause.startswith("DEL-CKPT-1: ")


# The step -----------------------------------------------------------------------------------------------------------


def test_a_crash_is_part_of_the_json_form() -> None:
    assert [name for name, case in CRASHES.items() if loads(dumps(case)) != case] == []


REFUSED: list[tuple[Delete | Vacuum, str]] = [
    (Delete(crash=Crash(CrashPoint.DELETION)), "a DELETE has no effect 'deletion'"),
    (Vacuum(crash=Crash(CrashPoint.FILE_CLOSED)), "a VACUUM has no effect 'file closed'"),
    (Delete(crash=Crash(CrashPoint.COMMITTED, 0, Written.HALF)), "is of 'file closed' only"),
    (Delete(cached=True, crash=Crash(CrashPoint.COMMITTED)), "no session is left"),
    (Vacuum(dry_run=True, crash=Crash(CrashPoint.START)), "a dry run has no effects"),
    (Vacuum(parallel=True, crash=Crash(CrashPoint.DELETION)), "parallel deletions have no order"),
    (Vacuum(logging=False, crash=Crash(CrashPoint.START)), "a VACUUM without logging has deletions only"),
    (
        Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="orphan.parquet", crash=Crash(CrashPoint.DELETION)),
        "must not be there beside an io_fault",
    ),
]


@pytest.mark.parametrize(("step", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_a_crash_that_makes_no_sense_is_refused(step: Delete | Vacuum, words: str) -> None:
    with pytest.raises(InvalidCase, match=words):
        from_json(to_json(Case(TABLE, (step,))))


def test_a_step_says_where_it_is_killed() -> None:
    half = replace(ROWS, crash=Crash(CrashPoint.FILE_CLOSED, 1, Written.HALF))
    assert step_text(half).endswith("(killed right after file closed number 2, half)")
    start = Vacuum(mode=Mode.LITE, crash=Crash(CrashPoint.START))
    assert step_text(start) == "VACUUM t LITE (killed right after VACUUM START)"


def test_an_engine_that_cannot_be_killed_gets_the_whole_step() -> None:
    for case in CRASHES.values():
        restricted = restricted_to(case, capabilities=replace(EVERYTHING, crashes=False))
        assert restricted == first(case, crash=None)


def test_a_crash_is_shrunk_away_or_to_an_earlier_effect() -> None:
    def crashes(case: Case) -> Iterator[Crash | None]:
        return (one.steps[0].crash for one in candidates(case) if isinstance(one.steps[0], (Delete, Vacuum)))

    deleted = set(crashes(first(CRASHES["full: deletion 1 whole"], crash=Crash(CrashPoint.DELETION, 2))))
    assert {None, Crash(CrashPoint.DELETION, 0), Crash(CrashPoint.DELETION, 1)} <= deleted
    assert Crash(CrashPoint.FILE_CLOSED) in crashes(CRASHES["rows: file closed 0 half"])


# The script -----------------------------------------------------------------------------------------------------------


def script_of(fault: str, case: str, clause: str, directory: Path) -> tuple[ScriptPlan, Case]:
    judge = full_judge(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), directory)
    return next(plan for plan in plans(CRASHES[case], judge) if plan.clause == clause), CRASHES[case]


@pytest.mark.parametrize(
    ("fault", "case", "clause", "healthy"),
    [
        ("crash-tears-the-commit", "rows: commit written 0 whole", "CRASH-1A", 1),
        ("crash-of-vacuum-loses-a-live-file", "full: deletion 0 whole", "CRASH-2A", 1),
        ("reads-less-after-a-crash", "rows: commit written 0 whole", "CRASH-3", 0),  # a later step goes on from it
    ],
)
def test_a_script_restores_what_was_left_and_shows_the_fault(
    fault: str, case: str, clause: str, healthy: int, tmp_path: Path
) -> None:
    plan, told = script_of(fault, case, clause, tmp_path)
    bad = KnownBadEngine(ReferenceEngine(), FAULTS[fault])
    for engine, expected in ((bad, 1), (ReferenceEngine(), healthy)):
        code, said = outcome(plan, engine, told, tmp_path / engine.name / str(expected))
        assert code == expected and said.startswith("VIOLATED: ") is (expected == 1), said


def test_a_script_cannot_compare_with_what_was_there_before_the_kill(tmp_path: Path) -> None:
    plan, told = script_of("crash-overwrites-in-place", "rows: file created 0 whole", "CRASH-1B", tmp_path)
    code, said = outcome(plan, ReferenceEngine(), told, tmp_path / "home")
    assert (
        code == 2
        and "begins with what step 0 left" in said
        and "explanation.md, beside this script, has the command" in said
    )


def test_what_was_left_is_recorded_only_where_something_is_wrong(tmp_path: Path) -> None:
    found, _ = healthy("rows: commit written 0 whole")
    assert recorded(found).left is None
    engine = KnownBadEngine(ReferenceEngine(), FAULTS["crash-tears-the-commit"])
    record = recorded(judged(CRASHES["rows: commit written 0 whole"], tmp_path, engine)[0])
    assert record.left is not None and record.left.step == 0
    paths = {file.path for file in record.left.files}
    assert "_delta_log/00000000000000000004.json" in paths and "orphan.parquet" in paths
    assert record_from_json(record_to_json(record), type(record)) == record
