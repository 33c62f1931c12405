"""Power: the cases that a fault is tried on, the clauses that catch it, and the tables of the results."""

from __future__ import annotations

import json
from collections.abc import Collection
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from faults import FAULTS, Fault, KnownBadEngine
from harness.campaigns.drawing import fixed_cases
from model.codec import case_id
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Delete, InvalidDelete, Mode
from reference_engine import ReferenceEngine
from runner.run.controller import FIXED_SEED
from selfcheck.case_order import Ordered, other_cases, relevant_cases
from selfcheck.detection import Examiner, chapters, inapplicable, size_of
from selfcheck.engine_pool import Host, PooledEngine
from selfcheck.power import exit_code, main, read_lines
from selfcheck.power_tables import EngineRun, tables
from suites.campaigns import batches
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES
from tombstone.parts import Part

SMOKE = PROFILES["smoke"]

LOSES_A_ROW = FAULTS["read-loses-a-row"]


@pytest.fixture
def worker(tmp_path: Path) -> PooledEngine:
    return PooledEngine(Host("model", tmp_path))


def harmless(*caught_by: str, **more: Any) -> Fault:
    return Fault("harmless", "Nothing is wrong.", Delete, caught_by or ("DEL-ROW-1",), lambda tampering: None, **more)


def deletes(number: int) -> list[Case]:
    return list(islice(relevant_cases(SMOKE, {"DEL"}, EVERYTHING), number))


# The order of cases -----------------------------------------------------------------------------------------------------


def test_a_fault_is_tried_on_the_cases_of_its_chapter_in_the_order_of_a_run() -> None:
    cases = [case for batch in batches(SMOKE, ()) for case in fixed_cases(batch, FIXED_SEED)]
    deletes = [case for case in cases if any(isinstance(step, (Delete, InvalidDelete)) for step in case.steps)]
    assert list(relevant_cases(SMOKE, {"DEL"}, EVERYTHING)) == deletes
    assert list(relevant_cases(SMOKE, {"DEL", "VAC", "READ", "LIFE", "CRASH", "CONC"}, EVERYTHING)) == cases
    assert list(other_cases(SMOKE, {"DEL"}, EVERYTHING)) == [case for case in cases if case not in deletes]


# Faults -----------------------------------------------------------------------------------------------------------------


def test_the_chapters_of_a_fault_are_those_of_its_clauses() -> None:
    assert chapters(harmless("VAC-SAFE-1")) == {"VAC"}


WITHOUT_LITE = ReferenceEngine(capabilities=Capabilities(modes=frozenset({Mode.FULL})))


BOTH = harmless("DEL-ROW-1", "DEL-ROW-2")
OF_LITE, OF_THE_WINDOW = harmless(needs=(Mode.LITE,)), harmless(rules={"lite_window": True})


@pytest.mark.parametrize(
    ("fault", "engine", "unpromised", "broken", "why"),
    [
        (BOTH, ReferenceEngine(), {"DEL-ROW-1": "It is not."}, (), ""),
        (BOTH, ReferenceEngine(), {}, {"DEL-ROW-2"}, ""),
        (
            harmless(),
            ReferenceEngine(),
            {"DEL-ROW-1": "No rows."},
            (),
            "does not promise DEL-ROW-1 (DEL-ROW-1: No rows.)",
        ),
        (harmless(), ReferenceEngine(), {}, {"DEL-ROW-1"}, "the engine itself breaks DEL-ROW-1 (known_faults/)"),
        (harmless(despite=True), ReferenceEngine(), {}, {"DEL-ROW-1"}, ""),
        (OF_LITE, ReferenceEngine(), {}, (), ""),
        (OF_LITE, WITHOUT_LITE, {}, (), f"the engine lacks what it changes ({Mode.LITE.value})"),
        (OF_THE_WINDOW, ReferenceEngine(), {}, (), ""),
        (
            OF_THE_WINDOW,
            ReferenceEngine(rules=DELTA_RS),
            {},
            (),
            "by the engine's own rules it is not a fault (lite_window)",
        ),
    ],
)
def test_a_fault_applies_if_the_engine_promises_a_clause_that_it_violates(
    fault: Fault, engine: ReferenceEngine, unpromised: dict[str, str], broken: Collection[str], why: str
) -> None:
    found = inapplicable(fault, engine, unpromised, broken)
    assert found.endswith(why) and bool(found) == bool(why)


