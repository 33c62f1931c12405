"""``pytest suites --replay CASE.json``: one case, judged again."""

from __future__ import annotations

from harness.campaign import Worker


def test_replay(worker: Worker) -> None:
    worker.replay()
