"""The state machine of the random profiles, on the reference engine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import suites.clauses  # noqa: F401 - fills the catalogue
from selfcheck.faults import FAULTS, KnownBadEngine
from model.codec import from_json
from selfcheck.reference_engine import ReferenceEngine
from suites.campaigns import EXPLORATION, Shard
from harness.conditions import CONDITIONS, Condition, KnownDeviation
from harness.clause import CATALOGUE
from suites.drawing import Drawing, PromiseBroken
from harness.judge import Judge


def explore(
    engine: Any, directory: Path, lines: list[dict[str, Any]], *, runs: int, listed: Iterable[KnownDeviation] = ()
) -> Judge:
    judge = Judge(engine, list(CATALOGUE.values()), directory, listed)
    drawing = Drawing(Shard(EXPLORATION, 0, runs), judge.judge, lines.append, lambda clause: True)
    drawing.explore(judge, seed=3)
    return judge


def test_a_right_engine_is_explored_to_the_end(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    explore(ReferenceEngine(), tmp_path, lines, runs=25)
    assert len(lines) >= 15 and not any(line["violations"] or line["error"] for line in lines)
    assert max(len(line["steps"]) for line in lines) == 12, "some runs use up their steps"
    assert not list(tmp_path.iterdir())


def test_a_fault_is_found_and_told_as_a_case(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    bad = KnownBadEngine(ReferenceEngine(), FAULTS["vacuums-inside-retention"])
    with pytest.raises(PromiseBroken, match="VAC-"):
        explore(bad, tmp_path, lines, runs=100)
    shown = lines[-1]
    assert shown["violations"]
    judged = Judge(bad, list(CATALOGUE.values()), tmp_path / "again").judge(from_json(shown["case"]))
    assert judged.violated == [id for id, result in shown["clauses"].items() if result["verdict"] == "fail"]


def test_what_is_known_in_a_circumstance_ends_the_case_and_not_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CONDITIONS, "any step", Condition("any step", "Always.", lambda seen: True))
    lines: list[dict[str, Any]] = []
    known = [KnownDeviation(clause, "any step") for clause in CATALOGUE]
    explore(KnownBadEngine(ReferenceEngine(), FAULTS["vacuums-inside-retention"]), tmp_path, lines, runs=25, listed=known)
    excused = [line for line in lines if line["violations"]]
    assert excused and len(lines) >= 15 and not any(line["error"] for line in lines)
    assert all(violation["step"] == line["steps"][-1]["index"] for line in excused for violation in line["violations"])
