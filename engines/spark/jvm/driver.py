"""A Spark driver JVM, started without the launcher script, to which Python processes connect through Py4J."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyspark
from pyspark.serializers import UTF8Deserializer, read_int

from engines.object_store import ObjectStore
from engines.port import EngineUnavailable
from engines.served import Served
from engines.spark.commands.statements import INT96, INTERPRETED, SESSION, SPARK_4
from engines.spark.jvm.jars import scala_version, spark_jars
from engines.spark.jvm.java import Java
from engines.spark.jvm.options import jvm_options
from engines.spark.jvm.startup_cache import StartupCache

#: Settings for the semantics of conditions and for speed: tables are tiny, so planning, listing and scheduling dominate.
TUNING = {
    "spark.ui.enabled": "false",
    # By default Spark keeps the plans of 1000 queries for its UI; those of wide tables fill the heap.
    "spark.sql.ui.retainedExecutions": "1",
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.ui.retainedTasks": "1",
    "spark.ui.liveUpdate.period": "-1",
    "spark.sql.ui.explainMode": "simple",  # of the plan that is kept for the UI
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    **SESSION,
    **SPARK_4,
    **INT96,
    **INTERPRETED,
}

#: Seconds for a JVM to start.
START_LIMIT = 120


@dataclass(frozen=True)
class JvmPlan:
    """How to start the JVM."""

    java: Java
    classpath: tuple[str, ...]  # after Spark's own jars
    patches: tuple[str, ...]  # jars or directories before Spark's own jars
    conf: Mapping[str, str]
    directory: Path  # for its log, warehouse and scratch files
    heap: str = "3g"
    cache: StartupCache | None = None
    serves_connect: bool = False  # by its conf
    store: ObjectStore | None = None  # where the tables are

    @property
    def options(self) -> tuple[str, ...]:
        """Those that do not depend on the run."""
        return jvm_options(self.java.release, heap=self.heap)

    def directory_of(self, generation: int) -> Path:
        """Where the JVM of a generation has its files."""
        return self.directory / f"jvm-{generation}"

    def log_of(self, generation: int) -> Path:
        return self.directory_of(generation) / "spark.log"

    @property
    def files(self) -> tuple[Path, ...]:
        """What is on the class path."""
        return (*map(Path, self.patches), *sorted(spark_jars().glob("*.jar")), *map(Path, self.classpath))


@dataclass(frozen=True)
class Lease:
    """How to reach a running JVM. ``generation`` counts the JVMs of the run, from 1; ``store`` is where the tables are."""

    generation: int
    pid: int
    port: int
    secret: str
    log: Path
    serves_connect: bool = False
    store: ObjectStore | None = None


class Jvm:
    """A running JVM. It watches its standard input, so it exits when this process ends in any way."""

    def __init__(self, plan: JvmPlan, generation: int, started: Callable[[int], None]) -> None:
        """Start it, and wait until it can be reached. ``started`` gets the id of its process before that.

        Only the first of a run has to do with the cache: if the cache is what it dies of, the next one lives.
        """
        self._cache = plan.cache if generation == 1 else None
        directory = plan.directory_of(generation)
        directory.mkdir(parents=True)
        self._log = plan.log_of(generation)
        info = directory / "connection"
        conf = {
            **TUNING,
            "spark.sql.warehouse.dir": str(directory / "warehouse"),
            "spark.local.dir": str(directory / "scratch"),
            **plan.conf,
        }
        command = [str(plan.java.path), *plan.options]
        command += self._cache.options() if self._cache is not None else ()
        command += [f"-Djava.io.tmpdir={directory}", f"-Dderby.system.home={directory}", f"-Duser.home={Path.home()}"]
        command += ["-cp", os.pathsep.join([*plan.patches, f"{spark_jars()}/*", *plan.classpath])]
        command += ["org.apache.spark.deploy.SparkSubmit"]
        for key, value in conf.items():
            command += ["--conf", f"{key}={value}"]
        command += ["pyspark-shell"]
        environ = {**os.environ, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(info), "SPARK_HOME": str(spark_jars().parent)}
        environ["LC_ALL"] = "C.UTF-8"  # in another locale, Java cannot name all files
        environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        environ.setdefault(
            "SPARK_SCALA_VERSION", scala_version()
        )  # which local-cluster cannot find out for its executors
        environ["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON", "python3")
        self._served = Served(
            command, log=self._log, started=started, directory=directory, environ=environ, watches_input=True
        )
        try:
            port, secret = self._wait_for(info)
        except BaseException:  # an interrupt too: it must write no file when the run's directory is gone
            self.close()
            raise
        self.lease = Lease(
            generation, self._served.process.pid, port, secret, self._log, plan.serves_connect, plan.store
        )

    def _wait_for(self, info: Path) -> tuple[int, str]:
        """Wait for the JVM's connection file, which it renames into place when complete."""
        found = self._served.wait_until(lambda: info if info.exists() else None, seconds=START_LIMIT, every=0.02)
        if found is None:
            raise EngineUnavailable(
                f"Spark's JVM did not start (PySpark {pyspark.__version__}); its log ends: {tail(self._log)}"
            )
        with found.open("rb") as stream:
            return read_int(stream), UTF8Deserializer().loads(stream)

    def close(self) -> None:
        """Kill it: a Spark driver in local mode has nothing to save."""
        self._served.close()

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        """End it so that it leaves its cache for the next run, if this one recorded any."""
        if self._cache is not None and self._cache.recording and self._served.is_running:
            tell(
                "Writing a cache for the next run, so that its JVM starts faster: up to a minute, once. Ctrl-C leaves it out."
            )
            self._cache.keep(self._served.process)


def end(pid: int) -> None:
    """Kill a JVM that this run started."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def tail(log: Path, lines: int = 40) -> str:
    """The last lines of a JVM's log; empty if there is none."""
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""


class Leases:
    """Hands out the run's JVM, and starts a new one when a client reports that it is lost. Thread-safe."""

    #: The most JVMs in one run.
    MOST = 12

    def __init__(self, plan: JvmPlan, started: Callable[[int], None] = lambda pid: None) -> None:
        self._plan = plan
        self._started = started
        self._lock = threading.Lock()
        self._jvm: Jvm | None = None
        self._generation = 0

    def lease(self, lost: int = 0) -> Lease:
        """The JVM of a generation newer than ``lost``. Raises EngineUnavailable if it cannot be started."""
        with self._lock:
            if self._jvm is None or self._generation <= lost:
                if self._jvm is not None:
                    self._jvm.close()
                    self._jvm = None
                if self._generation >= self.MOST:
                    raise EngineUnavailable(f"Spark's JVM died {self.MOST} times in this run: see the cases in error.")
                self._jvm = self._start()
            return self._jvm.lease

    def _start(self) -> Jvm:
        self._generation += 1
        try:
            return Jvm(self._plan, self._generation, self._started)
        except EngineUnavailable:
            if self._generation > 1 or self._plan.cache is None or self._plan.cache.recording:
                raise
            self._plan.cache.discard()
            self._generation += 1
            return Jvm(self._plan, self._generation, self._started)

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        """The JVM's last use: nobody may need it any more."""
        with self._lock:
            if self._jvm is not None:
                self._jvm.keep_startup_cache(tell)

    def close(self) -> None:
        with self._lock:
            if self._jvm is not None:
                self._jvm.close()
                self._jvm = None
