"""The port on a foreign server of Spark Connect: only SQL, under the server's clock.

Delta caches tables by their paths, and the suite makes tables older between two steps. So the directory of a case has another
name in each step. In a bucket the working copy sees to that.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from engines.object_store import ObjectStore
from engines.port import EngineDied, EngineUnavailable, Outcome
from engines.spark.adapter import SparkEngine, installed_delta
from engines.spark.commands.catalog import drop_database
from engines.spark.masters.names import without_parameters
from engines.spark.masters.server import ServerLease, client
from engines.spark.storage.uris import written_as_uri
from model.vocabulary.steps import Request


class SparkServerEngine(SparkEngine):
    """Delta on a server. ``time_limit`` is in seconds per step; the step is interrupted when it exceeds it."""

    def __init__(
        self, leases: Callable[[int], ServerLease], store: ObjectStore | None = None, *, time_limit: float = 120
    ) -> None:
        super().__init__(leases, store, wall_clock=True, time_limit=time_limit)  # type: ignore[arg-type] # leases of a JVM
        self._steps = 0

    @property
    def versions(self) -> Mapping[str, str]:
        self._session()
        assert isinstance(self._lease, ServerLease)
        return {"delta": installed_delta(), "pyspark": self._lease.spark, "python": platform.python_version()}

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if self._store is not None:
            return super().run(root, step, clock=clock, version=version)
        self._steps += 1
        case = root.parent
        served = case.with_name(f"{case.name}-step-{self._steps}")
        os.rename(case, served)
        try:
            outcome = self._run(served / root.name, step, clock, version)
        finally:
            os.rename(served, case)
        return outcome.moved(served, case)

    def _named_in_steps(self, root: Path) -> Path:
        """In a bucket by its URI: the server's default file system may be another one."""
        return root if self._store is None else written_as_uri(root, f"{self._store.scheme}://{self._store.bucket}")

    def close(self) -> None:
        """Release the session, and drop what it made in the catalog."""
        if self._spark is not None:
            try:
                drop_database(self._spark)
                self._spark.stop()
            except PySparkException:
                pass  # the server is gone, and with it the session
        super().close()

    def session(self) -> SparkSession:
        return self._session()

    def _set_clock(self, session: SparkSession, root: Path, clock: int) -> None:
        """The server's clock cannot be set, and a new name of the directory makes Delta read the log again."""

    def _session(self) -> SparkSession:
        if self._spark is None:
            self._lease = self._leases(self._lease.generation if self._lease else 0)
            assert isinstance(self._lease, ServerLease)
            try:
                self._spark = client(self._lease.address)
            except EngineUnavailable as lost:
                raise EngineDied(str(lost)) from lost
        return self._spark

    def _run(self, root: Path, step: Request, clock: int, version: int | None) -> Outcome:
        outcome = super()._run(root, step, clock, version)
        if outcome.error is not None and not self._answers():
            self._lost(f"was lost: {outcome.error.message}")
        return outcome

    def _answers(self) -> bool:
        """Whether the session still works."""
        try:
            return self._spark is not None and bool(self._spark.sql("SELECT 1").collect())
        except PySparkException:
            return False

    def _lost(self, what: str) -> None:
        assert isinstance(self._lease, ServerLease)
        self._spark = None
        raise EngineDied(f"The server {without_parameters(self._lease.address)} {what}")

    @contextmanager
    def _watched(self, step: Request) -> Iterator[SparkSession]:
        """A session for one step, which is interrupted at the time limit. Raises EngineDied then."""
        session, late = self._session(), threading.Event()

        def too_late() -> None:
            late.set()
            session.interruptAll()

        timer = threading.Timer(self._time_limit, too_late)
        timer.daemon = True
        timer.start()
        try:
            yield session
        finally:
            timer.cancel()
        if late.is_set():
            self._lost(f"exceeded the time limit of {self._time_limit:g} s for a {type(step).__name__}")
