"""A server of a run: a process that is started, watched until it serves, and ended."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


class Served:
    """A process that serves, and writes what it says into ``log``."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        started: Callable[[int], None],
        directory: Path | None = None,
        environ: Mapping[str, str] | None = None,
        watches_input: bool = False,
    ) -> None:
        """``started`` gets the id of the process. ``watches_input``: it ends when its standard input does, as with this process.

        Raises OSError if the command cannot be run.
        """
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE if watches_input else subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environ,
                cwd=directory,
                start_new_session=True,  # Ctrl-C must not end it before the process that uses it
            )
        started(self.process.pid)

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def said(self) -> str:
        """What it has said so far; empty if its log is gone."""
        try:
            return self.log.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    def wait_until(self, serves: Callable[[], T | None], *, seconds: float, every: float = 0.05) -> T | None:
        """The answer of ``serves``, once it has one; None if the process has ended, or does not serve within so many seconds."""
        watch = threading.Event()
        for _ in range(round(seconds / every)):
            if not self.is_running:
                return None
            if (answer := serves()) is not None:
                return answer
            watch.wait(every)
        return None

    def close(self, *, patience: float = 0) -> None:
        """End it: at once, as one that has nothing to save, or when it was told to and so many seconds have passed."""
        if self.is_running and patience:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
        if self.is_running:
            self.process.kill()
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])
