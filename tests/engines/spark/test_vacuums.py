"""VACUUM through the Spark adapter: each form and mode, each I/O fault, and each invalid command."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from engines.port import Outcome
from engines.spark.adapter import SparkEngine
from engines.spark.sessions.settings import settings
from engines.spark.storage import file_system
from model.prediction.refusals import UNKNOWN_PROTOCOL, expected_vacuum_refusal
from model.vocabulary.steps import (
    API_VACUUM_FORMS,
    InvalidVacuum,
    Inventory,
    IOFault,
    Mode,
    Read,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import Feature
from tests.slow import slow_after

# Open the session first, because other tests kill the JVM.
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

CLOCK = 1_600_000_000_000  # in the past, so that everything is old by the wall clock, which RETAIN 0 uses
DAY = 24 * 60 * 60 * 1000
OLD, YOUNG = CLOCK - 30 * DAY, CLOCK - DAY

#: What a VACUUM of ``table`` deletes, by mode. ``sub`` and ``in`` are not empty yet.
FULL = {"removed.parquet", "orphan.parquet", "sub/orphan é%20 b.parquet", "in/side/orphan.parquet", "empty"}
LITE = {"removed.parquet"}
FILES = FULL - {"empty"}
DELETED = {mode: LITE if mode.lite else FULL for mode in Mode}

#: Directories without files to keep. With an inventory Delta lists them, and whether it deletes them depends on the order
#: of deletions.
EMPTIED = {"sub", "in", "in/side"}

SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": "id", "type": "integer", "nullable": True, "metadata": {}},
        {"name": "p", "type": "string", "nullable": True, "metadata": {}},
    ],
}


def put(path: Path, modified: int, content: bytes = b"0123456789") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, ns=(modified * 1_000_000, modified * 1_000_000))


def commit(root: Path, version: int, at: int, actions: list[dict[str, Any]]) -> None:
    lines = [{"commitInfo": {"timestamp": at, "operation": "WRITE", "operationParameters": {}}}, *actions]
    put(root / "_delta_log" / f"{version:020d}.json", at, "".join(json.dumps(line) + "\n" for line in lines).encode())


def add(root: Path, path: str) -> dict[str, Any]:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.table({"id": pyarrow.array([1, 2], pyarrow.int32())}), file)
    put(file, OLD, file.read_bytes())
    action = {"path": path, "partitionValues": {"p": "x"}, "size": file.stat().st_size, "modificationTime": OLD}
    return {"add": {**action, "dataChange": True}}


def remove(root: Path, path: str, at: int) -> dict[str, Any]:
    put(root / path, OLD)
    return {"remove": {"path": path, "deletionTimestamp": at, "dataChange": True}}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with a file of every kind, partitioned by ``p``, with the rows (1, 'x') and (2, 'x')."""
    return table_at(tmp_path / "case" / "table", {"minReaderVersion": 1, "minWriterVersion": 2})


def table_at(root: Path, protocol: dict[str, Any], partition_by: tuple[str, ...] = ("p",)) -> Path:
    """The same with this protocol action."""
    metadata = {
        "id": "8a6b4a5e-0000-4000-8000-000000000000",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(SCHEMA),
        "partitionColumns": list(partition_by),
        "configuration": {"delta.enableExpiredLogCleanup": "false"},
        "createdTime": OLD,
    }
    commit(root, 0, OLD, [{"protocol": protocol}, {"metaData": metadata}, add(root, "p=x/live.parquet")])
    commit(root, 1, OLD + 1, [remove(root, "removed.parquet", OLD), remove(root, "retained.parquet", YOUNG)])
    for orphan in ("orphan.parquet", "sub/orphan é%20 b.parquet", "in/side/orphan.parquet", "_hidden", ".hidden"):
        put(root / orphan, OLD)
    put(root / "young.parquet", YOUNG)
    (root / "empty").mkdir()
    return root


def below(directory: Path) -> dict[str, bytes]:
    """Everything below the directory except the log, with the contents of files."""
    paths = [path for path in directory.rglob("*") if "_delta_log" not in path.parts]
    return {str(path.relative_to(directory)): path.read_bytes() if path.is_file() else b"" for path in paths}


def log(root: Path) -> list[dict[str, Any]]:
    """The commitInfo of each commit after the initial two."""
    commits = sorted((root / "_delta_log").glob("*.json"))[2:]
    return [json.loads(path.read_text().splitlines()[0])["commitInfo"] for path in commits]


