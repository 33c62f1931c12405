"""The port on Spark: steps as the SQL that users write, under an injected clock."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyspark
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.errors.exceptions.captured import CapturedException
from pyspark.sql import DataFrame, SparkSession

from engines.machine import MachineFailed, trouble_in
from engines.named_paths import named_path, spelling_of
from engines.object_store import ObjectStore
from engines.port import Answer, EngineDied, EngineError, Outcome, now
from engines.spark import script_functions
from engines.spark.commands.calls import SPARK, evaluated
from engines.spark.commands.result_rows import ReturnedRows, rows_of, type_of
from engines.spark.commands.running import place_of, run
from engines.spark.commands.translation import calls_of, functions_of, reading, settings_of
from engines.spark.jvm.driver import Lease, end, tail
from engines.spark.masters.names import is_local
from engines.spark.masters.remote import over_connect
from engines.spark.releases import capabilities_of, rules_of
from engines.spark.sessions.at_once import run_at_once
from engines.spark.sessions.opened import Opened
from engines.spark.sessions.session import activate, connect
from engines.spark.sessions.settings import settings
from engines.spark.storage.file_system import Count, Stop, put_below, stopped
from model.text.literals import identifier
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.commands import kind_of
from model.vocabulary.predicate import names_metadata
from model.vocabulary.readings import Reading, is_ordered
from model.vocabulary.rules import SPARK_ON_S3, Rules, with_changes
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    Ask,
    AtOnce,
    Delete,
    InvalidVacuum,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    Request,
    SessionStep,
    Vacuum,
)
from model.vocabulary.values import Row

#: Parts of messages by which a failure is a cluster's, or a user's who interrupts the run, and not the engine's. After Ctrl-C
#: the PySpark of each worker cancels the jobs of all.
_NOT_OF_THE_ENGINE = (
    "SparkContext was shut down",
    "stopped SparkContext",
    "ExecutorLostFailure",
    "cancelled as part of cancellation of all jobs",
)

#: Returns a JVM of a newer generation than the given one: engines.spark.jvm.driver.Leases.lease, or a worker's proxy for it.
LeaseSource = Callable[[int], Lease]


class SparkEngine:
    """Delta on Spark. ``time_limit`` is in seconds per step; the JVM is killed when a step exceeds it.

    ``store`` is where tables are; None: on a local file system. In a bucket Spark takes a path for an object's key
    (engines.spark.storage.s3a), and DELETE and VACUUM by path name it as a URI.
    """

    name = "spark"

    def __init__(
        self,
        leases: LeaseSource,
        store: ObjectStore | None = None,
        *,
        time_limit: float = 120,
        wall_clock: bool = False,
    ) -> None:
        self._wall_clock = wall_clock  # Delta's clock stands at the start of each step
        self._leases = leases
        self._store = store
        self._time_limit = time_limit
        self._lease: Lease | None = None
        self._spark: SparkSession | None = None
        self._counts = False  # whether the suite's file system is below the session
        self._table: Path | None = None  # of the last step
        self._opened: Opened | None = None  # by the latest OpenSession

    @property
    def versions(self) -> Mapping[str, str]:
        java = self.session()._jvm.java.lang.System.getProperty("java.version")  # type: ignore[union-attr]
        return {
            "delta": installed_delta(),
            "pyspark": pyspark.__version__,
            "java": str(java),
            "python": platform.python_version(),
        }

    @property
    def capabilities(self) -> Capabilities:
        return capabilities_of(installed_delta())

    @property
    def rules(self) -> Rules:
        rules = replace(rules_of(installed_delta()), own_clock=not self._wall_clock)
        if self._store is None:
            return rules
        return replace(with_changes(rules, SPARK_ON_S3), file_uris=self._store.prefix(self._store.scheme))

    def _named_in_steps(self, root: Path) -> Path:
        """The table as a step names it, unless the path has a spelling of its own: Spark takes a path for an object's key."""
        return root

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if self._store is None:
            return self._run(root, step, clock, version)
        self._store.require_reachable()  # else each step would try again for a while
        place = Path(f"{self._store.above}{root}")  # in the bucket
        return _in_paths(self._run(place, step, clock, version), step, self._store)

    def _run(self, root: Path, step: Request, clock: int, version: int | None) -> Outcome:
        with self._watched(step) as session:
            if isinstance(step, AtOnce):
                return self._at_once(session, root, step, clock, version)
            started, stop = now(), Stop()
            count: Count | None = None
            clock = started if self._wall_clock else clock
            try:
                spelling = Spelling.PLAIN if isinstance(step, Ask) else spelling_of(step)
                directory = _working_directory(session) if spelling is Spelling.RELATIVE else "/"
                with (
                    settings(self._acting(session, step), settings_of(step)),
                    named_path(root, spelling, working_directory=directory) as path,
                ):
                    # Delta knows a table behind a link by the link's path, and normalises the other spellings.
                    known = Path(path) if spelling is Spelling.LINK else root
                    count = Count(session, known, on=self._counts and _is_counted(step))
                    with count:  # it makes Delta read the log
                        self._set_clock(session, known, clock)
                    named = path if self._store is None else f"{self._store.scheme}://{self._store.bucket}{path}"
                    crash = step.crash if isinstance(step, (Delete, Vacuum)) else None
                    with stopped(session, known, crash) as stop:
                        table = self._named_in_steps(root)
                        done, error = (
                            self._execute(session, table, named, step, clock=clock, version=version, count=count),
                            None,
                        )
            except (PySparkException, Py4JJavaError) as failure:
                done, error = ReturnedRows(()), _error_of(failure)
            return Outcome(
                done.rows,
                error,
                started,
                now(),
                done.cached_rows,
                done.answers,
                effects=stop.effects,
                accesses=None if count is None else count.accesses,
            )

    def use_processors(self, number: int) -> None:
        """Spark's master decides."""

    def close(self) -> None:
        """Disconnect. The JVM belongs to the run and keeps running: what it holds for this process is released while it does."""
        self._spark = self._opened = None

    def _at_once(self, session: SparkSession, root: Path, step: AtOnce, clock: int, version: int | None) -> Outcome:
        def execute(one: SparkSession, part: SessionStep, version: int | None) -> ReturnedRows:
            with settings(one, settings_of(part)):
                return self._execute(one, root, str(root), part, clock=clock, version=version, count=nullcontext())

        self._set_clock(session, root, clock)
        return run_at_once(session, root, step, clock=clock, version=version, execute=execute, attempt=_attempted)

    def _acting(self, spark: SparkSession, step: Request) -> SparkSession:
        """The session in which a step runs."""
        if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier:
            assert self._opened is not None, "a session has opened the table"
            return self._opened.session
        return spark

    def _execute(
        self,
        spark: SparkSession,
        root: Path,
        path: str,
        step: Request,
        *,
        clock: int,
        version: int | None,
        count: AbstractContextManager[None],
    ) -> ReturnedRows:
        """Run a step, whose settings are set. ``path`` is the table's, as the step spells it; ``count`` is entered for the
        command alone, without what it needs.
        """
        activate(self._acting(spark, step))
        if isinstance(step, Ask):
            return ReturnedRows(_asked(spark, root, step))
        if isinstance(step, ReadChanges):
            return ReturnedRows(_changes(spark, root, version, commits=step.commits))
        if isinstance(step, Read):
            if step.by_earlier and self._opened is not None:
                return ReturnedRows(self._opened.read(clock))
            with count:
                frame = evaluated(reading(str(root), version), {SPARK.word: spark})
                rows = rows_of(frame)
            return ReturnedRows(rows, answers=_answers(frame) if version is None else {})
        place = place_of(spark, root, path, store=self._store, version=version)
        opened = {} if self._opened is None else self._opened.names
        done, names = run(calls_of(step, place), spark, root, clock=clock, opened=opened, count=count)
        if isinstance(step, OpenSession):
            self._opened = Opened.of(names, root, streams=step.streams)
        return done

    def _set_clock(self, session: SparkSession, root: Path, clock: int) -> None:
        if self._table is not None and self._table != root:  # release the memory of the previous table
            script_functions.forget(session, str(self._table))
        self._table = root
        script_functions.clock(session, clock, str(root))

    def session(self) -> SparkSession:
        """A session that responds: a JVM that died since the last step is replaced."""
        try:
            session = self._session()
            _require_alive(session)
        except (Py4JError, ConnectionError):
            self._spark = None
            session = self._session()
        return session

    def _session(self) -> SparkSession:
        if self._spark is None:
            self._lease = self._leases(self._lease.generation if self._lease else 0)
            try:
                self._spark = self._connected(self._lease)
            except (Py4JError, ConnectionError):  # another worker's step may have killed it
                self._lease = self._leases(self._lease.generation)
                self._spark = self._connected(self._lease)
        return self._spark

    def _connected(self, lease: Lease) -> SparkSession:
        session = connect(lease)
        if lease.serves_connect:
            return over_connect(session)
        self._counts = lease.store is None and is_local(str(session.sparkContext.master))
        if self._counts:
            put_below(session)
        return session

    @contextmanager
    def _watched(self, step: Request) -> Iterator[SparkSession]:
        """A session for one step, under the time limit. Raises EngineDied if the JVM is lost; the next step gets a new one."""
        session = self._session()
        assert self._lease is not None
        lease, late = self._lease, threading.Event()

        def too_late() -> None:
            late.set()
            try:
                os.kill(lease.pid, signal.SIGQUIT)  # the JVM writes the stacks of all threads to its log
            except ProcessLookupError:
                return
            final.start()

        final = threading.Timer(2, end, [lease.pid])
        timer = threading.Timer(self._time_limit, too_late)
        timer.daemon = final.daemon = True
        timer.start()
        lost: Exception | None = None
        try:
            yield session
            if lease.serves_connect:  # whose client reports a lost server as an error of the step
                _require_alive(session)
        except (Py4JError, ConnectionError, EOFError) as error:
            # Exceptions of Java were caught in run(). All others mean that the connection is lost.
            lost = error
        except EngineDied:
            if _is_stopped(session):
                end(lease.pid)
                self._spark = None
            raise
        finally:
            timer.cancel()
            final.cancel()
        if late.is_set() or lost is not None:
            end(lease.pid)
            self._spark = None
            what = f"exceeded its time limit of {self._time_limit:g} s" if late.is_set() else "killed the JVM"
            end_of_log = tail(lease.log, lines=1000 if late.is_set() else 40)  # 1000: the stacks of all threads
            name = kind_of(step.command).value if isinstance(step, OtherCommand) else type(step).__name__
            raise EngineDied(f"{name.upper()} {what}; the JVM's log ends:\n{end_of_log}") from lost


