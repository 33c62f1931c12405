"""The reference engine's other commands: no clause is violated, so our own reader sees what the model predicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.running.judge import JudgedCase
from model.codec import from_json, to_json
from model.vocabulary.case import Case
from model.vocabulary.steps import ENGINE_STEPS
from reference_engine import ReferenceEngine
from tests.builders.observations import full_judge
from tests.handmade.commands import EACH, FEATURES, HANDMADE, REFUSED
from tests.slow import slow_after

#: Each command on one table, always another, then on the other tables.
NAMES = sorted(EACH, key=lambda name: (list(EACH).index(name) % (len(FEATURES) + 1)) > 0)


def judged(case: Case, directory: Path) -> JudgedCase:
    """The case on the reference engine, which must violate no clause."""
    result = full_judge(ReferenceEngine(), directory).judge(case)
    assert result.failure is None, result.failure
    assert not result.violated, {id: result.tallies[id].violations for id in result.violated}
    return result


def refused(result: JudgedCase) -> list[int]:
    return [step.index for step in result.steps if step.outcome.error is not None]


@pytest.mark.parametrize("name", slow_after(len(EACH) // len(FEATURES), NAMES))
def test_a_command_does_as_predicted(name: str, tmp_path: Path) -> None:
    result = judged(EACH[name], tmp_path)
    assert "LIFE-1A" in result.tallies
    assert not refused(result)


def test_the_cases_can_be_written_to_a_file() -> None:
    assert [name for name, case in {**EACH, **HANDMADE}.items() if from_json(to_json(case)) != case] == []


@pytest.mark.parametrize("name", HANDMADE)
def test_commands_do_as_predicted_one_after_another(name: str, tmp_path: Path) -> None:
    case = HANDMADE[name]
    result = judged(case, tmp_path)
    assert not refused(result)
    assert len(result.steps) == sum(isinstance(step, ENGINE_STEPS) for step in case.steps), "it ended early"


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_done_is_refused(name: str, tmp_path: Path) -> None:
    case, steps = REFUSED[name]
    assert refused(judged(case, tmp_path)) == steps