def vacuum(engine: SparkEngine, root: Path, step: Vacuum) -> tuple[Outcome, set[str]]:
    """The outcome, and the deleted paths."""
    before = below(root.parent)
    outcome = engine.run(root, step, clock=CLOCK, version=None)
    after = below(root.parent)
    assert after.items() <= before.items(), "something was created or changed"
    return outcome, {path.removeprefix("table/") for path in before if path not in after}


def ended(root: Path) -> dict[str, str]:
    """The metrics of the completed VACUUM in the log, which has only one."""
    start, end = log(root)
    assert start["operation"] == "VACUUM START"
    assert end["operation"] == "VACUUM END" and end["operationParameters"] == {"status": "COMPLETED"}
    return {**start["operationMetrics"], **end["operationMetrics"]}


@pytest.mark.parametrize("form", slow_after(2, VacuumForm))
def test_each_form_vacuums_by_the_injected_clock(spark_engine: SparkEngine, table: Path, form: VacuumForm) -> None:
    outcome, deleted = vacuum(spark_engine, table, Vacuum(form=form))
    assert outcome.error is None, outcome.error
    assert deleted == FULL
    assert outcome.rows == (() if form in API_VACUUM_FORMS else ((f"file:{table}",),))
    assert ended(table)["numDeletedFiles"] == str(len(FULL))


@pytest.mark.slow
@pytest.mark.parametrize("form", VacuumForm)
def test_each_form_takes_a_retention(spark_engine: SparkEngine, table: Path, form: VacuumForm) -> None:
    refused, deleted = vacuum(spark_engine, table, Vacuum(retain_hours=0, form=form))
    assert refused.error is not None and not deleted
    assert refused.error.condition == "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"
    outcome, deleted = vacuum(spark_engine, table, Vacuum(retain_hours=0, safety_check=False, form=form))
    assert outcome.error is None and deleted == {*FULL, "young.parquet", "retained.parquet"}


#: Each mode in one form, and each other SQL form in a mode with a keyword.
MODES = [
    *((mode, VacuumForm.SQL_PATH) for mode in Mode),
    (Mode.LITE, VacuumForm.SQL_QUOTED_PATH),
    (Mode.INVENTORY_TABLE, VacuumForm.SQL_NAME),
    (Mode.LITE, VacuumForm.SQL_MANAGED),
]


@pytest.mark.parametrize(("mode", "form"), slow_after(2, MODES))
def test_each_mode_lists_and_deletes_its_candidates(
    spark_engine: SparkEngine, table: Path, mode: Mode, form: VacuumForm
) -> None:
    listed, deleted = vacuum(spark_engine, table, Vacuum(mode=mode, form=form, dry_run=True))
    assert listed.error is None, listed.error
    assert not deleted and not log(table)
    candidates = DELETED[mode] | (EMPTIED if mode.inventory else set())
    assert {str(row[0]) for row in listed.rows} == {f"file:{table}/{path}" for path in candidates}
    outcome, deleted = vacuum(spark_engine, table, Vacuum(mode=mode, form=form))
    assert outcome.error is None, outcome.error
    assert DELETED[mode] <= deleted <= candidates
    assert outcome.rows == ((f"file:{table}",),)


@pytest.mark.parametrize("mode", slow_after(1, [Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY]))
def test_an_inventory_of_files_only(spark: Any, spark_engine: SparkEngine, table: Path, mode: Mode) -> None:
    outcome, deleted = vacuum(spark_engine, table, Vacuum(mode=mode, inventory=Inventory.FILES))
    assert outcome.error is None, outcome.error
    assert deleted == FILES
    assert ended(table)["numVacuumedDirectories"] == "1"
    assert not spark.catalog.tableExists("tombstone_inventory"), "the inventory outlasts the step"
    assert [path.name for path in table.parent.iterdir()] == ["table"], "the inventory outlasts the step"


@pytest.mark.parametrize("form", API_VACUUM_FORMS)
def test_the_lite_setting_applies_to_forms_without_sql(
    spark_engine: SparkEngine, table: Path, form: VacuumForm
) -> None:
    outcome, deleted = vacuum(spark_engine, table, Vacuum(mode=Mode.LITE_SETTING, form=form))
    assert outcome.error is None and deleted == LITE


@pytest.mark.slow
@pytest.mark.parametrize("mode", Mode)
def test_in_parallel(spark_engine: SparkEngine, table: Path, mode: Mode) -> None:
    outcome, deleted = vacuum(spark_engine, table, Vacuum(mode=mode, parallel=True))
    assert outcome.error is None
    assert DELETED[mode] <= deleted <= DELETED[mode] | (EMPTIED if mode.inventory else set())


