"""The state machine of the random profiles, on the reference engine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from engines.port import Engine
from harness.conditions import CONDITIONS, KnownDeviation
from harness.drawing import PromiseBroken
from harness.shard_runner import ShardRunner
from model.codec import from_json
from selfcheck.faults import FAULTS, KnownBadEngine
from selfcheck.reference_engine import ReferenceEngine
from suites.campaigns import EXPLORATION, Shard
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES
from tests.builders.observations import full_judge


def explore(
    engine: Engine, directory: Path, lines: list[dict[str, Any]], *, runs: int, listed: Iterable[KnownDeviation] = ()
) -> None:
    runner = ShardRunner(
        Shard(EXPLORATION, 0, runs),
        full_judge(engine, directory, listed),
        emit=lines.append,
        claim=lambda *what: True,
    )
    runner.run(profile=PROFILES["nightly"], seed=3, database=directory / "examples")


def known_bad(fault: str) -> Engine:
    return KnownBadEngine(ReferenceEngine(), FAULTS[fault])


def test_a_healthy_engine_is_explored_to_the_end(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    explore(ReferenceEngine(), tmp_path, lines, runs=25)
    assert len(lines) >= 15 and not any(line["violations"] or line["error"] for line in lines)
    assert max(len(line["steps"]) for line in lines) == 12, "some runs use up their steps"
    assert not list(tmp_path.iterdir())


def test_a_fault_is_found_and_recorded_as_a_case(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    bad = known_bad("removes-without-time")
    with pytest.raises(PromiseBroken, match="DEL-REM-1A"):
        explore(bad, tmp_path, lines, runs=100)
    shown = lines[-1]
    assert shown["violations"]
    judged = full_judge(bad, tmp_path / "again").judge(from_json(shown["case"]))
    assert judged.violated == [id for id, result in shown["clauses"].items() if result["verdict"] == "fail"]


def test_a_known_deviation_ends_the_case_and_not_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONDITIONS, "any step", lambda observation: True)
    lines: list[dict[str, Any]] = []
    known = [KnownDeviation(clause, "any step") for clause in CATALOGUE]
    explore(known_bad("vacuums-inside-retention"), tmp_path, lines, runs=25, listed=known)
    excused = [line for line in lines if line["violations"]]
    assert excused and len(lines) >= 15 and not any(line["error"] for line in lines)
    assert all(violation["step"] == line["steps"][-1]["index"] for line in excused for violation in line["violations"])