def _is_counted(step: Request) -> bool:
    """Whether what is asked of storage is asked by this command alone: not by two sessions, through a cache of the session, or by
    more readings that judge the step.
    """
    if isinstance(step, (Delete, Vacuum, Read)) and step.by_earlier:
        return False
    return not isinstance(step, (Ask, AtOnce, OpenSession, ReadChanges)) and not (
        isinstance(step, Delete) and step.cached
    )


def _in_paths(outcome: Outcome, step: Request, store: ObjectStore) -> Outcome:
    """The outcome with paths instead of URIs. Raises EngineDied if there is an error, and the server is gone."""
    error, rows = outcome.error, outcome.rows
    if error is not None:
        store.require_reachable()
        error = replace(error, message=store.in_paths(error.message, store.scheme))
    if isinstance(step, (Vacuum, InvalidVacuum)):
        rows = tuple(tuple(store.in_paths(str(path), store.scheme) for path in row) for row in rows)
    return replace(outcome, rows=rows, error=error)


def _attempted(run: Callable[[], ReturnedRows]) -> Outcome:
    """What a command answers, or its error."""
    started = now()
    try:
        done, error = run(), None
    except (PySparkException, Py4JJavaError) as failure:
        done, error = ReturnedRows(()), _error_of(failure)
    return Outcome(done.rows, error, started, now())