def test_a_fault_is_caught_by_the_first_case_in_which_a_clause_fails(worker: PooledEngine) -> None:
    cases = deletes(40)
    examiner = Examiner(worker, LOSES_A_ROW)
    found = examiner.search(cases, tries=30, alone=False)
    assert found.first is not None and found.failures == []
    assert found.judged == found.first.cases
    assert set(found.first.clauses) & set(LOSES_A_ROW.caught_by)
    assert found.ever == set(found.first.clauses)
    assert found.first.seconds > 0
    assert size_of(found.first.smallest) < size_of(cases[found.judged - 1])
    clause = LOSES_A_ROW.caught_by[0]
    number = examiner.cases_until(clause, cases)
    assert number is not None and examiner.cases_until(clause, cases[: number - 1]) is None


@pytest.mark.parametrize(("name", "all_cases"), [("accepts-mistakes", True), ("loses-a-survivor", False)])
def test_with_alone_the_search_continues_until_a_second_clause_fails(
    name: str, all_cases: bool, worker: PooledEngine
) -> None:
    cases = deletes(40)
    found = Examiner(worker, FAULTS[name]).search(cases, tries=1, alone=True)
    assert found.first is not None and found.first.cases < len(cases)
    assert (found.judged == len(cases)) == all_cases == (len(found.ever) == 1)
    assert found.ever >= set(found.first.clauses)


@pytest.mark.long
def test_a_violation_of_the_healthy_engine_does_not_count(worker: PooledEngine) -> None:
    found = Examiner(worker, harmless()).search(deletes(10), tries=1, alone=False)
    assert (found.judged, found.first, found.ever) == (10, None, set())
    worker.engine = KnownBadEngine(ReferenceEngine(), LOSES_A_ROW)
    assert Examiner(worker, harmless()).search(deletes(20), tries=1, alone=False).first is None


# Lines ------------------------------------------------------------------------------------------------------------------

HEADER: dict[str, Any] = {
    "type": "header",
    "engine": "model",
    "versions": {"delta": "4.4.0"},
    "profile": "gate",
    "seed": 4,
    "alone": True,
    "unpromised": {"DEL-X-3": "It holds from 9 only."},
    "broken": ["DEL-X-4"],
    "clauses": {f"DEL-X-{number}": "" for number in range(1, 6)},
}


def line(name: str, *ever: str, **more: object) -> dict[str, Any]:
    caught = {"clauses": list(ever), "cases": 7, "seconds": 0.5, "steps": 2, "bytes": 400}
    return {
        "type": "fault",
        "name": name,
        "sentence": "Some | thing.",
        "chapter": "DELETE",
        "caught_by": ["DEL-X-1"],
        "judged": 9,
        "failures": [],
        "ever": list(ever),
        "status": "caught" if ever else "missed",
        **(caught if ever else {}),
        **more,
    }


ALL = [HEADER, line("a", "DEL-X-1"), line("b", "DEL-X-1", "DEL-X-2"), line("c", "DEL-X-5")]


@pytest.mark.parametrize(
    ("lines", "unproven", "exit", "chosen"),
    [
        (ALL, [], 0, 0),
        (ALL[:2], ["DEL-X-2", "DEL-X-5"], 1, 0),
        ([*ALL[:3], {"type": "proof", "clause": "DEL-X-5", "fault": "b", "cases": 3}], [], 0, 0),
        ([*ALL, line("d")], [], 1, 1),
        ([*ALL, line("d", "DEL-X-1", failures=["case x: it failed"])], [], 2, 2),
    ],
)
def test_what_catches_no_fault_is_unproven(lines: list[Any], unproven: list[str], exit: int, chosen: int) -> None:
    """That of chosen faults does not matter."""
    assert EngineRun(lines).unproven == unproven
    assert (exit_code(lines, chosen=False), exit_code(lines, chosen=True)) == (exit, chosen)


