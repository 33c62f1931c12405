"""``pytest suites --replay CASE.json`` judges one case again."""

from __future__ import annotations

from harness.campaigns.campaign import Worker


def test_replay(worker: Worker) -> None:
    worker.replay()
