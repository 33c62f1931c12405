"""``python -m runner.gate_version DELTA[@PYSPARK] [pytest's options]``: the gate for that version, in its own environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from engines.versions import Pair, pair_of
from reports.stream import FILE_NAME
from runner.commands import in_a_sentence
from runner.options import UsageMistake

ROOT = Path(__file__).resolve().parent.parent

_USAGE = "Name the version: tox -e gate-version -- 3.3.2 (or 3.3.2@3.5.3, with the PySpark), then options of the gate."


def run_gate(pair: Pair, arguments: Sequence[str], *, report: Path | None = None) -> int:
    """Run the gate in an environment that tox makes (tox.ini, ``versioned``), with these arguments to pytest; its exit code.

    The report goes to ``report``, after the stream of an earlier run was removed from there: tox also ends with 1 if it
    cannot make the environment, and that must not be read as a result.
    """
    if report is not None:
        (report / FILE_NAME).unlink(missing_ok=True)
        arguments = ["--report-dir", str(report), *arguments]
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("TOX_", "PYTEST_"))}
    environ |= {"TOMBSTONE_DELTA": pair.delta, "TOMBSTONE_PYSPARK": pair.pyspark}
    command = [sys.executable, "-m", "tox", "run", "-q", "-e", "versioned", "--", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode


@in_a_sentence
def main(arguments: list[str]) -> int:
    """The gate's exit code; 2 if the version cannot be judged on this machine."""
    if not arguments or arguments[0].startswith("-"):
        raise UsageMistake(_USAGE)
    return run_gate(pair_of(arguments[0]), arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