#: The hidden column of a read that says which file a row is in.
_METADATA = "_metadata"


def _asked(spark: SparkSession, root: Path, step: Ask) -> tuple[Row, ...]:
    """All rows, each with what the DELETE's verbatim tests say of it; none if Spark contradicts itself.

    It does for some functions, whatever the table: as a filter of rows in memory, ``levenshtein(s, 'a', NULL) IS NOT NULL`` is
    not TRUE of the rows of which the projection says it.
    """
    for function in functions_of(step):
        evaluated(function.call, {**vars(script_functions), SPARK.word: spark})
    table = spark.read.format("delta").load(str(root))
    tests = [f"({test.text})" for test in step.tests]
    rows = rows_of(table.selectExpr("*", *(f"{test} AS `tombstone {place}`" for place, test in enumerate(tests))))
    of_files = [_METADATA] if any(names_metadata(test) for test in step.tests) else []
    in_memory = table.select("*", *of_files).localCheckpoint()
    for test, truths in zip(tests, step.truths(rows)):
        if in_memory.where(test).count() != truths.count(True):
            return ()
    return rows


def _answers(frame: DataFrame) -> dict[str, Answer]:
    """What Spark answers without a read of all rows, if the log or the statistics tell it."""
    ordered = [one.name for one in frame.schema.fields if is_ordered(type_of(one.dataType))]
    bounds = [f"{least}({identifier(name)})" for name in ordered for least in ("min", "max")]
    found: dict[str, Answer] = {}
    try:
        (row,) = rows_of(frame.selectExpr("count(*)", *bounds))
        found["SELECT count(*)"] = Answer(Reading.COUNT, (row[:1],))
        found["SELECT min, max"] = Answer(Reading.BOUNDS, (row[1:],), columns=tuple(ordered))
    except (PySparkException, Py4JJavaError) as failure:
        found["SELECT count(*), min, max"] = Answer(Reading.COUNT, error=_error_of(failure))
    try:
        found["LIMIT 1"] = Answer(Reading.ONE, rows_of(frame.limit(1)))
    except (PySparkException, Py4JJavaError) as failure:
        found["LIMIT 1"] = Answer(Reading.ONE, error=_error_of(failure))
    return found


