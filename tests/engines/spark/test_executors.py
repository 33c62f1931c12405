"""What the executors of a cluster are given, and the sentences if they cannot do what a run asks of them."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from engines.object_store import ObjectStore
from engines.port import EngineUnavailable
from engines.spark.jvm.driver import Lease
from engines.spark.jvm.jars import scala_version
from engines.spark.masters import executors as subject
from engines.spark.masters.executors import check_executors, executor_settings, served_to_executors

MASTER = "spark://host:7077"

#: The beginning of a line of Spark's log.
KILLED = "26/11/25 05:47:37 ERROR StandaloneSchedulerBackend: Application has been killed. Reason:"


def class_path(settings: dict[str, str]) -> list[Path]:
    return [Path(entry) for entry in settings["spark.executor.extraClassPath"].split(":")]


def test_executors_get_copies_with_patches_in_front_and_delta_last(tmp_path: Path) -> None:
    patch, jars = tmp_path / "classes", (tmp_path / "a" / "delta.jar", tmp_path / "b" / "delta.jar")
    (patch / "org").mkdir(parents=True)
    (patch / "org" / "Patched.class").write_text("patched")
    for jar in jars:
        jar.parent.mkdir()
        jar.write_text(str(jar))
    run = tmp_path / "run"
    conf = {"spark.executor.extraClassPath": "/opt/own.jar:/opt/other.jar"}
    found = class_path(executor_settings(run, patches=[str(patch)], jars=[*map(str, jars)], conf=conf))
    assert found[1:3] == [Path("/opt/own.jar"), Path("/opt/other.jar")]
    assert (found[0] / "org" / "Patched.class").read_text() == "patched"
    assert [entry.read_text() for entry in found[3:5]] == [str(jar) for jar in jars], "two may have the same name"
    assert found[5].is_dir() and len(found) == 6, "for what is compiled later"
    assert all(run in entry.parents for entry in (found[0], *found[3:])), "what executors and driver share"


def test_without_patches_and_settings_executors_get_delta_alone(tmp_path: Path) -> None:
    (tmp_path / "delta.jar").write_text("")
    settings = executor_settings(tmp_path / "run", patches=(), jars=[str(tmp_path / "delta.jar")], conf={})
    assert [entry.name for entry in class_path(settings)][:-1] == ["delta.jar"]
    assert settings["spark.executorEnv.LC_ALL"] == "C.UTF-8"


def test_the_users_locale_of_executors_stays(tmp_path: Path) -> None:
    conf = {"spark.executorEnv.LC_ALL": "de_DE.UTF-8"}
    assert executor_settings(tmp_path, patches=(), jars=(), conf=conf)["spark.executorEnv.LC_ALL"] == "de_DE.UTF-8"


def test_executors_that_share_no_directory_get_the_jars_from_the_driver() -> None:
    found = served_to_executors(jars=["/a/delta.jar", "/b/s3a.jar"], conf={"spark.jars": "/own.jar"})
    assert found["spark.jars"] == "/own.jar,/a/delta.jar,/b/s3a.jar" and "spark.executor.extraClassPath" not in found
    assert served_to_executors(jars=["/a/delta.jar"], conf={})["spark.jars"] == "/a/delta.jar"


def test_the_version_of_scala_is_that_of_sparks_jars() -> None:
    assert scala_version() in ("2.12", "2.13")


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """Instead of the JVM: a process that waits until it is ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as waiting:
        yield waiting
        waiting.kill()


class Job:
    """Instead of a session: the job with this number, from 0, fails, by ``fail``; those before it do nothing."""

    def __init__(self, failing: int, fail: Any) -> None:
        self._left, self._fail = failing, fail
        self.sparkContext = self
        self.defaultParallelism = 2
        self.read = self.write = self

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self

    def _run(self, *arguments: object) -> None:
        self._left -= 1
        if self._left < 0:
            self._fail()

    collect = save = _run


