"""The file system below a table while a step runs: it counts what is asked of it, fails for one path, stops at an effect, or
holds a session before one.

Permissions would not do for a failure, because CI often runs as root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from engines.port import Access
from engines.spark.script_functions import forget
from engines.spark.sessions.session import activate
from engines.spark.sessions.settings import settings
from model.vocabulary.accesses import Operation
from model.vocabulary.steps import Crash, CrashPoint, IOFault, Written

_SOURCE = Path(__file__).with_name("PlannedFileSystem.java")
_PACKAGE = "org.apache.hadoop.fs"

#: The class that has the faults. Without a plan, which is in one JVM alone, it needs nothing but settings of the session.
NAME = f"{_PACKAGE}.{_SOURCE.stem}"

#: The classes of the source, each after those that it needs. Py4J looks into a class as soon as it is defined.
_CLASSES = (
    *(f"{NAME}${inner}" for inner in ("Plan", "Content", "Raw", "RawContext", "Counts", "CountedInput", "Context")),
    NAME,
)

#: The settings that put it below both of Hadoop's interfaces. Hadoop configurations of Delta and Spark include all settings
#: of the session. The cache is disabled, so that no session gets a cached file system that was made without its settings.
_BELOW = {
    "fs.file.impl": NAME,
    "fs.AbstractFileSystem.file.impl": f"{NAME}$Context",
    "fs.file.impl.disable.cache": "true",
}

#: ... and one task per scan, so that effects come in the same order each time.
_PLANNED = {**_BELOW, "spark.sql.files.minPartitionNum": "1"}

#: The session that is held; those beside it have no name.
_HELD = "held"


@contextmanager
def faulty_path(spark: SparkSession, path: Path, io_fault: IOFault) -> Iterator[None]:
    """``path`` has this fault for the session, in the driver and in its tasks."""
    _define(spark)
    with settings(spark, {**_BELOW, "tombstone.fault": io_fault.name, "tombstone.fault.path": str(path)}):
        yield


def put_below(spark: SparkSession) -> None:
    """Put it below all sessions of a JVM whose tasks run in it, so that ``Count`` counts."""
    _define(spark)
    configuration = spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]
    for key, value in _BELOW.items():
        configuration.set(key, value)


class Count:
    """Counts what is asked of storage below ``root`` while it is entered, which it may be more than once. Not ``on``: nothing."""

    def __init__(self, spark: SparkSession, root: Path, *, on: bool) -> None:
        jvm: Any = spark._jvm if on else None
        self._counts = jvm.org.apache.hadoop.fs.PlannedFileSystem.Counts(str(root)) if on else None

    def __enter__(self) -> None:
        if self._counts is not None:
            self._counts.begin()

    def __exit__(self, *raised: object) -> None:
        if self._counts is not None:
            self._counts.end()

    @property
    def accesses(self) -> tuple[Access, ...] | None:
        """None: it is not on."""
        if self._counts is None:
            return None
        return tuple(map(_access, filter(None, str(self._counts.found()).split("\0"))))


def _access(text: str) -> Access:
    operation, calls, size, path = text.split(" ", 3)
    return Access(Operation(operation), path, int(calls), int(size))


class Stop:
    """What happened to the storage until it stopped. Filled when the context ends."""

    #: The effects, a line each with paths relative to the root, the last that of the point; None: it was not reached.
    effects: tuple[str, ...] | None = None


@contextmanager
def stopped(spark: SparkSession, root: Path, crash: Crash | None, *, lives_on: bool = False) -> Iterator[Stop]:
    """Storage below ``root`` stops right after this effect, as if the process had been killed; None: it does not.

    With ``lives_on``, the effect is only reported as failed. Afterwards storage is healthy, and the next step reads it again.
    """
    stop = Stop()
    if crash is None:
        yield stop
        return
    action = "REPORT" if lives_on else "STOP"
    with _plan(spark, root, action, crash.point, crash.nth, written=crash.written) as plan, settings(spark, _PLANNED):
        try:
            yield stop
        finally:
            stop.effects = _effects(plan) if plan.isReached() else None
            forget(spark, str(root))


class FileSystemHold:
    """A command that waits before an effect."""

    def __init__(self, spark: SparkSession, root: Path, plan: Any, threads: Executor) -> None:
        self._spark, self._root, self._plan, self._threads = spark, root, plan, threads

    def start(self, command: Callable[[], Any]) -> bool:
        """Run the command in a thread of its own until it reaches the point, or ends. Returns whether it reached it.

        Raises Py4JJavaError with an IOException that names the point if neither comes within the limit.
        """
        self.command = self._threads.submit(self._run, command)
        self._plan.awaitPoint()
        # Else the session that comes now would wait for the lock of the DeltaLog, which the commit of the held one has. Two
        # processes have a DeltaLog each, too.
        forget(self._spark, str(self._root))
        return bool(self._plan.isReached())

    def _run(self, command: Callable[[], Any]) -> Any:
        activate(self._spark)
        try:
            return command()
        finally:
            self._plan.end()

    def finish(self) -> Any:
        """Let the command go on. Returns or raises what it does."""
        self._plan.release()
        return self.command.result()

    @property
    def is_late(self) -> bool:
        """Whether the command has waited until the limit: it then failed, with whatever error it makes of that."""
        return bool(self._plan.isLate())

    @property
    def effects(self) -> tuple[str, ...]:
        """Those of all sessions so far, a line each, of the held one after ``held: ``."""
        return _effects(self._plan)


@contextmanager
def held(
    spark: SparkSession,
    root: Path,
    point: CrashPoint,
    nth: int = 0,
    *,
    beside: Sequence[SparkSession],
    after: bool = False,
    limit: float = 60,
) -> Iterator[FileSystemHold]:
    """A command of this session is held at the ``nth`` effect of this kind, while the sessions beside it run theirs.

    It is held right before the effect, or right after it. After ``limit`` seconds, it fails with an IOException that names
    the point.
    """
    action = "PAUSE" if after else "HOLD"
    with ExitStack() as stack:
        plan = stack.enter_context(_plan(spark, root, action, point, nth, session=_HELD, limit=limit))
        stack.enter_context(settings(spark, {**_PLANNED, "tombstone.session": _HELD}))
        for other in beside:
            stack.enter_context(settings(other, _PLANNED))
        threads = stack.enter_context(ThreadPoolExecutor(1))
        try:
            yield FileSystemHold(spark, root, plan, threads)
        finally:
            plan.release()
            forget(spark, str(root))


@contextmanager
def _plan(
    spark: SparkSession,
    root: Path,
    action: str,
    point: CrashPoint,
    nth: int,
    *,
    written: Written = Written.WHOLE,
    session: str = "",
    limit: float = 0,
) -> Iterator[Any]:
    """A Plan of the Java source, for a time."""
    _define(spark)
    jvm: Any = spark._jvm
    planned = jvm.org.apache.hadoop.fs.PlannedFileSystem
    plan = planned.plan(str(root), action, point.name, nth, written.name, session, int(limit))
    try:
        yield plan
    finally:
        plan.remove()


def _effects(plan: Any) -> tuple[str, ...]:
    return tuple(map(str, plan.effects()))


def _define(spark: SparkSession) -> None:
    """Define the classes in Hadoop's package, unless the JVM already has them.

    If two workers define a class at the same time, the JVM refuses the second definition, which is the same.
    """
    jvm: Any = spark._jvm
    neighbour = jvm.java.lang.Class.forName(f"{_PACKAGE}.LocalFileSystem")
    loader = neighbour.getClassLoader()
    if _is_defined(jvm, loader, _CLASSES[-1]):
        return
    code = compiled(spark)
    lookups = jvm.java.lang.invoke.MethodHandles
    for name in _CLASSES:
        try:
            lookups.privateLookupIn(neighbour, lookups.lookup()).defineClass(code[name])
        except Py4JJavaError:
            if not _is_defined(jvm, loader, name):
                raise


def compiled(spark: SparkSession) -> Mapping[str, bytes]:
    """The byte code of the classes, by their names. The compiler is Janino, which Spark ships, because a JRE has none."""
    jvm: Any = spark._jvm
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Class.forName(f"{_PACKAGE}.LocalFileSystem").getClassLoader())
    compiler.cook(_SOURCE.read_text(encoding="utf-8"))
    code = compiler.getBytecodes()
    return {name: bytes(code[name]) for name in _CLASSES}


def _is_defined(jvm: Any, loader: Any, name: str) -> bool:
    try:
        jvm.java.lang.Class.forName(name, False, loader)
    except Py4JJavaError as missing:
        if missing.java_exception.getClass().getSimpleName() != "ClassNotFoundException":
            raise
        return False
    return True
