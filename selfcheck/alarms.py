"""What a worker process of ``selfcheck.soundness`` does: it judges the cases of a shard, and says which raised an alarm."""

from __future__ import annotations

import json
import time
from functools import cache
from pathlib import Path
from typing import Any

from engines.port import version_of
from model.case import Case
from model.codec import case_id, from_json, to_json
from selfcheck.bench import worker
from selfcheck.detection import Stopwatch
from selfcheck.ledger import Line
from selfcheck.random_cases import explore, random_cases, random_shards
from suites.campaigns import EXPLORATION, Shard
from harness.judge import JudgedCase
from harness.shrinking import truncated


def version() -> str:
    """The engine's own version."""
    return version_of(worker().engine)


def judged(seed: int, name: str) -> Line:
    """The cases of the shard of this name: how many, and each that raised an alarm or could not be judged."""
    here, shard = worker(), _shards()[name]
    watch = Stopwatch(here.engine)
    judge, capabilities = here.judge(watch), here.engine.capabilities
    sums: Line = {"seed": seed, "shard": shard.name, "cases": 0, "steps": 0, "alarms": [], "errors": []}
    began = time.monotonic()

    def take(judged: JudgedCase) -> None:
        sums["cases"] += 1
        sums["steps"] += len(judged.steps)
        if judged.failure is not None:
            sums["errors"].append(_entry(judged.case, judged.failure.message))
        if judged.failed:
            case = truncated(judged.case, max(step["index"] for step in judged.steps))
            for id in judged.failed:
                _, violation = judged.tallies[id].violations[0]
                sums["alarms"].append({"clause": id, **_entry(case, violation.message)})

    if shard.campaign is EXPLORATION:
        try:
            explore(shard, seed, judge, capabilities, take)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours, and the ledger says so
            sums["errors"].append({"case": "", "message": f"{type(error).__name__}: {error}", "value": None})
    else:
        for case in random_cases(shard, seed, capabilities):
            take(judge.judge(case))
    return {**sums, "seconds": round(time.monotonic() - began, 3), "engine_seconds": round(watch.seconds, 3)}


def is_known(case: Path, clause: str) -> bool:
    """Whether the case breaks the clause as before, and all that it breaks is known of the engine by now.

    One that breaks it no more, with the same suite and engine, breaks it now and then: that stays an alarm.
    """
    judged = worker().judge().judge(from_json(json.loads(case.read_text(encoding="utf-8"))))
    return clause in judged.violated and not judged.failed


@cache
def _shards() -> dict[str, Shard]:
    """By name: a campaign's strategy cannot be sent to another process."""
    return {shard.name: shard for shard in random_shards()}


def _entry(case: Case, message: str) -> dict[str, Any]:
    return {"case": case_id(case), "message": message, "value": to_json(case)}