def sentence(
    process: subprocess.Popen[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    session: Any,
    *,
    limit: float = 60,
    store: ObjectStore | None = None,
) -> str:
    """What a check says whose jobs are those of ``session``; if it is a function, connecting is."""
    monkeypatch.setattr(subject, "connect", session if callable(session) else lambda lease: session)
    monkeypatch.setattr(subject, "compiled", lambda session: {"a.B": b"code"})
    monkeypatch.setattr(subject, "disconnect", lambda: None)  # of a session that other tests have
    lease = Lease(1, process.pid, 0, "", tmp_path / "log", store=store)
    with pytest.raises(EngineUnavailable) as refusal:
        check_executors(lease, conf={"spark.master": MASTER}, directory=tmp_path, limit=60)
    text = str(refusal.value)
    assert "\n" not in text and text.endswith(".")
    return text


def raised(text: str) -> Any:
    def fail(*arguments: object) -> None:
        raise Py4JError(text)

    return fail


LOST_TASK = (
    "An error occurred while calling o71.collect.\n: org.apache.spark.SparkException: Job aborted due to stage failure: Task "
    "0 in stage 2.0 failed 4 times, most recent failure: Lost task 0.3 in stage 2.0 (TID 8) (127.0.0.1 executor 0): {}\n\tat a"
)
NOT_FOUND = LOST_TASK.format("java.io.FileNotFoundException: File file:/a does not exist")
NO_CLASS = (
    f"{LOST_TASK.format('org.apache.spark.SparkException: failed')}\nCaused by: java.lang.reflect.InvocationTargetException"
    "\nCaused by: java.lang.ClassNotFoundException: a.B\n\tat"
)
SHUT_DOWN = "o.collect.\n: SparkException: Job 0 cancelled because SparkContext was shut down\n\tat"
STOPPED = "Cannot call methods on a stopped SparkContext."


def denied() -> None:
    raise PySparkException("Permission denied\nJVM stacktrace: …")


#: What fails, what Spark's log says of it, and the beginning of the sentence.
FAILURES: dict[str, tuple[Any, str, str]] = {
    "they see other files": (
        Job(0, raised(NOT_FOUND)),
        "",
        (
            f"The executors of {MASTER} cannot read {{}}, where the tables are made (java.io.FileNotFoundException: File "
            "file:/a does not exist): name a directory that they share with the driver: --table-root DIR."
        ),
    ),
    "they have no Delta": (
        Job(1, raised(NO_CLASS)),
        "",
        f"The executors of {MASTER} cannot load Delta's classes (java.lang.ClassNotFoundException: a.B): ",
    ),
    "they cannot write": (
        Job(2, denied),
        "",
        f"The executors of {MASTER} cannot write and read a Delta table in {{}} (Permission denied): they need",
    ),
    "the master ended the application": (
        Job(0, raised(SHUT_DOWN)),
        f"{KILLED} Master removed our application: FAILED\nother\n",
        f"{MASTER} ended the application, as no executor starts: see the logs of its workers.",
    ),
    "the master does not answer": (
        raised(STOPPED),
        f"{KILLED} All masters are unresponsive! Giving up.\n",
        f"Spark did not start on {MASTER} (All masters are unresponsive! Giving up.): see that this is ",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_why_executors_cannot_serve(
    name: str, process: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, log, words = FAILURES[name]
    (tmp_path / "log").write_text(log)
    assert sentence(process, tmp_path, monkeypatch, session).startswith(words.format(tmp_path))


@pytest.mark.parametrize(
    ("is_master", "words"),
    [
        (True, f"{MASTER} gave no executor that ran a job within 60 s: a worker needs a free core and 1g of "),
        (False, f"Spark did not start on {MASTER} within 600 s: see that this is the address of a master of "),
    ],
)
def test_nobody_waits_for_ever(
    is_master: bool, words: str, process: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is up when the test says so."""
    up: list[Callable[[], None]] = []

    def timer(seconds: float, then: Callable[[], None]) -> Any:
        up.append(then)
        return SimpleNamespace(start=lambda: None, cancel=lambda: None)

    def until_the_jvm_ends(*arguments: object) -> None:
        up[-1]()
        process.wait()
        raise ConnectionError

    monkeypatch.setattr(threading, "Timer", timer)
    session = Job(0, until_the_jvm_ends) if is_master else until_the_jvm_ends
    assert sentence(process, tmp_path, monkeypatch, session).startswith(words)
    assert process.returncode == -signal.SIGKILL


def test_executors_that_do_not_reach_the_bucket(
    process: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ObjectStore("http://127.0.0.1:9", "lake", "key", "secret")
    session = Job(0, raised(LOST_TASK.format("java.net.ConnectException: refused")))
    assert sentence(process, tmp_path, monkeypatch, session, store=store).startswith(
        f"The executors of {MASTER} cannot write and read a Delta table in the bucket lake (java.net.ConnectException: refused): "
        "they need Spark "
    )
    assert not [path for path in tmp_path.rglob("*") if path.is_file()], "they share no directory with the driver"


def test_ctrl_c_is_handled_as_before(
    process: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A SparkContext sets a handler of its own."""
    before = signal.getsignal(signal.SIGINT)

    def connect(lease: Lease) -> None:
        signal.signal(signal.SIGINT, lambda number, frame: None)
        raise ConnectionError("no")

    sentence(process, tmp_path, monkeypatch, connect)
    assert signal.getsignal(signal.SIGINT) is before
