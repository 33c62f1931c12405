"""``python -m benchmarks.own_part [ENGINE]``: the suite's time for a case relative to the engine's, measured in one run.

Also prints the number of steps judged per minute on one core, with and without drawing them.
"""

from __future__ import annotations

import time

from engines.provider import DEFAULT
from harness.campaigns.drawing import fixed_cases
from runner.command_line.commands import ended
from runner.run.controller import FIXED_SEED
from selfcheck.engine_pool import PooledEngine, hosted
from suites.campaigns import batches
from suites.profiles import PROFILES


def main(arguments: list[str]) -> int:
    name = arguments[0] if arguments else DEFAULT
    with hosted(name) as host:
        worker = PooledEngine(host)
        engine, judge = worker.engine, worker.judge()
        try:
            drawing = judging = engines = 0.0
            steps = 0
            for batch in batches(PROFILES["smoke"], ()):
                began = time.perf_counter()
                cases = fixed_cases(batch, FIXED_SEED, engine.capabilities)
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
        f"judged steps per minute: {steps / judging * 60:.0f}; with drawing them, {steps / (judging + drawing) * 60:.0f}"
    )
    return 0


if __name__ == "__main__":
    ended(main)
