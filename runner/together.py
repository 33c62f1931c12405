"""``python -m runner.together A B [options of a gate]``: two versions in turn on the same tables, as before and after an upgrade.

Each case runs in both orders; after each step the other version reads the table. What a version does wrong by itself, on the
same case, does not count. A and B are versions of Delta, such as 3.3.2, or of another engine: deltalake==1.6.6. The report is
that of a gate. Without ``--profile`` the cases are judged that show most in turn; of two versions on Spark three minutes of them.
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
from runner.command_line.commands import Parser, ended
from runner.command_line.given_options import check_gate, given
from runner.gate_version import ROOT, available, python_of
from runner.processes.child_process import exit_code_of

DIRECTORY = Path("build/together")

#: What two versions on Spark judge without a budget: a step of Spark takes a second, one of delta-rs milliseconds.
ON_TWO_SPARKS = "3m"


def run_in_turn(a: Version, b: Version, options: Sequence[str], *, report: Path) -> int:
    """Run both in turn, with these options of a gate; the exit code. The report goes to ``report``, after that of an earlier run
    was removed from there.

    Raises UsageMistake for options that it does not take, and if an environment cannot be made.
    """
    chosen = given(options)
    arguments = ["--engine", text_of(a, b), *options]
    if "profile" not in chosen:
        arguments += ["--profile", "together"]
        if "budget" not in chosen and "replay" not in chosen and a.engine == b.engine == "spark":
            arguments += ["--budget", ON_TWO_SPARKS]
    check_gate(arguments)
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
    parser = Parser(prog="tox -e together --", description=(__doc__ or "").partition("\n")[2], allow_abbrev=False)
    parser.add_argument(
        "a", metavar="A", help="a version of Delta, such as 3.3.2; or of another engine: deltalake==1.6.6"
    )
    parser.add_argument("b", metavar="B", help="another version")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the report goes (default: build/together/A-B)")
    asked, options = parser.parse_known_args(arguments)
    a, b = available(asked.a), available(asked.b)
    if (a.engine, a.version) == (b.engine, b.version):
        raise UsageMistake(f"{a.title} is named twice: name two versions.")
    return run_in_turn(a, b, options, report=ROOT / (asked.out or DIRECTORY / f"{asked.a}-{asked.b}"))


if __name__ == "__main__":
    ended(main)
