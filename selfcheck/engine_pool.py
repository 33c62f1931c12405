"""The engine to check the suite on: one host for each run, and a pool of worker processes with an adapter each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from engines.kind import Given
from engines.port import Engine, version_of
from engines.provider import ENGINES as BUILT_IN
from engines.provider import NONE_GIVEN, is_engine
from engines.working_copy import UploadingEngine, WorkingCopy
from harness.judging.clause import Clause
from harness.running.judge import Judge
from known_faults.known import known, known_faults_of
from model.codec import case_id
from model.vocabulary.case import Case
from records.mistakes import UsageMistake
from reference_engine import ReferenceEngine
from runner.processes.channel import Caller, Server
from runner.processes.workspace import Workspace
from runner.run.bench import HERE, Bench, ChosenEngine, Place
from selfcheck.processes import processes
from suites.catalogue import CATALOGUE, unsupported

#: The name of the reference engine.
MODEL = "model"

#: What `--engine` takes besides ``module:name``.
ENGINES = (MODEL, *BUILT_IN)

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Host:
    """What a worker process needs to open its engine. It can be pickled."""

    engine: str
    directory: Path  # the run's own: all tables lie below it
    given: Given = field(default_factory=dict)  # of the engine's options
    place: Place = HERE
    address: tuple[str, int] | None = None  # of the server that leases the engine's process, if there is one
    key: bytes = b""

    @property
    def chosen(self) -> ChosenEngine:
        return ChosenEngine(self.engine, self.given, self.place)


@contextmanager
def hosted(engine: str, *, given: Given = NONE_GIVEN, place: Place = HERE) -> Iterator[Host]:
    """The run's directory and storage, and what workers share of the engine. Raises UsageMistake, EngineUnavailable."""
    if engine != MODEL and not is_engine(engine):
        raise UsageMistake(
            f"--engine {engine} is not known: use one of {', '.join(ENGINES)}, or module:name of an engine of your own."
        )
    with ExitStack() as opened:
        if engine == MODEL:
            workspace = Workspace(place.table_root)
            opened.callback(workspace.close)
            yield Host(engine, workspace.directory)
            return
        bench = Bench(ChosenEngine(engine, given, place))
        opened.callback(bench.close)
        bench.start()
        server = Server({"lease": bench.provider.lease})
        opened.callback(server.close)
        yield Host(engine, bench.directory, given, place, server.address, server.key)


def open_engine(host: Host, copy: WorkingCopy | None) -> Engine:
    """The engine of a host. ``copy``: of its bucket. Raises EngineUnavailable."""
    if host.address is None:
        return ReferenceEngine()
    caller = Caller(host.address, host.key)
    return host.chosen.limited(host.chosen.opened(lambda lost: caller.call("lease", lost), copy))


# ---- in a worker process


class PooledEngine:
    """One process's engine, and the clauses and known faults that it is judged by."""

    def __init__(self, host: Host) -> None:
        self._copy = host.chosen.copy()
        self.engine = open_engine(host, self._copy)
        # The reference engine does as the model predicts.
        listed = () if host.engine == MODEL else host.chosen.known(known_faults_of(host.engine))
        self.unpromised = unsupported(self.engine)
        self.clauses: list[Clause[Any]] = [clause for id, clause in CATALOGUE.items() if id not in self.unpromised]
        self.known = tuple(known(listed, version_of(self.engine)))
        self.directory = host.directory / f"tables-{os.getpid()}"
        self._judges = 0
        self._healthy: dict[str, frozenset[str]] = {}

    def failed_by_itself(self, case: Case) -> frozenset[str]:
        """The clauses that the healthy engine fails in this case, known faults aside; each case is judged once."""
        id = case_id(case)
        if id not in self._healthy:
            self._healthy[id] = frozenset(self.judge().judge(case).failed)
        return self._healthy[id]

    def judge(self, engine: Engine | None = None) -> Judge:
        """A judge of this engine, or of one that changes what this one leaves, with its own directory for tables."""
        if engine is not None and self._copy is not None:
            engine = UploadingEngine(engine, self._copy)
        self._judges += 1
        directory = self.directory / str(self._judges)
        return Judge(engine or self.engine, self.clauses, directory, self.known, self._copy)

    def predictor(self, engine: Engine) -> Judge:
        """A judge of an engine that runs in this process, on files, by the same clauses."""
        self._judges += 1
        return Judge(engine, self.clauses, self.directory / str(self._judges))

    @property
    def broken(self) -> frozenset[str]:
        """The clauses that the engine is known to violate under any conditions."""
        return frozenset(known_fault.clause for known_fault in self.known if known_fault.when is None)


_HOST: list[Host] = []


@cache
def worker() -> PooledEngine:
    """This process's worker. The first call opens its engine."""
    return PooledEngine(_HOST[0])


def _start(host: Host) -> None:
    _HOST.append(host)


def workers(host: Host, number: int) -> AbstractContextManager[ProcessPoolExecutor]:
    """A pool of processes with an engine each."""
    return processes(number, partial(_start, host))
