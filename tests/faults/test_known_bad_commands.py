"""Known-bad commands, and earlier sessions: each violates its clauses on a handmade case, none breaks on another."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.port import Engine
from faults import FAULTS, KnownBadEngine
from faults.life import commands
from faults.sessions import earlier_sessions
from harness.running.judge import JudgedCase
from model.codec import from_json, to_json
from model.vocabulary.case import Case
from reference_engine import ReferenceEngine
from tests.builders.observations import full_judge
from tests.handmade.commands import SHOWING
from tests.slow import slow_after

NAMES = [fault.name for fault in (*commands.FAULTS, *earlier_sessions.FAULTS)]


def judged(engine: Engine, case: Case, directory: Path) -> JudgedCase:
    result = full_judge(engine, directory).judge(case)
    assert result.failure is None, result.failure
    return result


@pytest.mark.parametrize("name", NAMES)
def test_the_fault_is_caught_and_nothing_on_the_healthy_engine(name: str, tmp_path: Path) -> None:
    bad = KnownBadEngine(ReferenceEngine(), FAULTS[name])
    assert set(FAULTS[name].caught_by) <= set(judged(bad, SHOWING[name], tmp_path / "bad").violated)
    assert not judged(ReferenceEngine(), SHOWING[name], tmp_path / "healthy").violated


def test_the_cases_can_be_written_to_a_file() -> None:
    assert [name for name, case in SHOWING.items() if from_json(to_json(case)) != case] == []


def test_every_fault_has_its_case() -> None:
    assert set(SHOWING) == set(NAMES)


@pytest.mark.parametrize("name", slow_after(8, NAMES[::5] + [name for name in NAMES if name not in NAMES[::5]]))
def test_no_fault_breaks_on_the_case_of_another(name: str, tmp_path: Path) -> None:
    for place, case in enumerate(list(SHOWING.values())[NAMES.index(name) % 4 :: 4]):
        judged(KnownBadEngine(ReferenceEngine(), FAULTS[name]), case, tmp_path / str(place))
