"""``pytest suites --replay CASE.json``: one case, judged again."""

from __future__ import annotations

from suites.drawing import Referee


def test_replay(referee: Referee) -> None:
    referee.replay()
