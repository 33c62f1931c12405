"""delta-rs: which errors are its answers, which are the suite's, and which the machine's."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from deltalake import DeltaTable

from engines.deltalake import worker
from engines.deltalake.adapter import DeltalakeEngine, WorkerFailed
from engines.deltalake.answering import Failed
from engines.deltalake.tables import Tables
from engines.machine import MachineFailed, require_machine, trouble_in
from engines.port import EngineDied, Outcome, now
from model.vocabulary.case import Case
from model.vocabulary.predicate import IsNull, Wrapped, Wrapper
from model.vocabulary.steps import (
    Delete,
    DeleteMistake,
    EngineStep,
    InvalidDelete,
    InvalidVacuum,
    OpenSession,
    Read,
    Request,
    Vacuum,
    VacuumMistake,
)
from tests.builders.observations import full_judge, make
from tests.handmade.steps import IN_A, PARTITIONED


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(PARTITIONED, tmp_path, start=now())


def run(engine: DeltalakeEngine, root: Path, step: EngineStep) -> Outcome:
    return engine.run(root, step, clock=now(), version=None)


def kill(engine: DeltalakeEngine) -> None:
    assert engine._child is not None
    engine._child.kill()
    engine._child.wait()


# The suite's ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [Read(by_earlier=True), Delete(by_earlier=True), Vacuum(by_earlier=True)], ids=str)
def test_a_session_that_is_gone_is_no_refusal(step: EngineStep, mortal: DeltalakeEngine, root: Path) -> None:
    run(mortal, root, OpenSession())
    assert run(mortal, root, Read(by_earlier=True)).error is None
    kill(mortal)
    with pytest.raises(EngineDied, match="The session that opened the table is gone, with the engine's process"):
        run(mortal, root, step)
    assert run(mortal, root, Read()).error is None, "the process goes on"


def test_the_case_of_a_session_that_is_gone_is_tried_again(tmp_path: Path) -> None:
    class Killed(DeltalakeEngine):
        deaths = 1

        def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
            if isinstance(step, Delete) and self.deaths:
                self.deaths -= 1
                kill(self)
            return super().run(root, step, clock=clock, version=version)

    engine = Killed()
    judged = full_judge(engine, tmp_path).judge(Case(PARTITIONED, (OpenSession(), Delete(by_earlier=True))))
    engine.close()
    assert judged.failure is None and len(judged.steps) == 2


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (InvalidDelete(DeleteMistake.VIEW), "ValueError: deltalake has no command with this mistake"),
        (InvalidVacuum(VacuumMistake.CLAUSE_TWICE), "ValueError: deltalake has no command with this mistake"),
        (Delete(Wrapped(IsNull("b"), Wrapper.PYTHON)), "TypeError: Wrapped is not supported in SQL for DataFusion"),
    ],
    ids=["DELETE", "VACUUM", "condition"],
)
def test_a_step_that_cannot_be_asked_for_is_an_error_of_the_suite(
    step: EngineStep, error: str, mortal: DeltalakeEngine, root: Path
) -> None:
    with pytest.raises(WorkerFailed, match=error) as found:
        run(mortal, root, step)
    assert "Traceback" in str(found.value.__cause__)
    assert run(mortal, root, Read()).error is None, "the process goes on"


def test_it_is_judged_as_one(engine: DeltalakeEngine, tmp_path: Path) -> None:
    judged = full_judge(engine, tmp_path).judge(Case(PARTITIONED, (InvalidDelete(DeleteMistake.VIEW),)))
    assert not judged.violated and judged.failure is not None and judged.failure.kind == "harness"
    assert "WorkerFailed: ValueError: deltalake has no command with this mistake" in judged.failure.message


@pytest.mark.parametrize("name", ["call_of", "rows_of", "named_path", "_deleted"])
def test_what_the_suite_raises_around_a_call_is_no_answer(
    name: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **more: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr(worker, name, fails)
    found = worker.answer(Tables(), root, Read() if name == "rows_of" else IN_A, None)
    assert isinstance(found, Failed) and found.error == "IndexError: list index out of range"
    assert "in fails" in found.traceback and not found.session_gone


# The engine's -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ValueError, IndexError, KeyError, BaseException])
def test_whatever_its_own_call_raises_is_its_answer(
    kind: type[BaseException], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **more: object) -> None:
        raise kind("of its own")

    monkeypatch.setattr(DeltaTable, "delete", fails)
    found = worker.answer(Tables(), root, IN_A, None)
    assert isinstance(found, Outcome) and found.error is not None
    assert found.error.exception == kind.__name__ and "of its own" in found.error.message


def test_rows_of_other_columns_are_its_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_columns", lambda table: ["v", "p", "more"])
    found = worker.answer(Tables(), root, Read(), None)
    assert isinstance(found, Outcome) and found.error is not None
    assert "the result has the columns" in found.error.message


# The machine's ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="the limits of another process are Linux's")
def test_no_file_handles_are_no_fault_of_it(mortal: DeltalakeEngine, root: Path) -> None:
    run(mortal, root, Read())
    assert mortal._child is not None
    pid = mortal._child.pid
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(os.listdir(f"/proc/{pid}/fd")), limits[1]))
    outcome = run(mortal, root, IN_A)
    with pytest.raises(MachineFailed, match="no file handles are left"):
        require_machine(outcome)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 100 KB."""
    place = tmp_path / "small"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", "size=100k", "tmpfs", str(place)]
    if sys.platform != "linux" or os.geteuid() != 0 or subprocess.run(["mount", *options], check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_no_fault_of_it(mortal: DeltalakeEngine, small_disk: Path) -> None:
    root = make(PARTITIONED, small_disk, start=now())
    with (small_disk / "filling").open("wb", buffering=0) as filling:
        assert filling.write(bytes(200_000)) < 100_000, "it takes as much as has room"
    with pytest.raises(MachineFailed, match="the disk is full"):
        require_machine(run(mortal, root, IN_A))
    judged = full_judge(mortal, small_disk / "other").judge(Case(PARTITIONED, (IN_A,)))
    assert not judged.violated and judged.failure is not None
    assert trouble_in(judged.failure.message) and "the disk is full" in judged.failure.message