@pytest.mark.parametrize(("logging", "logged"), [(True, True), (None, True), (False, False)])
def test_logging_on_unset_and_off(spark_engine: SparkEngine, table: Path, logging: bool | None, logged: bool) -> None:
    outcome, deleted = vacuum(spark_engine, table, Vacuum(logging=logging))
    assert outcome.error is None and deleted == FULL
    assert bool(log(table)) is logged


def test_settings_of_a_step_are_restored_also_after_an_error(
    spark: Any, spark_engine: SparkEngine, table: Path
) -> None:
    """Both settings that were set before and those that were not."""
    spark.conf.set("fs.file.impl.disable.cache", "maybe")
    try:
        before = spark.conf.getAll
        crash = with_fault(IOFault.DELETE_CRASHES, "orphan.parquet", parallel=True)
        for step in (
            Vacuum(safety_check=False, logging=False, mode=Mode.LITE_SETTING, parallel=True),
            replace(crash, logging=None),
            Vacuum(retain_hours=0, logging=None, form=VacuumForm.API_NAME),
        ):
            spark_engine.run(table, step, clock=CLOCK, version=None)
            assert spark.conf.getAll == before, step
    finally:
        spark.conf.unset("fs.file.impl.disable.cache")


def test_a_setting_of_none_is_unset(spark: Any) -> None:
    key = "spark.databricks.delta.vacuum.logging.enabled"
    with settings(spark, {key: "false"}):
        with settings(spark, {key: None}):
            assert spark.conf.get(key, None) is None
        assert spark.conf.get(key, None) == "false"
    assert spark.conf.get(key, None) is None


# I/O faults ----------------------------------------------------------------------------------------------------------


def with_fault(io_fault: IOFault, path: str, *, dry_run: bool = False, parallel: bool = False) -> Vacuum:
    return Vacuum(io_fault=io_fault, faulty_path=path, dry_run=dry_run, parallel=parallel)


@pytest.mark.parametrize(
    ("path", "parallel"),
    slow_after(
        2,
        [
            (path, parallel)
            for parallel in (False, True)
            for path in ("sub/orphan é%20 b.parquet", "empty", "orphan.parquet")
        ],
    ),
)
def test_a_file_that_cannot_be_deleted_is_kept_and_all_others_are_deleted(
    spark_engine: SparkEngine, table: Path, path: str, parallel: bool
) -> None:
    outcome, deleted = vacuum(spark_engine, table, with_fault(IOFault.CANNOT_DELETE, path, parallel=parallel))
    assert outcome.error is None, outcome.error
    assert deleted == FULL - {path}
    metrics = ended(table)
    assert (metrics["numFilesToDelete"], metrics["numDeletedFiles"]) == (str(len(FULL)), str(len(FULL) - 1))
    outcome, deleted = vacuum(spark_engine, table, Vacuum())
    assert outcome.error is None and path in deleted, "the fault outlasts the step"


@pytest.mark.parametrize("parallel", [False, True], ids=["serial", "parallel"])
def test_a_deletion_that_crashes(spark_engine: SparkEngine, table: Path, parallel: bool) -> None:
    step = with_fault(IOFault.DELETE_CRASHES, "orphan.parquet", parallel=parallel)
    outcome, deleted = vacuum(spark_engine, table, step)
    assert outcome.error is not None
    assert outcome.error.exception == ("SparkException" if parallel else "IllegalStateException")
    assert "The file system is broken: file:" in outcome.error.message
    assert deleted < FULL and "orphan.parquet" not in deleted
    start, end = log(table)
    assert (start["operation"], end["operationParameters"]) == ("VACUUM START", {"status": "FAILED"})
    assert len(spark_engine.run(table, Read(), clock=CLOCK, version=None).rows) == 2
    outcome, deleted = vacuum(spark_engine, table, Vacuum())
    assert outcome.error is None and "orphan.parquet" in deleted, "the fault outlasts the step"


@pytest.mark.parametrize("parallel", slow_after(1, [False, True]), ids=["serial", "parallel"])
def test_a_file_that_another_process_deletes_first(spark_engine: SparkEngine, table: Path, parallel: bool) -> None:
    step = with_fault(IOFault.FILE_VANISHES, "orphan.parquet", parallel=parallel)
    outcome, deleted = vacuum(spark_engine, table, step)
    assert outcome.error is None and deleted == FULL
    assert ended(table)["numDeletedFiles"] == str(len(FULL) - 1)


