"""Cleans up after a run that was killed: a separate process whose standard input ends with the run.

Its input lines: ``remove PATH`` (a directory of the run), ``kill PID`` (a process of the run), ``done`` (the run has cleaned
up). Runs as a script, with the standard library only.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
from collections.abc import Iterable


def reap(lines: Iterable[str]) -> None:
    """Read to the end of the input, then clean up, unless a line is ``done``."""
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
    """Kill a process, and wait until it is gone: at most a second, as its parent may never reap it."""
    for _ in range(100):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            return
        select.select([], [], [], 0.01)


if __name__ == "__main__":
    reap(sys.stdin)
