"""The directory of a report, before the report is written."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path
from typing import IO

from records.mistakes import UsageMistake
from reports.stream import FILE_NAME


def prepare(directory: Path, *, option: str) -> IO[bytes]:
    """Make the report directory and remove an earlier run's report: a run that dies must not leave it. Raises UsageMistake.

    No other run can use the directory while the file that it returns is open. ``option`` is the one that names the directory.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        stream = open(directory / FILE_NAME, "ab")  # noqa: SIM115 - it is open as long as the run
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        stream.truncate(0)
        for view in ("report.html", "junit.xml", "summary.md", "badge.json"):
            (directory / view).unlink(missing_ok=True)
        for case in directory.glob("counterexamples/*/case.json"):
            shutil.rmtree(case.parent)
        return stream
    except BlockingIOError:
        raise UsageMistake(f"Another run writes its report to {directory}: name another with {option}.") from None
    except OSError as error:
        raise UsageMistake(f"{option} {directory} cannot be written ({error.strerror}): name another.") from error
