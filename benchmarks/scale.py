"""``python -m benchmarks.scale [FILES]``: how the suite's own part of judging grows with the size of a table, and its memory.

The own part is everything but the engine's steps: making the table, observing it, judging, and recording. It is measured in
seconds of the processor, which other work on the machine does not change much, on the reference engine. Each size runs in a
process of its own, whose greatest memory is that of the suite and of this engine together. FILES, by default 16000, is the size
of the largest table; 100000 takes some minutes.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from engines.port import Outcome
from harness.campaigns.record import case_record
from harness.running.judge import Judge
from model.vocabulary.large_tables import Size
from model.vocabulary.steps import Request
from model.vocabulary.table import Feature
from records.json_form import to_json
from reference_engine import ReferenceEngine
from runner.command_line.commands import ended
from strategies.cases.large_tables import large_case
from suites.catalogue import promised

#: The size of the largest table in the respect in which files are not counted, and the steps between sizes.
_VERSIONS, _STRAY_FILES, _FILES, _FACTOR = 1_000, 10_000, 16_000, 4

#: The engine writes a checkpoint every second version, which is judged too.
_CHECKPOINTS = (Feature.FREQUENT_CHECKPOINTS.value,)
_VECTORS = (Feature.DELETION_VECTORS.value, *_CHECKPOINTS)


@dataclass(frozen=True)
class Measured:
    own: float  # seconds of the processor
    engine: float
    memory: int  # bytes, the most that the process had
    violated: tuple[str, ...]


class _Timed(ReferenceEngine):
    """Measures the seconds of the processor that its steps take."""

    def __init__(self) -> None:
        super().__init__()
        self.spent = 0.0

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        began = time.process_time()
        try:
            return super().run(root, step, clock=clock, version=version)
        finally:
            self.spent += time.process_time() - began


def measure(size: Size) -> Measured:
    """Judge the case on a table of this size."""
    pa.set_memory_pool(pa.system_memory_pool())  # as runner.run.worker does
    engine = _Timed()
    clauses = promised(engine)
    case = large_case(size)
    with tempfile.TemporaryDirectory() as directory:
        began = time.process_time()
        judged = Judge(engine, clauses, Path(directory)).judge(case)
        to_json(case_record(judged, campaign="scale", batch=0, index=0, origin="generated"))
        seconds = time.process_time() - began
    if judged.failure is not None:
        raise RuntimeError(judged.failure.message)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Measured(seconds - engine.spent, engine.spent, memory, tuple(judged.violated))


def exponent(first: tuple[int, float], last: tuple[int, float]) -> float:
    """By which power of the size the time grows: 1 is in proportion to it."""
    return math.log(last[1] / first[1]) / math.log(last[0] / first[0])


def main(arguments: list[str]) -> int:
    files = int(arguments[0]) if arguments else _FILES
    broken = False
    for what, sizes, size_of in (
        ("files", _sizes(files), lambda number: Size(number, features=_CHECKPOINTS)),
        ("files, with deletion vectors", _sizes(min(files, _FILES)), lambda number: Size(number, features=_VECTORS)),
        ("versions", _sizes(_VERSIONS), lambda number: Size(2_000, versions=number)),
        ("versions, with as many files in each", _sizes(_VERSIONS), lambda number: Size(8 * number, number)),
        ("stray files", _sizes(_STRAY_FILES), lambda number: Size(500, stray_files=number)),
        ("partitions", _sizes(_VERSIONS), lambda number: Size(2_000, partitions=number)),
    ):
        broken = _show(what, sizes, size_of) or broken
    return 1 if broken else 0


def _sizes(largest: int) -> Sequence[int]:
    return [largest // _FACTOR**2, largest // _FACTOR, largest]


def _show(what: str, sizes: Sequence[int], size_of: Callable[[int], Size]) -> bool:
    """Print the figures of these sizes; whether a clause was violated."""
    found = [(number, _in_a_process(size_of(number))) for number in sizes]
    own = [(number, measured.own) for number, measured in found]
    each = ", ".join(f"{number:,} in {seconds:.1f} s" for number, seconds in own)
    memory = max(measured.memory for _, measured in found) / 1e6
    print(
        f"{what}: {each}; exponent {exponent(own[0], own[-1]):.2f}, from the middle on {exponent(own[1], own[-1]):.2f}"
    )
    print(f"  the engine's part {found[-1][1].engine:.1f} s; at most {memory:.0f} MB", flush=True)
    violated = sorted({id for _, measured in found for id in measured.violated})
    if violated:
        print(f"  violated: {', '.join(violated)}")
    return bool(violated)


def _in_a_process(size: Size) -> Measured:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, size).result()


if __name__ == "__main__":
    ended(main)
