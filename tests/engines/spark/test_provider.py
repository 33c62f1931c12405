"""The JVM of a run on a cluster: its executors are checked once, and a cluster that cannot serve is refused for good."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from engines.kind import Settings
from engines.port import EngineDied, EngineUnavailable
from engines.spark import provider as subject
from engines.spark.adapter import raise_if_environmental
from engines.spark.jvm.driver import JvmPlan, Lease, Leases
from engines.spark.jvm.java import Java
from engines.spark.options import SparkOptions
from engines.spark.provider import SparkProvider


class Jvms:
    """Instead of ``Leases``: another JVM whenever the last one is lost."""

    def __init__(self) -> None:
        self.generation = 0

    def lease(self, lost: int) -> Lease:
        self.generation = max(self.generation, lost + 1)
        return Lease(self.generation, 0, 0, "", Path("log"))


class Checks:
    """Instead of ``check_executors``: the check of the JVM of this generation fails."""

    def __init__(self, failing: int) -> None:
        self.failing = failing
        self.checked: list[int] = []

    def __call__(self, lease: Lease, **about: object) -> None:
        self.checked.append(lease.generation)
        if lease.generation == self.failing:
            raise EngineUnavailable("It gave no executor.")


def provider(master: str, directory: Path, checks: Checks, monkeypatch: pytest.MonkeyPatch) -> SparkProvider:
    monkeypatch.setattr(subject, "check_executors", checks)
    made = SparkProvider(Settings(directory, lambda pid: None), SparkOptions(master=master))
    conf: dict[str, Any] = {"spark.master": master}
    made._plan = JvmPlan(Java(Path("java"), 17, ""), (), (), conf, directory)
    made._leases = cast(Leases, Jvms())
    return made


DIED = """The thread Thread-8 died of this:
java.lang.NoClassDefFoundError: io/delta/storage/commit/actions/AbstractProtocol
\tat java.base/java.lang.ClassLoader.defineClass1(Native Method)
Caused by: java.lang.ClassNotFoundException: io.delta.storage.commit.actions.AbstractProtocol
\t... 18 more
"""


def on_own_jars(directory: Path, jars: tuple[str, ...], log: str, monkeypatch: pytest.MonkeyPatch) -> SparkProvider:
    made = provider("local[*]", directory, Checks(failing=0), monkeypatch)
    made._jars = jars
    (directory / "jvm-1").mkdir()
    (directory / "jvm-1" / "spark.log").write_text(log, encoding="utf-8")
    return made


def test_a_jvm_that_died_as_the_users_jars_lack_a_class_is_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = on_own_jars(tmp_path, ("delta-spark.jar",), DIED, monkeypatch)
    assert own.lease(0).generation == 1
    for _ in range(2):
        with pytest.raises(EngineUnavailable) as refusal:
            own.lease(1)
        assert str(refusal.value) == (
            "Spark's JVM died, because it cannot load the class io.delta.storage.commit.actions.AbstractProtocol: --jars "
            "replaces all of Delta's jars from Maven, so name the jar with this class too (docs/ci.md)."
        )


@pytest.mark.parametrize(
    ("jars", "log"),
    [((), DIED), (("a.jar",), ""), (("a.jar",), DIED.replace("NoClassDefFoundError", "OutOfMemoryError"))],
)
def test_a_jvm_that_died_of_something_else_is_replaced(
    jars: tuple[str, ...], log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert on_own_jars(tmp_path, jars, log, monkeypatch).lease(1).generation == 2


def test_the_executors_of_each_jvm_are_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = Checks(failing=0)
    own = provider("spark://host:7077", tmp_path, checks, monkeypatch)
    assert [own.lease(lost).generation for lost in (0, 0, 1, 1)] == [1, 1, 2, 2]
    assert checks.checked == [1, 2]


def test_a_cluster_that_cannot_serve_any_more_is_refused_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = Checks(failing=2)
    own = provider("spark://host:7077", tmp_path, checks, monkeypatch)
    own.lease(0)
    for lost in (1, 1, 2):
        with pytest.raises(EngineUnavailable, match=r"^It gave no executor\.$"):
            own.lease(lost)
    assert checks.checked == [1, 2]


def test_in_local_mode_there_is_nothing_to_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = Checks(failing=1)
    assert provider("local[*]", tmp_path, checks, monkeypatch).lease(0).generation == 1
    assert not checks.checked


@pytest.mark.parametrize(
    "message",
    [
        "Job 3 cancelled because SparkContext was shut down",
        "Cannot call methods on a stopped SparkContext.\nThis stopped SparkContext was created at: …",
        "Job aborted due to stage failure: … ExecutorLostFailure (executor 1 exited) Reason: worker lost",
        "[SPARK_JOB_CANCELLED] Job 443 cancelled as part of cancellation of all jobs SQLSTATE: XXKDA",
        "Job aborted due to stage failure: … java.io.IOException: No space left on device",
        "java.lang.OutOfMemoryError: Java heap space",
        "java.io.FileNotFoundError: /tmp/x (Too many open files)",
    ],
)
def test_what_the_machine_or_a_lost_cluster_says_is_no_error_of_the_engine(message: str) -> None:
    with pytest.raises(EngineDied):
        raise_if_environmental(message)
    raise_if_environmental("Job aborted due to stage failure: Task 0 failed 4 times")
