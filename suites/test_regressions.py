"""The cases of ``regressions/``, which every run judges first."""

from __future__ import annotations

from harness.campaigns.campaign import Batch, Worker, read_from
from harness.campaigns.regressions import kept_cases


@read_from(kept_cases, judged_by=("DEL", "VAC", "READ", "LIFE", "CRASH", "CONC"))
def test_regressions(batch: Batch, worker: Worker) -> None:
    worker.judge(batch)
