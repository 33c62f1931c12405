"""DELETE and VACUUM under session settings that users change and that must not matter, Spark's own defaults among them."""

from __future__ import annotations

from harness.campaigns.campaign import Batch, Worker, cases_from
from strategies.cases.settings import configured_cases


@cases_from(configured_cases(), judged_by=("DEL", "VAC"), weight=60)
def test_settings(batch: Batch, worker: Worker) -> None:
    """The same clauses judge them: no setting excuses anything."""
    worker.judge(batch)
