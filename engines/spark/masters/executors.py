"""The executors of a cluster: what they need besides their Spark, and whether they can do what a run asks of them.

Driver and executors must share only the file system of the tables; so the jars go there too.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from engines.object_store import ObjectStore
from engines.port import EngineUnavailable
from engines.spark.commands.result_rows import rows_of
from engines.spark.jvm.driver import Lease, end, tail
from engines.spark.sessions.session import connect, disconnect
from engines.spark.storage.file_system import NAME as FILE_SYSTEM
from engines.spark.storage.file_system import compiled

#: Seconds for the cluster to give an executor and run a first job on it.
EXECUTOR_LIMIT = 120

#: Seconds for what only hangs if something is broken: on a busy machine, a first write of a Delta table took 90.
HANG_LIMIT = 600

#: Where the class path of executors is, below the run's directory.
_FOLDER = "executors"

_CLASS_PATH = "spark.executor.extraClassPath"

_LOCALE = "spark.executorEnv.LC_ALL"

#: A class of Delta that tasks of a DELETE need.
_DELTA_CLASS = "org.apache.spark.sql.delta.actions.AddFile"

#: Where the file system with faults is for executors, below the run's directory: as an entry of a class path.
_FILE_SYSTEM = f"{_FOLDER}/3"

#: The most tasks of a job that shall reach every executor.
_MOST_TASKS = 64

#: The most letters of a cause in a message.
_MOST_LETTERS = 200

#: What the driver's log says of an application that the master does not take, or has ended.
_ENDED = re.compile(r"Application has been killed\. Reason: (.+)")

#: ... if the executors of the application ended again and again.
_NO_EXECUTOR_STARTS = "Master removed our application"

#: What a job that fails raises, and what a call raises whose JVM was ended.
FAILURES = (PySparkException, Py4JError, ConnectionError, EOFError)


def executor_settings(
    directory: Path, *, patches: Sequence[str], jars: Sequence[str], conf: Mapping[str, str]
) -> dict[str, str]:
    """Settings that give executors copies, below the run's ``directory``, of what the driver has on its class path.

    ``patches`` come first, as in the driver, then what the user's ``conf`` has for executors, then Delta's ``jars``, then a
    directory for what ``check_executors`` compiles. Not
    ``spark.jars``: its classes are in a class loader of their own, where those of a patch do not find them.
    """
    front, behind = (_copies(entries, directory / _FOLDER / name) for name, entries in (("1", patches), ("2", jars)))
    own = [conf[_CLASS_PATH]] if conf.get(_CLASS_PATH) else []
    compiled = directory / _FILE_SYSTEM
    compiled.mkdir(parents=True)
    return {
        _CLASS_PATH: os.pathsep.join([*front, *own, *behind, str(compiled)]),
        _LOCALE: conf.get(_LOCALE, "C.UTF-8"),  # in another locale, Java cannot name all files
    }


def served_to_executors(*, jars: Sequence[str], conf: Mapping[str, str]) -> dict[str, str]:
    """Settings by which executors that share no directory with the driver get its jars from it, and keep no block of an object on
    their disks.
    """
    own = [conf["spark.jars"]] if conf.get("spark.jars") else []
    return {
        "spark.jars": ",".join([*own, *jars]),
        _LOCALE: conf.get(_LOCALE, "C.UTF-8"),  # in another locale, Java cannot name all files
        "spark.hadoop.fs.s3a.fast.upload.buffer": "array",
        "spark.hadoop.fs.s3a.multipart.size": "5M",  # of which each open file has one in memory
    }


def _copies(entries: Sequence[str], folder: Path) -> list[str]:
    """Copies of jars and directories, each in a new folder, as two may have the same name."""
    copies = []
    for number, entry in enumerate(map(Path, entries)):
        copy = folder / str(number) / entry.name
        copy.parent.mkdir(parents=True)
        if entry.is_dir():
            shutil.copytree(entry, copy)
        else:
            shutil.copyfile(entry, copy)
        copies.append(str(copy))
    return copies


def check_executors(lease: Lease, *, conf: Mapping[str, str], directory: Path, limit: float = EXECUTOR_LIMIT) -> None:
    """Run small jobs on the executors: read a file below ``directory``, load Delta and the file system that fails, write and
    read a Delta table. Where tables are in a bucket, only the last, below the path that the directory has there.

    Raises EngineUnavailable, in one sentence with the remedy, also if there is no executor within ``limit`` seconds; the JVM
    is then ended.
    """
    folder = directory / _FOLDER / "check"
    folder.mkdir(parents=True)
    check = _Check(lease, conf, directory, folder, limit)
    try:
        with interrupts_as_before():
            session = check.connected()
        if lease.store is None:
            check.reads_a_file(session)
            check.loads_classes(session)
            check.writes_and_reads_delta(session)
        else:
            check.uses_the_bucket(session, lease.store)
    finally:
        disconnect()
    shutil.rmtree(folder)


@contextmanager
def interrupts_as_before() -> Iterator[None]:
    """Restores Ctrl-C, which a SparkContext would use to cancel its jobs; no run waits for a job of this process."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


