"""Runs a command as a child process, which ends itself when the user interrupts both."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from runner.command_line.launched import is_alone

#: Seconds for it to end by itself: Ctrl-C in a terminal reaches all processes, a signal from elsewhere only one.
PATIENCE = 20


def exit_code_of(
    command: Sequence[str],
    *,
    directory: Path,
    environ: Mapping[str, str],
    output: IO[bytes] | None = None,
    started: Callable[[int], None] | None = None,
) -> int:
    """Run the command to its end; returns its exit code. Raises KeyboardInterrupt after it has ended. ``output`` takes its
    output instead of the terminal; ``started`` gets its process id.
    """
    with subprocess.Popen(command, cwd=directory, env=environ, stdout=output, stderr=output) as child:
        if started is not None:
            started(child.pid)
        try:
            return child.wait()
        except KeyboardInterrupt:
            if is_alone():
                child.kill()  # what it has started ends by itself
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGINT)
            raise
