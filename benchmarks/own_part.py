"""``python -m benchmarks.own_part [ENGINE]``: the suite's own part of a case's time, as a ratio of the engine's in one run.

Says also how many steps are judged in a minute, on one core: with drawing them and without.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import suites.clauses  # noqa: F401 - fills the catalogue
from engines.provider import ENGINES
from selfcheck.bench import bench, open_engine
from runner.controller import FIXED_SEED
from suites.campaigns import shards
from harness.clause import CATALOGUE, unsupported
from suites.drawing import fixed_cases
from harness.judge import Judge
from suites.profiles import PROFILES


def main(arguments: Sequence[str]) -> int:
    name = arguments[0] if arguments else "spark"
    if name not in ENGINES:
        print(f"{name} is not known: use one of {', '.join(ENGINES)}.")
        return 2
    with bench(name) as place:
        engine = open_engine(place)
        try:
            left_out = unsupported(engine)
            clauses = [clause for id, clause in CATALOGUE.items() if id not in left_out]
            judge = Judge(engine, clauses, place.directory / "tables")
            drawing = judging = engines = 0.0
            steps = 0
            for shard in shards(PROFILES["smoke"], ()):
                began = time.perf_counter()
                cases = fixed_cases(shard, FIXED_SEED, engine.capabilities)
                drawn = time.perf_counter()
                for case in cases:
                    judged = judge.judge(case)
                    engines += sum(step["seconds"] for step in judged.steps)
                    steps += len(judged.steps)
                drawing += drawn - began
                judging += time.perf_counter() - drawn
        finally:
            engine.close()
    own = judging - engines
    print(f"{name}: {steps} steps of the engine, {engines / steps * 1000:.0f} ms each")
    print(f"drawing: {drawing / engines:.1%} of the engine's time; making, observing and judging: {own / engines:.1%}")
    print(
        f"judged steps in a minute: {steps / judging * 60:.0f}; with drawing them, {steps / (judging + drawing) * 60:.0f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
