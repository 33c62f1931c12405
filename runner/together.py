"""``python -m runner.together A B [options of a gate]``: two versions in turn on the same tables, as before and after an upgrade.

Each case runs in both orders; after each step the other version reads the table. What a version does wrong by itself, on the
same case, does not count. A and B are versions of Delta, such as 3.3.2, or of another engine: deltalake==1.6.6. The report is
that of a gate. Without ``--profile`` the cases are judged that show most in turn; with Spark three minutes of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from engines.kind import Version
from engines.pair import text_of
from engines.port import EngineUnavailable
from records.mistakes import UsageMistake
from reports.render.report_directory import prepare
from runner.command_line.commands import ended
from runner.gate_version import ROOT, available, python_of
from runner.judgeable import check_gate, given_in
from runner.processes.child_process import exit_code_of
from tombstone.commands import TOGETHER
from tombstone.reading import asked_of

DIRECTORY = Path("build/together")

#: The budget of a pair with Spark where none is asked for: a step of Spark takes a second, one of delta-rs milliseconds.
WITH_SPARK = "3m"


def run_in_turn(a: Version, b: Version, options: Sequence[str], *, report: Path) -> int:
    """Run both in turn, with these options of a gate; the exit code. The report goes to ``report``, after that of an earlier run
    was removed from there.

    Raises UsageMistake for options that it does not take, and if an environment cannot be made.
    """
    chosen = dict(given_in(options))
    arguments = ["--engine", text_of(a, b), *options]
    if "profile" not in chosen:
        arguments += ["--profile", "together"]
        chosen["profile"] = "together"
        if "budget" not in chosen and "replay" not in chosen and "spark" in (a.engine, b.engine):
            arguments += ["--budget", WITH_SPARK]
    check_gate(text_of(a, b), chosen)
    if "replay" not in chosen:
        prepare(report, option="--out").close()
    try:
        for version in (a, b):
            python_of(version)
    except EngineUnavailable as refusal:
        raise UsageMistake(str(refusal)) from refusal
    workers = ["-n", "auto", "--maxprocesses", "8", "--dist", "load", "--maxschedchunk", "1"]
    command = [sys.executable, "-m", "pytest", "-c", "tox.ini", "suites", "-q", *workers, *arguments]
    return exit_code_of([*command, "--report-dir", str(report)], directory=ROOT, environ=os.environ)


def main(arguments: list[str]) -> int:
    asked = asked_of(TOGETHER, arguments)
    a, b = map(available, asked.words)
    if (a.engine, a.number) == (b.engine, b.number):
        raise UsageMistake(f"{a.title} is named twice: name two versions.")
    return run_in_turn(a, b, asked.passed, report=ROOT / (asked.out or DIRECTORY / "-".join(asked.words)))


if __name__ == "__main__":
    ended(main)
