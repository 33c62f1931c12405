"""``python -m benchmarks.own_part``: the suite's own part of a case's time, as a ratio of the engine's in the same run."""

from __future__ import annotations

import sys
import time

import suites.clauses  # noqa: F401 - fills the catalogue
from engines.provider import Provider
from engines.spark.adapter import SparkEngine
from runner.controller import FIXED_SEED
from runner.workspace import Workspace
from suites.campaigns import shards
from suites.clause import CATALOGUE
from suites.drawing import fixed_cases
from suites.judge import Judge
from suites.profiles import PROFILES


def main() -> int:
    workspace = Workspace(None)
    provider = Provider(
        "spark",
        directory=workspace.directory,
        started=workspace.started,
        spark_conf={},
        extra_classpath=(),
        jars=(),
        master="local[*]",
    )
    try:
        provider.start()
        judge = Judge(SparkEngine(provider.lease), list(CATALOGUE.values()), workspace.directory / "tables")
        drawing = judging = engine = 0.0
        steps = 0
        for shard in shards(PROFILES["smoke"], ()):
            began = time.perf_counter()
            cases = fixed_cases(shard, FIXED_SEED)
            drawn = time.perf_counter()
            for case in cases:
                judged = judge.judge(case)
                engine += sum(step["seconds"] for step in judged.steps)
                steps += len(judged.steps)
            drawing += drawn - began
            judging += time.perf_counter() - drawn
        own = judging - engine
        print(f"{steps} steps of the engine: {engine / steps:.3f} s each")
        print(
            f"drawing: {drawing / engine:.1%} of the engine's time; making, observing and judging: {own / engine:.1%}"
        )
    finally:
        provider.close()
        workspace.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
