"""The JVM of a run on a cluster: its executors are checked once, and a cluster that cannot serve is refused for good."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from engines.kind import Settings
from engines.port import EngineDied, EngineUnavailable
from engines.spark import provider as subject
from engines.spark.adapter import raise_if_environmental
from engines.spark.java import Java
from engines.spark.jvm import JvmPlan, Lease, Leases
from engines.spark.provider import SparkProvider


class Jvms:
    """In place of ``Leases``: another JVM whenever the last one is lost."""

    def __init__(self) -> None:
        self.generation = 0

    def lease(self, lost: int) -> Lease:
        self.generation = max(self.generation, lost + 1)
        return Lease(self.generation, 0, 0, "", Path("log"))


class Checks:
    """In place of ``check_executors``: the check of the JVM of this generation fails."""

    def __init__(self, failing: int) -> None:
        self.failing = failing
        self.checked: list[int] = []

    def __call__(self, lease: Lease, **about: object) -> None:
        self.checked.append(lease.generation)
        if lease.generation == self.failing:
            raise EngineUnavailable("It gave no executor.")


def provider(master: str, directory: Path, checks: Checks, monkeypatch: pytest.MonkeyPatch) -> SparkProvider:
    monkeypatch.setattr(subject, "check_executors", checks)
    made = SparkProvider(Settings(directory, lambda pid: None, master=master))
    conf: dict[str, Any] = {"spark.master": master}
    made._plan = JvmPlan(Java(Path("java"), 17, ""), (), (), conf, directory)
    made._leases = cast(Leases, Jvms())
    return made


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
    ],
)
def test_what_a_lost_cluster_says_is_no_error_of_the_engine(message: str) -> None:
    with pytest.raises(EngineDied):
        raise_if_environmental(message)
    raise_if_environmental("Job aborted due to stage failure: Task 0 failed 4 times")
