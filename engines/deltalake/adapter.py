"""The port on delta-rs. The engine runs in a child process, because it may panic, abort or hang."""

from __future__ import annotations

import importlib.metadata
import os
import pickle
import platform
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, cast

import engines
from engines.deltalake.answering import Failed
from engines.deltalake.capabilities import capabilities_of
from engines.deltalake.versions import PACKAGE, RELEASES
from engines.machine import MachineFailed, trouble_in
from engines.object_store import ObjectStore
from engines.port import EngineDied, EngineError, EngineUnavailable, Outcome, now
from engines.request_log import counted
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.commands import kind_of
from model.vocabulary.rules import DELTA_RS, DELTA_RS_ON_S3, Rules, with_changes
from model.vocabulary.steps import OtherCommand, Request
from model.vocabulary.versions import parse

#: The bytes of the child's standard error that a message quotes.
_LOG_BYTES = 4_000

#: Exit codes caused by the engine itself: a panic that cannot be unwound aborts the process.
_ABORTED = frozenset({-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGILL})


class DeltalakeEngine:
    """delta-rs. A panic is an outcome, also if it aborts the process.

    ``time_limit`` is in seconds per step; the process is killed when a step exceeds it. The clock is the machine's, so
    ``clock`` has no effect. ``store`` is where tables are; None: on a local file system.
    """

    name = PACKAGE

    def __init__(self, store: ObjectStore | None = None, *, time_limit: float = 120) -> None:
        self._store = store
        self._log: IO[bytes] | None = None
        self._time_limit = time_limit
        self._child: subprocess.Popen[bytes] | None = None
        self._processors: int | None = None

    @property
    def versions(self) -> Mapping[str, str]:
        return {
            PACKAGE: installed(),
            "pyarrow": importlib.metadata.version("pyarrow"),
            "python": platform.python_version(),
        }

    @property
    def capabilities(self) -> Capabilities:
        counts = self._store is not None and self._store.requests is not None
        return replace(capabilities_of(installed()), counts_accesses=counts)

    @property
    def rules(self) -> Rules:
        if self._store is None:
            return DELTA_RS
        return replace(with_changes(DELTA_RS, DELTA_RS_ON_S3), file_uris=self._store.prefix("s3"))

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if self._store is not None:
            self._store.require_reachable()  # else each step would try again for a while
        return counted(self._store, root, step, lambda: self._run(root, step, version))

    def _run(self, root: Path, step: Request, version: int | None) -> Outcome:
        child = self._running()
        late = threading.Event()
        started = now()

        def too_late() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(self._time_limit, too_late)
        timer.daemon = True
        timer.start()
        try:
            pickle.dump((self._store, root, step, version, self._processors), cast("IO[bytes]", child.stdin))
            cast("IO[bytes]", child.stdin).flush()
            answer: Outcome | Failed = pickle.load(cast("IO[bytes]", child.stdout))
        except (EOFError, OSError, pickle.UnpicklingError) as lost:
            aborted = not late.is_set() and child.wait() in _ABORTED
            self.close()
            if aborted:
                error = EngineError(
                    "Aborted", None, None, f"the process was aborted; its log ends:\n{self._end_of_log()}"
                )
                return Outcome((), error, started, now())
            what = f"exceeded its time limit of {self._time_limit:g} s" if late.is_set() else "killed its process"
            named = kind_of(step.command).value if isinstance(step, OtherCommand) else type(step).__name__.upper()
            raise EngineDied(f"{named} {what}; its log ends:\n{self._end_of_log()}") from lost
        finally:
            timer.cancel()
        if isinstance(answer, Failed):
            raise _failure(answer)
        if answer.error is not None and self._store is not None:
            self._store.require_reachable()
        return answer

    def use_processors(self, number: int) -> None:
        self._processors = number

    def close(self) -> None:
        """End the process."""
        if self._child is None:
            return
        child, self._child = self._child, None
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # the last request was never read
                    stream.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            project = str(Path(str(engines.__file__)).resolve().parent.parent)
            path = os.pathsep.join(part for part in (project, os.environ.get("PYTHONPATH", "")) if part)
            self._log = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
            self._child = subprocess.Popen(
                [sys.executable, "-m", "engines.deltalake.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={**os.environ, "PYTHONPATH": path},
            )
        return self._child

    def _end_of_log(self) -> str:
        assert self._log is not None, "the process was started"
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - _LOG_BYTES))
        return self._log.read().decode(errors="replace")


class WorkerFailed(Exception):
    """An error of the suite in the engine's process."""


def _failure(failed: Failed) -> Exception:
    """The exception of an error of the suite in the engine's process."""
    if failed.session_gone:
        return EngineDied(
            "The session that opened the table is gone, with the engine's process: the step cannot run in it."
        )
    if trouble := trouble_in(failed.error, failed.error.partition(":")[0]):
        return MachineFailed(f"{trouble}\n{failed.traceback}")
    error = WorkerFailed(failed.error)
    error.__cause__ = WorkerFailed(f"in the engine's process:\n{failed.traceback}")
    return error


def installed() -> str:
    """The installed version of deltalake. Raises EngineUnavailable if there is none, or if it is not judged."""
    try:
        version = importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise EngineUnavailable(
            "The package deltalake is not installed here: use `tox -e gate-deltalake`, or `pip install deltalake`."
        ) from None
    if parse(version) < parse(RELEASES[0]):
        raise EngineUnavailable(
            f"deltalake {version}, which is installed here, is not judged: `pip install 'deltalake>={RELEASES[0]}'`."
        )
    return version
