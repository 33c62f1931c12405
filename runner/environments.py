"""The gate for another version, in an environment that tox makes (tox.ini, ``versioned``)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from engines.versions import Pair
from reports.stream import FILE_NAME

ROOT = Path(__file__).resolve().parent.parent


def run_gate(pair: Pair, arguments: Sequence[str], *, report: Path | None = None) -> int:
    """Run the gate on a Delta and its PySpark, with these arguments to pytest; its exit code.

    The report goes to ``report``. The stream of an earlier run is removed from there: tox also ends with 1 if it cannot make
    the environment, and that must not be read as a result.
    """
    if report is not None:
        (report / FILE_NAME).unlink(missing_ok=True)
        arguments = ["--report-dir", str(report), *arguments]
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("TOX_", "PYTEST_"))}
    environ |= {"TOMBSTONE_DELTA": pair.delta, "TOMBSTONE_PYSPARK": pair.pyspark}
    command = [sys.executable, "-m", "tox", "run", "-q", "-e", "versioned", "--", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode
