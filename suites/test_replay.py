"""``pytest suites --replay CASE.json``: one case, judged again."""

from __future__ import annotations

from runner.referee import Referee


def test_replay(referee: Referee) -> None:
    referee.replay()
