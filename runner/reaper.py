"""Cleans up after a run that was killed: a separate process, whose standard input ends when the run does.

Lines of its input: ``remove PATH`` (a directory that the run made), ``kill PID`` (a process that the run started), ``done``
(the run cleaned up by itself). Run as a script, with the standard library only.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
from collections.abc import Iterable


def reap(lines: Iterable[str]) -> None:
    """Read until the input ends; then clean up, unless there was a ``done``."""
    directories: list[str] = []
    processes: list[int] = []
    for line in lines:
        word, _, argument = line.rstrip("\n").partition(" ")
        if word == "done":
            return
        if word == "remove":
            directories.append(argument)
        elif word == "kill":
            processes.append(int(argument))
    for pid in processes:
        end(pid)
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)


def end(pid: int) -> None:
    """Kill a process, and wait until it can no longer write; a second at most, as its parent may never reap it."""
    for _ in range(100):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            return
        select.select([], [], [], 0.01)


if __name__ == "__main__":
    reap(sys.stdin)