def _changes(spark: SparkSession, root: Path, version: int | None, *, commits: bool) -> tuple[Row, ...]:
    """The change feed of one version: the rows with their change types, or their _commit_version and _commit_timestamp."""
    assert version is not None, "the change feed is read of a version"
    reader = spark.read.format("delta").option("readChangeFeed", "true")
    frame = reader.option("startingVersion", version).option("endingVersion", version).load(str(root))
    assert frame.columns[-3:] == ["_change_type", "_commit_version", "_commit_timestamp"], frame.columns
    return tuple(row[-2:] if commits else row[:-2] for row in rows_of(frame))


def _working_directory(spark: SparkSession) -> str:
    """To which Hadoop's local file system is relative."""
    jvm: Any = spark._jvm
    return str(jvm.java.lang.System.getProperty("user.dir"))


@cache
def installed_delta() -> str:
    """The version of the package delta-spark in this environment."""
    return importlib.metadata.version("delta-spark")


def _require_alive(session: SparkSession) -> None:
    """Raises Py4JError or ConnectionError if the JVM does not answer."""
    session._jvm.java.lang.System.nanoTime()  # type: ignore[union-attr]


def _is_stopped(session: SparkSession) -> bool:
    """Whether no step can succeed any more in this JVM, as when a cluster has ended the application."""
    try:
        return bool(session.sparkContext._jsc.sc().isStopped())
    except (Py4JError, ConnectionError):
        return True


def raise_if_environmental(message: str) -> None:
    """Raises EngineDied if the machine, the cluster or an interrupt caused the failure, not the engine."""
    if trouble := trouble_in(message):
        raise MachineFailed(f"{trouble}\n{message}")
    for sign in _NOT_OF_THE_ENGINE:
        if sign in message:
            raise EngineDied(f"This is no failure of the engine: {sign}.\n{message}")


def _error_of(failure: PySparkException | Py4JJavaError) -> EngineError:
    return _error(failure) if isinstance(failure, PySparkException) else _java_error(failure)


def _error(refusal: PySparkException) -> EngineError:
    raise_if_environmental(str(refusal))
    condition = refusal.getCondition() if hasattr(refusal, "getCondition") else refusal.getErrorClass()
    message = str(refusal).split("\n\nJVM stacktrace:")[0]
    return EngineError(type(refusal).__name__, condition, refusal.getSqlState(), message)


def _java_error(failure: Py4JJavaError) -> EngineError:
    """An exception of Java without a class in PySpark. It or its cause may still have an error class."""
    java = failure.java_exception
    raise_if_environmental(str(java.getMessage()))
    name, message = str(java.getClass().getSimpleName()), str(java.getMessage())
    while java is not None:
        known = _error(CapturedException(origin=java))
        if known.condition is not None:
            return EngineError(name, known.condition, known.sqlstate, str(java.getMessage()))
        java = java.getCause()
    return EngineError(name, None, None, message)
