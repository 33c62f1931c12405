"""Engines to prove the suite on: what there is one of in a run, and an engine by its name in each worker process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import suites.clauses  # noqa: F401 - fills the catalogue
from engines.port import Engine, version_of
from engines.provider import ENGINES as JUDGED
from engines.provider import open_adapter, provider_for
from selfcheck.reference_engine import ReferenceEngine
from runner.channel import Caller, Server
from runner.deviations import deviations_in, known
from runner.options import UsageMistake
from runner.workspace import Workspace
from harness.clause import CATALOGUE, Clause, unsupported
from harness.judge import Judge

#: What can be proven on: the reference engine, and all that can be judged.
ENGINES = ("model", *JUDGED)

ROOT = Path(__file__).resolve().parent.parent

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Bench:
    """What a worker process must know to open its engine. It can be sent to one."""

    engine: str
    directory: Path  # the run's own: all tables are made below it
    address: tuple[str, int] | None = None  # of the process that owns what there is one of; None for our own engine
    key: bytes = b""


@contextmanager
def bench(engine: str) -> Iterator[Bench]:
    """The run's directory and, for Spark, its JVM. Raises UsageMistake, EngineUnavailable."""
    if engine not in ENGINES:
        raise UsageMistake(f"--engine {engine} is not known: use one of {', '.join(ENGINES)}.")
    workspace = Workspace(None)
    try:
        if engine == "model":
            yield Bench(engine, workspace.directory)
            return
        provider = provider_for(
            engine,
            directory=workspace.directory,
            started=workspace.started,
            spark_conf={},
            extra_classpath=(),
            jars=(),
            master="local[*]",
        )
        try:
            provider.start()
            server = Server({"lease": provider.lease})
            try:
                yield Bench(engine, workspace.directory, server.address, server.key)
            finally:
                server.close()
        finally:
            provider.close()
    finally:
        workspace.close()


def open_engine(bench: Bench) -> Engine:
    """The engine of a bench. Raises EngineUnavailable."""
    if bench.address is None:
        return ReferenceEngine()
    caller = Caller(bench.address, bench.key)
    return open_adapter(bench.engine, lambda lost: caller.call("lease", lost))


# ---- in a worker process


class Worker:
    """One process' engine, and what it judges by."""

    def __init__(self, bench: Bench) -> None:
        self.engine = open_engine(bench)
        deviations = ROOT / "deviations" / f"{self.engine.name}.toml"
        self.unpromised = unsupported(self.engine)
        self.clauses: list[Clause[Any]] = [one for id, one in CATALOGUE.items() if id not in self.unpromised]
        self.known = tuple(known(deviations_in(deviations), version_of(self.engine)))
        self._directory = bench.directory / f"tables-{os.getpid()}"
        self._judges = 0

    def judge(self, engine: Engine | None = None) -> Judge:
        """A judge of this engine, or of another, whose tables are its own."""
        self._judges += 1
        directory = self._directory / str(self._judges)
        return Judge(engine or self.engine, self.clauses, directory, self.known)

    @property
    def broken(self) -> frozenset[str]:
        """The clauses that the engine is known to break in any circumstances."""
        return frozenset(one.clause for one in self.known if one.when is None)


_BENCH: list[Bench] = []


@cache
def worker() -> Worker:
    """This process' worker. Its engine is opened with the first call."""
    return Worker(_BENCH[0])


def _begin(bench: Bench, parent: Connection) -> None:
    _BENCH.append(bench)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the command decides
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def end_with_it() -> None:
        with suppress(EOFError, OSError):
            parent.recv()  # nothing is ever sent: it ends when the command closes its end, or dies
        os._exit(1)

    threading.Thread(target=end_with_it, daemon=True).start()


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As ever, with SIGINT held back: a process that this starts inherits that, until it can ignore it."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def workers(bench: Bench, number: int) -> Iterator[ProcessPoolExecutor]:
    """Processes with an engine each. Where the command fails or is interrupted, they end in the midst of what they do.

    They learn of it by a pipe, since a lock or an event of multiprocessing waits forever for a process that was ended.
    """
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    with theirs, ours:
        pool = _Pool(number, mp_context=context, initializer=_begin, initargs=(bench, theirs))
        try:
            yield pool
        except BaseException:
            ours.close()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
