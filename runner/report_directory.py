"""The report directory at the begin of a run."""

from __future__ import annotations

import shutil
from pathlib import Path

from reports.stream import FILE_NAME
from runner.options import UsageMistake


def prepare(directory: Path) -> None:
    """Make the directory, without anything of an earlier run: a run that dies must not leave its views. Raises UsageMistake."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / FILE_NAME).write_text("")
        for view in ("junit.xml", "summary.md"):
            (directory / view).unlink(missing_ok=True)
        for case in directory.glob("counterexamples/*/case.json"):
            shutil.rmtree(case.parent)
    except OSError as error:
        raise UsageMistake(f"--report-dir {directory} cannot be written ({error.strerror}): name another.") from error
