"""Two sessions at once: pairs of commands, the first held at a point until the second has finished."""

from __future__ import annotations

from harness.campaigns.campaign import Batch, Worker, cases_from
from strategies.cases.at_once import cases_at_once


@cases_from(cases_at_once(), judged_by=("CONC", "DEL", "VAC", "READ"), weight=60)
def test_at_once(batch: Batch, worker: Worker) -> None:
    """The order of their commits says what the table must be; the steps that follow are judged as ever."""
    worker.judge(batch)
