"""``python -m benchmarks.rendering RUN [CASES]``: the time and the memory that ``reports render`` needs for a large run.

Makes a stream of so many case lines (100,000 without a number) out of those of a real run, each with an id of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from reports.stream.lines import line_of
from reports.stream.reading import FILE_NAME, Run, read_run
from reports.stream.writing import RunWriter


def main(arguments: Sequence[str]) -> int:
    if len(arguments) not in (1, 2):
        print(__doc__)
        return 2
    run, number = read_run(arguments[0]), int(arguments[1]) if len(arguments) == 2 else 100_000
    if number < len(run.cases):
        print(f"The run has {len(run.cases)} cases: name more.")
        return 2
    with TemporaryDirectory() as directory:
        path = Path(directory, FILE_NAME)
        write(run, number, path)
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "reports", "render", path],
            cwd=Path(__file__).parent.parent,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        took = time.perf_counter() - began
        size = path.stat().st_size
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = used.ru_maxrss / 1024  # KiB on Linux
    print(
        f"{number} cases, {size / 10**6:.0f} MB: {took:.1f} s, {used.ru_utime:.1f} s of a processor, {memory:.0f} MiB"
    )
    return 0


def write(run: Run, number: int, path: Path) -> None:
    """A stream of ``number`` cases, those of the run in turn; its verdicts are the run's."""
    with RunWriter(path) as writer:
        writer.header(run.header)
        steps = 0
        for place in range(number):
            case = run.cases[place % len(run.cases)]
            steps += len(case.steps)
            writer.case(line_of(replace(case, id=f"{place:012x}", index=place)))
        writer.footer(replace(run.footer, cases=number, steps=steps))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
