"""Runs a command as a child process, which ends itself when the user interrupts both."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

#: Seconds for it to end by itself: Ctrl-C in a terminal reaches all processes, a signal from elsewhere only one.
PATIENCE = 20


def exit_code_of(command: Sequence[str], *, directory: Path, environ: Mapping[str, str]) -> int:
    """Run the command to its end; its exit code. Raises KeyboardInterrupt when it has ended too."""
    with subprocess.Popen(command, cwd=directory, env=environ) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGINT)
            raise
