"""The directory of a report, before the report is written."""

from __future__ import annotations

import fcntl
from pathlib import Path
from types import TracebackType
from typing import IO, final

from records.mistakes import UsageMistake
from reports.render.marks import REPORT, clear_counterexamples, clear_files, require_own
from reports.stream.reading import FILE_NAME


@final
class Reserved:
    """A directory that no other run can use until it is closed. A context manager; ``prepare`` and ``reserve`` make it."""

    def __init__(self, directory: Path, stream: IO[bytes], *, is_new: bool) -> None:
        self._directory = directory
        self._stream = stream
        self._is_new = is_new  # whether there was no stream before

    def clear(self) -> None:
        """Remove an earlier run's report: a run that dies from now on must not leave it."""
        self._stream.truncate(0)
        self._is_new = False
        clear_files(self._directory, (name for name in REPORT if name != FILE_NAME))
        clear_counterexamples(self._directory / "counterexamples")

    def close(self) -> None:
        """Let others use it. Where no run has begun, nothing is left."""
        if self._is_new:
            (self._directory / FILE_NAME).unlink(missing_ok=True)
        self._stream.close()

    def __enter__(self) -> Reserved:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def reserve(directory: Path, *, option: str) -> Reserved:
    """Make the report directory, and keep other runs out of it; an earlier report stays. ``option`` is the one that names it.

    Raises UsageMistake if it cannot be written, another run uses it, or a file of the user's would be replaced.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        is_new = not (directory / FILE_NAME).exists()
        stream = open(directory / FILE_NAME, "ab")  # noqa: SIM115 - it is open as long as the run
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageMistake(f"Another run writes its report to {directory}: name another with {option}.") from None
    except OSError as error:
        raise UsageMistake(f"{option} {directory} cannot be written ({error.strerror}): name another.") from error
    reserved = Reserved(directory, stream, is_new=is_new)
    try:
        require_own(directory, REPORT, option=option)
    except UsageMistake:
        reserved.close()
        raise
    return reserved


def prepare(directory: Path, *, option: str) -> Reserved:
    """The same, without an earlier report."""
    reserved = reserve(directory, option=option)
    reserved.clear()
    return reserved
