"""The cluster that a run starts: with a small program in Java's place, and once with Spark's own."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engines.kind import Settings
from engines.port import EngineUnavailable
from engines.provider import provider_for
from engines.spark.adapter import SparkEngine
from engines.spark.jvm.java import Java
from engines.spark.masters import cluster as subject
from engines.spark.masters.cluster import EXECUTOR_OPTIONS, Cluster
from harness.running.judge import Judge
from runner.processes.workspace import Workspace
from suites.catalogue import CATALOGUE, unsupported
from tests.harness.test_judge import CASE

#: Instead of Java: each process writes what the real one does, and its environment, and waits until it is told to end.
_PROGRAM = """#!/bin/sh
printenv > "$PWD/environ.$$"
case "$*" in
  *master.Master*) {master} ;;
  *) {worker} ;;
esac
exec sleep 1000
"""
_ADDRESS = "spark://127.0.0.1:7"
_MASTER = (
    f'echo "INFO Master: Starting Spark master at {_ADDRESS}"; echo "Registering worker"; echo "Registering worker"'
)


class Started:
    """What a cluster is started with, and the ids of its processes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.pids: list[int] = []

    def cluster(self, workers: int = 2, *, master: str = _MASTER, worker: str = ":") -> Cluster:
        java = self.directory / "java"
        java.write_text(_PROGRAM.format(master=master, worker=worker))
        java.chmod(0o755)
        return Cluster(workers, java=Java(java, 17, ""), directory=self.directory / "run", started=self.pids.append)

    @property
    def alive(self) -> list[int]:
        return [pid for pid in self.pids if is_alive(pid)]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    found = Started(tmp_path)
    yield found
    for pid in found.alive:
        os.kill(pid, signal.SIGKILL)


def test_a_master_and_its_workers_are_started_and_ended(started: Started) -> None:
    cluster = started.cluster(2)
    settings = cluster.start("-Dx=y")
    assert settings["spark.master"] == _ADDRESS and settings["spark.cores.max"] == "2"
    assert settings[EXECUTOR_OPTIONS].endswith(" -Dx=y")
    assert len(started.alive) == 3
    cluster.close()
    assert not started.alive


def test_their_environment_has_nothing_of_another_cluster(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", "/etc/spark")
    monkeypatch.setenv("SPARK_LOCAL_IP", "192.0.2.1")
    cluster = started.cluster(1)
    cluster.start()
    run = started.directory / "run"
    written = (run / f"environ.{started.pids[0]}").read_text().splitlines()
    found = dict(line.split("=", 1) for line in written if line.startswith(("SPARK_", "JAVA_HOME")))
    assert found["SPARK_LOCAL_IP"] == "127.0.0.1" and found["JAVA_HOME"] == str(run / "java")
    assert found.keys() == {"JAVA_HOME", "SPARK_HOME", "SPARK_LOCAL_IP", "SPARK_SCALA_VERSION"}
    cluster.close()


def test_executors_have_the_java_of_the_workers_without_a_module_that_it_lacks(started: Started) -> None:
    cluster = started.cluster(1)
    cluster.start()
    cluster.close()
    own = started.directory / "java"
    own.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    java = started.directory / "run" / "java" / "bin" / "java"
    options = ["-cp", "a b:c*", "--add-modules=jdk.incubator.vector", "-Dx=$HOME", "Main"]
    said = subprocess.run([java, *options], check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == ["-cp", "a b:c*", "-Dx=$HOME", "Main"]


def sentence(start: Callable[[], object]) -> str:
    with pytest.raises(EngineUnavailable) as refusal:
        start()
    text = str(refusal.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("master", "worker", "who"),
    [("echo one; echo no memory; exit 1", ":", "Master"), (_MASTER, "echo no memory; exit 1", "Worker 1")],
)
def test_one_that_ends_at_once_is_named_with_the_end_of_its_log(
    started: Started, master: str, worker: str, who: str
) -> None:
    if who == "Worker 1":
        master = f"echo 'Starting Spark master at {_ADDRESS}'"
    cluster = started.cluster(1, master=master, worker=worker)
    text = sentence(cluster.start)
    assert text.startswith(f"The cluster of --spark-cluster did not start, as its {who} ended: ")
    assert text.endswith("no memory")
    cluster.close()
    assert not started.alive


def test_one_that_is_not_there_in_time(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "START_LIMIT", -1)
    cluster = started.cluster(1, master="echo starting")
    text = sentence(cluster.start)
    assert text.startswith(
        "The cluster of --spark-cluster did not start within -1 s: start fewer workers, or wait until"
    )
    cluster.close()
    assert not started.alive


def test_one_that_ends_later_is_told_and_named(started: Started) -> None:
    cluster = started.cluster(2)
    cluster.start()
    lost = threading.Event()
    cluster.watch(lost.set)
    cluster.require_whole()
    os.kill(started.pids[2], signal.SIGKILL)
    assert lost.wait(60)
    text = sentence(cluster.require_whole)
    assert text.startswith("The cluster of --spark-cluster lost its Worker 2 (exit code -9): run again; its log ends: ")
    cluster.close()


def test_one_that_the_run_ends_is_not_lost(started: Started) -> None:
    cluster = started.cluster(1)
    cluster.start()
    told: list[bool] = []
    cluster.watch(lambda: told.append(True))
    cluster.close()
    cluster.require_whole()
    assert not told


def test_what_an_executor_said_is_kept_without_its_command(started: Started) -> None:
    cluster = started.cluster(1)
    cluster.start()
    assert cluster.executors_said() == ""
    folder = started.directory / "run" / "executors-1" / "app-1" / "0"
    folder.mkdir(parents=True)
    (folder / "stderr").write_text('Spark Executor Command: "java" "-cp"\n=====\n\nNo such module\n')
    assert cluster.executors_said() == " The log of an executor ends: No such module."
    cluster.close()


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_sparks_own_cluster_judges_until_it_loses_a_worker() -> None:
    workspace, pids = Workspace(None), []

    def started(pid: int) -> None:
        workspace.started(pid)
        pids.append(pid)

    provider = provider_for("spark", Settings(workspace.directory, started), {"spark_cluster": 1})
    try:
        provider.start()
        engine = SparkEngine(provider.lease)
        clauses = [clause for id, clause in CATALOGUE.items() if id not in unsupported(engine)]
        judge = Judge(engine, clauses, workspace.directory / "tables")
        judged = judge.judge(CASE)
        assert judged.failure is None and not judged.failed
        os.kill(pids[1], signal.SIGKILL)
        lost = r"The cluster of --spark-cluster lost its Worker 1 \(exit code -9\): run again; "
        with pytest.raises(EngineUnavailable, match=lost):
            judge.judge(CASE)
    finally:
        provider.close()
        workspace.close()
    assert len(pids) == 3 and not [pid for pid in pids if is_alive(pid)]
