"""``python -m runner.gate_version VERSION [pytest's options]``: the gate for that version, in its own environment.

VERSION is one of Delta on Spark, ``3.3.2`` or ``3.3.2@3.5.3`` with the PySpark, or ``NAME==VERSION`` of another engine:
``deltalake==1.6.3``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from engines.kind import Version
from engines.versions import version_of
from records.mistakes import UsageMistake
from reports.stream import FILE_NAME
from runner.commands import in_a_sentence
from runner.given_options import check_engine, check_gate, given

ROOT = Path(__file__).resolve().parent.parent

_USAGE = (
    "Name the version: tox -e gate-version -- 3.3.2 (or 3.3.2@3.5.3, with the PySpark; or deltalake==1.6.3), then options "
    "of the gate."
)


def available(text: str) -> Version:
    """The version that the text names. Raises EngineUnavailable or UsageMistake, with the remedy, if it cannot be judged.

    pip is asked for a release that is not known here, before an environment is made for it.
    """
    version = version_of(text)
    if not version.is_listed:
        requirement = version.requirements[0]
        asked = [sys.executable, "-m", "pip", "install", "-q", "--dry-run", "--no-deps", "--ignore-installed"]
        if subprocess.run([*asked, requirement], capture_output=True, check=False).returncode:
            raise UsageMistake(f"pip finds no {requirement}: name a release that exists.")
    return version


def variables(version: Version) -> dict[str, str]:
    """What tox.ini reads for the environment of a version: its name, what pip installs in it, and the engine."""
    return {
        "TOMBSTONE_ENVIRONMENT": "-".join(f"{name}-{number}" for name, number in version.parts.items()),
        "TOMBSTONE_REQUIREMENTS": "\n".join(version.requirements),
        "TOMBSTONE_ENGINE": version.engine,
    }


def run_gate(version: Version, arguments: Sequence[str], *, report: Path | None = None) -> int:
    """Run the gate in an environment that tox makes for the version, with these arguments to pytest; its exit code.

    The report goes to ``report``, after the stream of an earlier run was removed from there: tox also ends with 1 if it
    cannot make the environment, and that must not be read as a result.
    """
    if report is not None:
        (report / FILE_NAME).unlink(missing_ok=True)
        arguments = ["--report-dir", str(report), *arguments]
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("TOX_", "PYTEST_"))}
    command = [sys.executable, "-m", "tox", "run", "-q", "-e", "versioned", "--", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environ | variables(version), check=False).returncode


@in_a_sentence
def main(arguments: list[str]) -> int:
    """The gate's exit code; 2 if the version cannot be judged on this machine."""
    if not arguments or arguments[0].startswith("-"):
        raise UsageMistake(_USAGE)
    version, options = available(arguments[0]), arguments[1:]
    check_engine(given(options), version)
    check_gate(["--engine", version.engine, *options])
    return run_gate(version, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