def every_table() -> str:
    """The tables of two engines, one of which misses a fault, cannot be asked for another, and leaves clauses unproven."""
    inapplicable = {"type": "fault", "name": "b", "sentence": "", "status": "not applicable", "reason": "it is so"}
    other = [{**HEADER, "engine": "spark", "alone": False}, line("a", "DEL-X-1"), inapplicable, line("c")]
    return tables([EngineRun(ALL), EngineRun(other)])


# The command ------------------------------------------------------------------------------------------------------------


def test_the_tables_are_written_from_the_lines(tmp_path: Path) -> None:
    (tmp_path / "model.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ALL), encoding="utf-8")
    assert main(["--render", "--lines", str(tmp_path), "--out", str(tmp_path / "power.md")]) == 0
    assert (tmp_path / "power.md").read_text(encoding="utf-8") == tables([EngineRun(ALL)])


# The cases that show the fault on the reference engine first ---------------------------------------------------------------


def test_a_search_begins_with_the_cases_that_are_predicted_to_show_the_fault() -> None:
    cases = deletes(5)
    ordered = Ordered(cases, lambda case: case in (cases[1], cases[3]))
    assert list(ordered) == [cases[1], cases[3], cases[0], cases[2], cases[4]]
    assert [ordered.place(case_id(case)) for case in cases] == [1, 2, 3, 4, 5]


def test_no_case_is_drawn_before_it_is_needed() -> None:
    drawn = iter(deletes(5))
    next(iter(Ordered(drawn, lambda case: True)))
    assert len(list(drawn)) == 4


def test_a_predicted_search_finds_the_fault_in_its_first_case(tmp_path: Path) -> None:
    """Without the reference engine's answer, it is the third case."""
    chosen = ["--engine", "deltalake", "--profile", "smoke", "--fault", "loses-a-survivor", "--tries", "0", "-n", "1"]
    assert main([*chosen, "--predicted", "--lines", str(tmp_path)]) == 0
    _, predicted = read_lines(tmp_path / "deltalake-chosen.jsonl")
    assert main([*chosen, "--lines", str(tmp_path)]) == 0
    _, found = read_lines(tmp_path / "deltalake-chosen.jsonl")
    assert predicted["judged"] == 1 and found["judged"] > 1
    assert predicted["cases"] == found["cases"] and predicted["case"] == found["case"]


def test_a_shard_is_a_part_of_the_faults(tmp_path: Path) -> None:
    names = sorted(FAULTS)[:4]
    chosen = [word for name in names for word in ("--fault", name)]
    main([*chosen, "--shard", "1/2", "--cases", "1", "--tries", "0", "--lines", str(tmp_path), "-n", "1"])
    _, *found = read_lines(tmp_path / "model-chosen.jsonl")
    assert {line["name"] for line in found} == {name for name in names if Part(1, 2).has(name)} != set()
    assert {line.get("judged", 1) for line in found} == {1}


def test_each_clause_of_the_reference_engine_has_a_fault_that_applies_to_it() -> None:
    engine = ReferenceEngine()
    unpromised = unsupported(engine)
    applicable = [fault for fault in FAULTS.values() if not inapplicable(fault, engine, unpromised, ())]
    assert CATALOGUE.keys() - unpromised.keys() - {id for fault in applicable for id in fault.caught_by} == set()


def test_the_healthy_engine_judges_a_case_once(worker: PooledEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = deletes(1)
    first = worker.failed_by_itself(case)
    monkeypatch.setattr(worker, "judge", None)
    assert worker.failed_by_itself(case) == first == frozenset()
