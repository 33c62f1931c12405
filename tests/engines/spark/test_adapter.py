"""The Spark adapter: JVMs that die or hang, and refused commands."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.kind import Provider
from engines.port import EngineDied
from engines.spark import adapter
from engines.spark.adapter import SparkEngine
from harness.running.judge import Judge
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.vocabulary.case import Case
from model.vocabulary.steps import Delete, DeleteMistake, InvalidDelete, Read
from model.vocabulary.table import Column, Commit, DataFile, Table
from model.vocabulary.values import Row, Type
from suites.catalogue import CATALOGUE

pytestmark = pytest.mark.xdist_group("spark")

TABLE = Table(
    columns=(Column("x", Type.INTEGER),),
    partition_by=(),
    files=(DataFile(id=0, partition=(), rows=((1,), (2,)), modified=-1000),),
    commits=(Commit(at=-500, adds=(0,)),),
)


def table_at(root: Path, table: Table = TABLE) -> Path:
    write_table(plan_table(table, root, start=2_000_000_000_000))
    return root


def test_a_refusal_is_a_value(spark_engine: SparkEngine, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    outcome = spark_engine.run(tmp_path / "empty", Delete(), clock=2_000_000_000_000, version=None)
    assert outcome.error is not None
    assert outcome.error.condition in (
        "DELTA_TABLE_NOT_FOUND",
        "DELTA_MISSING_DELTA_TABLE",
        "DELTA_MISSING_TRANSACTION_LOG",
    )
    assert outcome.error.sqlstate and outcome.error.message
    unknown = spark_engine.run(
        table_at(tmp_path / "table"), InvalidDelete(DeleteMistake.UNKNOWN_COLUMN), clock=2_000_000_000_000, version=None
    )
    assert unknown.error is not None
    assert capfd.readouterr() == ("", ""), "PySpark 4 logs some refusals to standard error"


def test_the_error_class_of_the_cause_is_reported(spark_engine: SparkEngine, tmp_path: Path) -> None:
    """Spark has an internal column of this name and fails inside a task when it reads a stored one."""
    columns = (Column("_tmp_metadata_row_index", Type.INTEGER),)
    root = table_at(tmp_path / "table", replace(TABLE, columns=columns))
    error = spark_engine.run(root, Read(), clock=2_000_000_000_000, version=None).error
    assert error is not None
    assert (error.exception, error.condition, error.sqlstate) == ("SparkException", "FAILED_READ_FILE.NO_HINT", "KD001")
    assert error.message.startswith("[FAILED_READ_FILE.NO_HINT]")


@pytest.mark.slow
def test_a_step_that_exceeds_its_limit_kills_the_jvm_and_the_next_gets_a_new_one(
    provider: Provider, tmp_path: Path
) -> None:
    root, before = table_at(tmp_path / "table"), provider.lease(0)
    hasty = SparkEngine(provider.lease, time_limit=0.01)
    with pytest.raises(EngineDied, match=r"READ exceeded its time limit of 0\.01 s; the JVM's log ends"):
        hasty.run(root, Read(), clock=2_000_000_000_000, version=None)
    patient = SparkEngine(provider.lease)
    assert patient.run(root, Read(), clock=2_000_000_000_000, version=None).rows == ((1,), (2,))
    assert provider.lease(0).generation == before.generation + 1


@pytest.mark.slow
def test_a_case_whose_jvm_was_killed_is_judged_on_a_new_one(provider: Provider, tmp_path: Path) -> None:
    engine = SparkEngine(provider.lease)
    judge = Judge(engine, list(CATALOGUE.values()), tmp_path)
    case = Case(TABLE, (Delete(), Read()))
    assert judge.judge(case).failure is None
    os.kill(provider.lease(0).pid, signal.SIGKILL)
    judged = judge.judge(case)
    assert judged.failure is None, judged.failure
    assert len(judged.steps) == 2 and not judged.violated


def test_a_thread_of_the_jvm_that_dies_ends_the_step_that_waits_for_it(
    provider: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the thread that serves rows does if a class of Arrow cannot be loaded; at once, not at the time limit."""
    engine = SparkEngine(provider.lease)

    def wait_for_a_thread_that_dies(frame: Any) -> tuple[Row, ...]:
        java = engine.session()._jvm.java  # type: ignore[union-attr]
        runnable = java.lang.Class.forName("java.lang.Runnable")
        nothing = java.util.ArrayList().iterator()
        java.lang.Thread(java.beans.EventHandler.create(runnable, nothing, "next"), "serve-rows").start()
        getattr(java.util.concurrent.CountDownLatch(1), "await")()  # a keyword of Python
        return ()

    monkeypatch.setattr(adapter, "rows_of", wait_for_a_thread_that_dies)
    with pytest.raises(EngineDied, match="READ killed the JVM") as death:
        engine.run(table_at(tmp_path / "table"), Read(), clock=2_000_000_000_000, version=None)
    assert "The thread serve-rows died of this:" in str(death.value)
    assert "java.util.NoSuchElementException" in str(death.value)