def test_a_directory_that_vanishes_before_it_is_listed(spark_engine: SparkEngine, table: Path) -> None:
    outcome, deleted = vacuum(spark_engine, table, with_fault(IOFault.DIRECTORY_VANISHES, "in/side"))
    assert outcome.error is None, outcome.error
    assert deleted == FULL - {"in/side/orphan.parquet"}


@pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry run"])
def test_a_directory_that_cannot_be_listed(spark_engine: SparkEngine, table: Path, dry_run: bool) -> None:
    outcome, deleted = vacuum(spark_engine, table, with_fault(IOFault.CANNOT_LIST, "in/side", dry_run=dry_run))
    assert outcome.error is not None and "Input/output error: file:" in outcome.error.message
    assert not deleted and not log(table)


def test_a_dry_run_has_no_faults_of_deletions(spark_engine: SparkEngine, table: Path) -> None:
    for io_fault in (IOFault.CANNOT_DELETE, IOFault.DELETE_CRASHES, IOFault.FILE_VANISHES):
        outcome, deleted = vacuum(spark_engine, table, with_fault(io_fault, "orphan.parquet", dry_run=True))
        assert outcome.error is None and not deleted
        assert len(outcome.rows) == len(FULL)


def test_the_faulty_file_system_is_defined_once_also_by_two_workers(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with file_system.faulty_path(spark, Path("/nowhere"), IOFault.CANNOT_DELETE):
        pass
    is_defined: Callable[..., bool] = file_system._is_defined
    answers = iter([False, *(True for _ in file_system._CLASSES)])  # as if another worker had defined them in between
    monkeypatch.setattr(file_system, "_is_defined", lambda *classes: is_defined(*classes) and next(answers))
    with file_system.faulty_path(spark, Path("/nowhere"), IOFault.CANNOT_DELETE):
        pass
    assert next(answers, None) is None, "each was checked"


# Invalid commands ----------------------------------------------------------------------------------------------------


#: In turn a dry run and a real one.
@pytest.mark.slow
@pytest.mark.parametrize(("mistake", "dry_run"), list(zip(VacuumMistake, cycle([True, False]))))
def test_each_invalid_command_is_refused_as_documented_and_changes_nothing(
    spark: Any, spark_engine: SparkEngine, table: Path, mistake: VacuumMistake, dry_run: bool
) -> None:
    before, settings_before = below(table.parent), spark.conf.getAll
    outcome = spark_engine.run(table, InvalidVacuum(mistake, dry_run), clock=CLOCK, version=None)
    refusal, error = expected_vacuum_refusal(mistake), outcome.error
    assert error is not None, f"no refusal, but the rows {outcome.rows}"
    answer = (error.exception, error.condition, error.sqlstate)
    assert error.exception in refusal.exceptions, answer
    assert refusal.is_matched_by(error.condition, error.sqlstate), answer
    assert below(table.parent) == before and not log(table)
    assert spark.conf.getAll == settings_before


@pytest.mark.slow
def test_without_partitions_an_unknown_partition_directory_is_refused_too(
    spark_engine: SparkEngine, tmp_path: Path
) -> None:
    root = table_at(tmp_path / "case" / "table", {"minReaderVersion": 1, "minWriterVersion": 2}, partition_by=())
    error = spark_engine.run(root, InvalidVacuum(VacuumMistake.PARTITION_DIRECTORY), clock=CLOCK, version=None).error
    refusal = expected_vacuum_refusal(VacuumMistake.PARTITION_DIRECTORY)
    assert error is not None and refusal.is_matched_by(error.condition, error.sqlstate), error
    assert not log(root)


@pytest.mark.parametrize(
    ("feature", "readers"), [(Feature.UNKNOWN_WRITER, []), (Feature.UNKNOWN_READER, ["tombstoneUnknown"])]
)
@pytest.mark.parametrize("form", slow_after(1, VacuumForm))
def test_a_table_with_an_unknown_feature_is_refused_in_each_form(
    spark_engine: SparkEngine, tmp_path: Path, form: VacuumForm, feature: Feature, readers: list[str]
) -> None:
    protocol: dict[str, Any] = {"minReaderVersion": 3, "minWriterVersion": 7, "writerFeatures": ["tombstoneUnknown"]}
    root = table_at(tmp_path / "case" / "table", {**protocol, "readerFeatures": readers})
    outcome, deleted = vacuum(spark_engine, root, Vacuum(form=form))
    refusal, error = UNKNOWN_PROTOCOL[feature], outcome.error
    assert error is not None and refusal.is_matched_by(error.condition, error.sqlstate), outcome
    assert error.exception in refusal.exceptions
    assert not deleted and not log(root)
