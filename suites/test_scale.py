"""Large tables: DELETE and VACUUM on thousands of files, stray files, versions and partitions, judged by the same clauses."""

from __future__ import annotations

from harness.campaigns.campaign import Batch, Worker, read_from
from strategies.cases.large_tables import large_cases


@read_from(large_cases, judged_by=("DEL", "VAC"))
def test_scale(batch: Batch, worker: Worker) -> None:
    """The profile scale judges them: each takes a minute or two of Spark's time."""
    worker.judge(batch)
