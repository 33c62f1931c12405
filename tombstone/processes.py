"""Runs a process to its end, also when the user interrupts both."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

#: Seconds for it to end by itself: tox gives a run 30 to end its engine.
PATIENCE = 45


class Terminated(KeyboardInterrupt):
    """SIGTERM."""


def exit_code_of(
    command: Sequence[str], *, directory: Path, environ: Mapping[str, str], output: IO[str] | None = None
) -> int:
    """Run the command to its end; its exit code, as shells have it. Raises KeyboardInterrupt when it has ended too.

    A terminal interrupts all processes of its group. Without one the command gets a group of its own, and each of it the signal.
    """
    in_terminal = _in_terminal()
    with subprocess.Popen(
        command,
        cwd=directory,
        env=environ,
        stdout=output,
        stderr=output and subprocess.STDOUT,
        start_new_session=not in_terminal,
        preexec_fn=None if in_terminal else _interruptible,  # noqa: PLW1509 - the launcher has no threads
    ) as child:
        try:
            code = child.wait()
        except KeyboardInterrupt as interrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            if in_terminal:
                if isinstance(interrupt, Terminated):
                    child.send_signal(signal.SIGINT)
            else:
                _signal_group(child.pid, signal.SIGINT)
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                if in_terminal:
                    child.kill()
                else:
                    _signal_group(child.pid, signal.SIGKILL)
            raise
    return code if code >= 0 else 128 - code


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # it has ended
        os.killpg(group, number)


def _interruptible() -> None:
    """A shell that starts a command in the background lets it, and its children, ignore the signal."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _in_terminal() -> bool:
    """Whether a terminal interrupts this process."""
    try:
        return os.tcgetpgrp(sys.stderr.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False
