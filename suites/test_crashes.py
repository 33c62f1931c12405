"""Commands that are killed in the middle: a DELETE or a VACUUM, stopped right after one of its effects on storage."""

from __future__ import annotations

from harness.campaigns.campaign import Batch, Worker, cases_from
from strategies.cases.crashes import crash_cases


@cases_from(crash_cases(), judged_by=("CRASH", "DEL", "VAC"), weight=60)
def test_crashes(batch: Batch, worker: Worker) -> None:
    """What is left is judged by log and storage; the steps that follow are judged as ever."""
    worker.judge(batch)