@dataclass(frozen=True)
class _Check:
    lease: Lease
    conf: Mapping[str, str]
    directory: Path  # the run's
    folder: Path  # below it, for this
    limit: float  # seconds to wait for an executor

    def connected(self) -> SparkSession:
        failed = f"Spark did not start on {self._master}"
        with self._watched(failed, remedy=f"see that this is the address of a master of Spark {pyspark.__version__}"):
            return connect(self.lease)

    def reads_a_file(self, session: SparkSession) -> None:
        """Read what this process wrote. It is the first job, so it waits for an executor."""
        marker = self.folder / "marker.txt"
        marker.write_text("one line\n", encoding="utf-8")
        failed = f"The executors of {self._master} cannot read {self.directory}, where the tables are made"
        remedy = "name a directory that they share with the driver: --table-root DIR"
        with self._watched(failed, remedy=remedy, limit=self.limit, late=self._late):
            # Without globbing: a name such as [a] is no pattern.
            session.read.option("__globPaths__", "false").text(str(marker)).collect()

    def loads_classes(self, session: SparkSession) -> None:
        """Load classes by their names. Where Delta's are missing, the errors of other jobs hardly say so."""
        for name, code in compiled(session).items():
            file = self.directory / _FILE_SYSTEM / f"{name.replace('.', '/')}.class"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(code)
        failed = f"The executors of {self._master} cannot load Delta's classes"
        remedy = f"their class path must begin with what the suite puts into {_CLASS_PATH}"
        with self._watched(failed, remedy=remedy):
            loaded = [f"java_method('java.lang.Class', 'forName', '{name}')" for name in (_DELTA_CLASS, FILE_SYSTEM)]
            self._rows(session).selectExpr(*loaded).collect()

    def writes_and_reads_delta(self, session: SparkSession) -> None:
        table = str(self.folder / "table")
        failed = f"The executors of {self._master} cannot write and read a Delta table in {self.directory}"
        remedy = f"they need Spark {pyspark.__version__}, and the right to write there"
        with self._watched(failed, remedy=remedy):
            self._rows(session).write.format("delta").save(table)
            rows_of(session.read.format("delta").load(table))

    def uses_the_bucket(self, session: SparkSession, store: ObjectStore) -> None:
        """Write and read a Delta table in the bucket. It is the first job, so it waits for an executor."""
        table = f"{store.above}{self.folder}/table"
        failed = f"The executors of {self._master} cannot write and read a Delta table in the bucket {store.bucket}"
        remedy = f"they need Spark {pyspark.__version__}, and must reach {store.address}"
        with self._watched(failed, remedy=remedy, limit=self.limit, late=self._late):
            self._rows(session).write.format("delta").save(table)
            rows_of(session.read.format("delta").load(table))

    @property
    def _master(self) -> str:
        return self.conf["spark.master"]

    @property
    def _late(self) -> str:
        memory, host = self.conf.get("spark.executor.memory", "1g"), self.conf.get("spark.driver.host", "127.0.0.1")
        return (
            f"{self._master} gave no executor that ran a job within {self.limit:g} s: a worker needs a free core and {memory} "
            f"of memory (spark.executor.memory), and must reach the driver at {host} (spark.driver.host and "
            "spark.driver.bindAddress); the logs of the workers say more"
        )

    def _rows(self, session: SparkSession) -> DataFrame:
        """A row for each task that can run at the same time, so that all executors that have come take part."""
        tasks = min(session.sparkContext.defaultParallelism, _MOST_TASKS)
        return session.range(0, tasks, 1, tasks)

    @contextmanager
    def _watched(self, failed: str, *, remedy: str, limit: float = HANG_LIMIT, late: str = "") -> Iterator[None]:
        """Raises EngineUnavailable if what is done takes too long, or fails."""
        too_late = threading.Event()

        def give_up() -> None:
            too_late.set()
            end(self.lease.pid)

        timer = threading.Timer(limit, give_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        except FAILURES as failure:
            ended = _ENDED.search(tail(self.lease.log, lines=1000))
            if too_late.is_set():
                problem = late or f"{failed} within {limit:g} s: {remedy}"
            elif ended and _NO_EXECUTOR_STARTS in ended[1]:
                problem = f"{self._master} ended the application, as no executor starts: see the logs of its workers"
            else:
                problem = f"{failed} ({ended[1] if ended else cause_of(failure)}): {remedy}"
            raise EngineUnavailable(f"{problem}.") from failure
        finally:
            timer.cancel()


def cause_of(failure: Exception) -> str:
    """The most telling line of a failure: the first cause in Java, or the error of a task."""
    text = str(failure)
    first_causes = re.findall(r"^Caused by: (.+)", text, re.MULTILINE)[-1:]
    of_tasks = re.findall(r"\(\S+ executor \S+\): (.+)", text)
    of_java = re.findall(r"^: (.+)", text, re.MULTILINE)  # after Py4J's own words
    line = next(iter([*first_causes, *of_tasks, *of_java]), text.partition("\n")[0])
    return line.strip()[:_MOST_LETTERS]
