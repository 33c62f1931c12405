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

from engines.bucket import Bucket
from engines.bucket_run import BucketRun
from engines.kind import Given, Settings
from engines.object_store import ObjectStore, Storage
from engines.port import Engine, version_of
from engines.provider import ENGINES as BUILT_IN
from engines.provider import NONE_GIVEN, is_engine, kind_of, limits_in, open_adapter, provider_for
from engines.restricted import Restricted
from engines.s3_gateway import Gateway
from engines.working_copy import CopyingEngine, UploadingEngine, WorkingCopy
from harness.judging.clause import Clause
from harness.running.judge import Judge
from known_faults.known import known, known_faults_in, known_faults_of, places_of
from model.codec import case_id
from model.vocabulary.case import Case
from records.known_fault import KnownFault
from records.mistakes import UsageMistake
from reference_engine import ReferenceEngine
from runner.processes.channel import Caller, Server
from runner.processes.workspace import Workspace
from runner.run.circumstances import set_up
from selfcheck.processes import processes
from suites.catalogue import CATALOGUE, unsupported

#: The name of the reference engine.
MODEL = "model"

#: What `--engine` takes besides ``module:name``.
ENGINES = (MODEL, *BUILT_IN)

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Place:
    """Where tables are, as the options of a gate say it."""

    storage: Storage = Storage.LOCAL
    table_root: str | None = None
    bucket: ObjectStore | None = None  # that ``table_root`` names


@dataclass(frozen=True)
class Host:
    """What a worker process needs to open its engine. It can be pickled."""

    engine: str
    directory: Path  # the run's own: all tables lie below it
    given: Given = field(default_factory=dict)  # of the engine's options
    place: Place = Place()
    address: tuple[str, int] | None = None  # of the server that leases the engine's process, if there is one
    key: bytes = b""


@contextmanager
def hosted(engine: str, *, given: Given = NONE_GIVEN, place: Place = Place()) -> Iterator[Host]:
    """The run's directory and storage, and what workers share of the engine. Raises UsageMistake, EngineUnavailable."""
    if engine != MODEL and not is_engine(engine):
        raise UsageMistake(
            f"--engine {engine} is not known: use one of {', '.join(ENGINES)}, or module:name of an engine of your own."
        )
    with ExitStack() as opened:
        workspace = Workspace(None if place.bucket else place.table_root)
        opened.callback(workspace.close)
        if engine == MODEL:
            yield Host(engine, workspace.directory)
            return
        store = place.bucket
        if store is not None:
            opened.callback(BucketRun(store, workspace.directory).close)
            workspace.uses(store)
        elif place.storage is Storage.S3:
            gateway = Gateway(workspace.directory, workspace.started)
            opened.callback(gateway.close)
            store = gateway.store
        provider = provider_for(engine, Settings(workspace.directory, workspace.started, store), given)
        opened.callback(provider.close)
        provider.start()
        server = Server({"lease": provider.lease})
        opened.callback(server.close)
        yield Host(engine, workspace.directory, given, place, server.address, server.key)


def open_engine(host: Host, copy: WorkingCopy | None) -> Engine:
    """The engine of a host. ``copy``: of its bucket. Raises EngineUnavailable."""
    if host.address is None:
        return ReferenceEngine()
    caller = Caller(host.address, host.key)
    engine = open_adapter(host.engine, lambda lost: caller.call("lease", lost))
    if copy is not None:
        engine = CopyingEngine(engine, copy)
    for limits in limits_in(host.engine, host.place.storage, host.given):
        engine = Restricted(engine, engine.capabilities.shared(limits.capabilities))
    return engine


def copy_of(host: Host) -> WorkingCopy | None:
    """The working copy of a host's bucket, if it has one."""
    if host.place.bucket is None:
        return None
    kind = kind_of(host.engine).with_options(host.given)
    return WorkingCopy(Bucket(host.place.bucket), renames=kind.remembers_tables)


# ---- in a worker process


class PooledEngine:
    """One process's engine, and the clauses and known faults that it is judged by."""

    def __init__(self, host: Host) -> None:
        self._copy = copy_of(host)
        self.engine = open_engine(host, self._copy)
        listed = _listed(host)
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


def _listed(host: Host) -> tuple[KnownFault, ...]:
    if host.engine == MODEL:
        return ()  # it does as the model predicts
    machine = set_up(kind_of(host.engine).with_options(host.given), host.place.storage)
    return known_faults_in(known_faults_of(host.engine), places=places_of(machine))


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
