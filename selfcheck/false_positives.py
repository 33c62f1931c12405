"""The worker processes of ``selfcheck.soundness``: they judge batches on a healthy engine and report false positives."""

from __future__ import annotations

import json
import time
from functools import cache
from pathlib import Path
from typing import Any

from engines.port import version_of
from harness.campaigns.campaign import Batch
from harness.campaigns.shrinking import truncated
from model.codec import case_id, from_json, to_json
from model.vocabulary.case import Case
from selfcheck.detection import Stopwatch
from selfcheck.engine_pool import worker
from selfcheck.history import Line
from selfcheck.random_cases import random_batches, random_cases


def version() -> str:
    """The engine's own version."""
    return version_of(worker().engine)


def judged(seed: int, name: str) -> Line:
    """The line of a batch: its counts, and the cases that violated a clause or could not be judged."""
    here, batch = worker(), _batches()[name]
    watch = Stopwatch(here.engine)
    judge, capabilities = here.judge(watch), here.engine.capabilities
    line: Line = {"seed": seed, "batch": batch.name, "cases": 0, "steps": 0, "alarms": [], "errors": []}
    began = time.monotonic()

    for case in random_cases(batch, seed, capabilities):
        found = judge.judge(case)
        line["cases"] += 1
        line["steps"] += len(found.steps)
        if found.failure is not None:
            line["errors"].append(_entry(case, found.failure.message))
        if found.failed:
            short = truncated(case, max(step.index for step in found.steps))
            for id in found.failed:
                violation = found.tallies[id].violations[0]
                line["alarms"].append({"clause": id, **_entry(short, violation.message)})
    return {**line, "seconds": round(time.monotonic() - began, 3), "engine_seconds": round(watch.seconds, 3)}


def is_known(case: Path, clause: str) -> bool:
    """Whether the case still violates the clause, and everything that it violates is a known fault by now.

    A case that no longer violates it on the same engine is flaky, and remains a false positive.
    """
    judged = worker().judge().judge(from_json(json.loads(case.read_text(encoding="utf-8"))))
    return clause in judged.violated and not judged.failed


@cache
def _batches() -> dict[str, Batch]:
    """By name: a campaign's strategy cannot be pickled."""
    return {batch.name: batch for batch in random_batches()}


def _entry(case: Case, message: str) -> dict[str, Any]:
    return {"case": case_id(case), "message": message, "value": to_json(case)}
