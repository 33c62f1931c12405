"""Runs a command as a child process, which ends itself when the user interrupts both."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

#: Seconds for it to end by itself: Ctrl-C in a terminal reaches all processes, a signal from elsewhere only one.
PATIENCE = 20


def exit_code_of(
    command: Sequence[str], *, directory: Path, environ: Mapping[str, str], output: IO[bytes] | None = None
) -> int:
    """Run the command to its end; its exit code. Raises KeyboardInterrupt when it has ended too.

    ``output`` takes what it prints, instead of the terminal.
    """
    with subprocess.Popen(command, cwd=directory, env=environ, stdout=output, stderr=output) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGINT)
            raise
