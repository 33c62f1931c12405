"""Random cases on healthy engines in turn: none is an alarm, and an alarm is told with its case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from model.codec import case_id, from_json
from model.vocabulary.case import Case
from model.vocabulary.steps import Vacuum
from selfcheck import turn_soundness
from selfcheck.random_cases import random_batches
from selfcheck.turn_soundness import PAIRS, FalseAlarm, TurnBatch, judged, main
from tests.harness.test_turns import TABLE

#: The place of a batch of VACUUMs among those of a seed.
VACUUMS = [batch.campaign.name for batch in random_batches()].index("vacuum-retention")

CASE = Case(TABLE, (Vacuum(),))


@pytest.mark.long
@pytest.mark.parametrize("pair", [*PAIRS][2:3])
def test_healthy_engines_in_turn_are_no_alarm(pair: str) -> None:
    found = judged(pair, 7, VACUUMS)
    assert found.cases and found.steps > 2 * found.cases and not found.alarms


class Here:
    """A pool of no process."""

    map = staticmethod(map)

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        return None


@pytest.mark.parametrize(("alarms", "code"), [((), 0), ((FalseAlarm(CASE, "A: gone: VAC-SAFE-2: it is gone"),), 1)])
def test_an_alarm_is_told_with_its_case(
    alarms: tuple[FalseAlarm, ...],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(turn_soundness, "processes", lambda _: Here())
    asked: list[tuple[str, int]] = []

    def fake(pair: str, seed: int, number: int) -> TurnBatch:
        asked.append((pair, seed))
        return TurnBatch(pair, 10, 40, alarms if len(asked) == 1 else ())

    monkeypatch.setattr(turn_soundness, "judged", fake)
    assert main(["--cases", "15", "--seed", "3", "-n", "1"]) == code
    said = capsys.readouterr().out
    first = next(iter(PAIRS))
    assert f"{first}: 20 cases in both orders, 80 steps, {len(alarms)} false alarm" in said
    assert {pair for pair, _ in asked} == {*PAIRS} and {seed for _, seed in asked} == {3}
    file = tmp_path / turn_soundness.DIRECTORY / f"{case_id(CASE)}.json"
    assert file.exists() == bool(alarms)
    if alarms:
        assert f"{first}: A: gone: VAC-SAFE-2: it is gone" in said
        assert from_json(json.loads(file.read_text(encoding="utf-8"))) == CASE
