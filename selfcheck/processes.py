"""Worker processes that end with the command that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@cache
def scratch() -> Path:
    """A directory of this process, which goes when the process ends."""
    directory = TemporaryDirectory()
    _KEPT.append(directory)
    return Path(directory.name)


_KEPT: list[TemporaryDirectory[str]] = []


@contextmanager
def processes(number: int, begin: Callable[[], object] | None = None) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes; each calls ``begin`` first. If the command fails or is interrupted, they are killed."""
    pool = _Pool(number, mp_context=multiprocessing.get_context("spawn"), initializer=_start, initargs=(begin,))
    try:
        yield pool
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start(begin: Callable[[], object] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to every process; the command decides
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_command, daemon=True).start()
    if begin is not None:
        begin()


def _end_with_command() -> None:
    command = multiprocessing.parent_process()
    assert command is not None
    command.join()
    os._exit(1)  # the command was killed


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit with SIGINT blocked: a process that this starts inherits the mask, until ``_start`` ignores the signal."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
