"""VACUUM through the Spark adapter: each form and mode of it, each trouble, and each that must be refused."""

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
from engines.spark import io_faults
from engines.spark.adapter import SparkEngine
from engines.spark.settings import settings
from model.refusals import UNKNOWN_PROTOCOL, expected_vacuum_refusal
from model.steps import (
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
from model.table import Feature

# The session comes first: other tests kill the JVM.
pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.usefixtures("spark")]

CLOCK = 1_600_000_000_000  # long past, so that by the wall clock, which RETAIN 0 uses, everything is old
DAY = 24 * 60 * 60 * 1000
OLD, YOUNG = CLOCK - 30 * DAY, CLOCK - DAY

#: What a VACUUM of ``table`` deletes, by what it looks through. ``sub`` and ``in`` are not empty yet.
FULL = {"removed.parquet", "orphan.parquet", "sub/orphan é%20 b.parquet", "in/side/orphan.parquet", "empty"}
LITE = {"removed.parquet"}
FILES = FULL - {"empty"}
DELETED = {mode: LITE if mode.lite else FULL for mode in Mode}

#: Directories that hold nothing to be kept. With an inventory Delta lists them, and whether they go depends on the order in
#: which it deletes.
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
    """A table with something of every kind; partitioned by ``p``, with the rows (1, 'x') and (2, 'x')."""
    return table_at(tmp_path / "case" / "table", {"minReaderVersion": 1, "minWriterVersion": 2})


def table_at(root: Path, protocol: dict[str, Any], partition_by: tuple[str, ...] = ("p",)) -> Path:
    """That table, with this protocol action."""
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
    """All that lies below, the log aside: files with what is in them."""
    paths = [path for path in directory.rglob("*") if "_delta_log" not in path.parts]
    return {str(path.relative_to(directory)): path.read_bytes() if path.is_file() else b"" for path in paths}


def log(root: Path) -> list[dict[str, Any]]:
    """The commitInfo of each commit that is not of the table's making."""
    commits = sorted((root / "_delta_log").glob("*.json"))[2:]
    return [json.loads(path.read_text().splitlines()[0])["commitInfo"] for path in commits]


def vacuum(engine: SparkEngine, root: Path, step: Vacuum) -> tuple[Outcome, set[str]]:
    """What the engine answered, and what is gone."""
    before = below(root.parent)
    outcome = engine.run(root, step, clock=CLOCK, version=None)
    after = below(root.parent)
    assert after.items() <= before.items(), "something is there that was not, or was other"
    return outcome, {path.removeprefix("table/") for path in before if path not in after}


def ended(root: Path) -> dict[str, str]:
    """The metrics of the one VACUUM in the log, which has completed."""
    start, end = log(root)
    assert start["operation"] == "VACUUM START"
    assert end["operation"] == "VACUUM END" and end["operationParameters"] == {"status": "COMPLETED"}
    return {**start["operationMetrics"], **end["operationMetrics"]}


@pytest.mark.parametrize("form", VacuumForm)
def test_each_form_vacuums_by_the_injected_clock(spark_engine: SparkEngine, table: Path, form: VacuumForm) -> None:
    outcome, gone = vacuum(spark_engine, table, Vacuum(form=form))
    assert outcome.error is None, outcome.error
    assert gone == FULL
    assert outcome.rows == (() if form in API_VACUUM_FORMS else ((f"file:{table}",),))
    assert ended(table)["numDeletedFiles"] == str(len(FULL))


@pytest.mark.parametrize("form", VacuumForm)
def test_each_form_says_how_long_to_retain(spark_engine: SparkEngine, table: Path, form: VacuumForm) -> None:
    refused, gone = vacuum(spark_engine, table, Vacuum(retain_hours=0, form=form))
    assert refused.error is not None and not gone
    assert refused.error.condition == "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"
    outcome, gone = vacuum(spark_engine, table, Vacuum(retain_hours=0, safety_check=False, form=form))
    assert outcome.error is None and gone == {*FULL, "young.parquet", "retained.parquet"}


#: Each mode in one form; and each other form of SQL in a mode that says more than the table's name.
MODES = [
    *((mode, VacuumForm.SQL_PATH) for mode in Mode),
    (Mode.LITE, VacuumForm.SQL_QUOTED_PATH),
    (Mode.INVENTORY_TABLE, VacuumForm.SQL_NAME),
    (Mode.LITE, VacuumForm.SQL_MANAGED),
]


@pytest.mark.parametrize(("mode", "form"), MODES)
def test_each_mode_lists_and_deletes_what_it_looks_through(
    spark_engine: SparkEngine, table: Path, mode: Mode, form: VacuumForm
) -> None:
    listed, gone = vacuum(spark_engine, table, Vacuum(mode=mode, form=form, dry_run=True))
    assert listed.error is None, listed.error
    assert not gone and not log(table)
    candidates = DELETED[mode] | (EMPTIED if mode.inventory else set())
    assert {str(row[0]) for row in listed.rows} == {f"file:{table}/{path}" for path in candidates}
    outcome, gone = vacuum(spark_engine, table, Vacuum(mode=mode, form=form))
    assert outcome.error is None, outcome.error
    assert DELETED[mode] <= gone <= candidates
    assert outcome.rows == ((f"file:{table}",),)


@pytest.mark.parametrize("mode", [Mode.INVENTORY_TABLE, Mode.INVENTORY_QUERY])
def test_an_inventory_of_files_only(spark: Any, spark_engine: SparkEngine, table: Path, mode: Mode) -> None:
    outcome, gone = vacuum(spark_engine, table, Vacuum(mode=mode, inventory=Inventory.FILES))
    assert outcome.error is None, outcome.error
    assert gone == FILES
    assert ended(table)["numVacuumedDirectories"] == "1"
    assert not spark.catalog.tableExists("tombstone_inventory"), "the inventory outlasts the step"
    assert [path.name for path in table.parent.iterdir()] == ["table"], "the inventory outlasts the step"


@pytest.mark.parametrize("form", API_VACUUM_FORMS)
def test_a_setting_makes_the_forms_that_are_no_sql_look_at_the_log_only(
    spark_engine: SparkEngine, table: Path, form: VacuumForm
) -> None:
    outcome, gone = vacuum(spark_engine, table, Vacuum(mode=Mode.LITE_SETTING, form=form))
    assert outcome.error is None and gone == LITE


@pytest.mark.parametrize("mode", Mode)
def test_in_parallel(spark_engine: SparkEngine, table: Path, mode: Mode) -> None:
    outcome, gone = vacuum(spark_engine, table, Vacuum(mode=mode, parallel=True))
    assert outcome.error is None
    assert DELETED[mode] <= gone <= DELETED[mode] | (EMPTIED if mode.inventory else set())


@pytest.mark.parametrize(("logging", "told"), [(True, True), (None, True), (False, False)])
def test_logging_on_unset_and_off(spark_engine: SparkEngine, table: Path, logging: bool | None, told: bool) -> None:
    outcome, gone = vacuum(spark_engine, table, Vacuum(logging=logging))
    assert outcome.error is None and gone == FULL
    assert bool(log(table)) is told


def test_what_a_step_sets_is_put_back_also_where_it_fails(spark: Any, spark_engine: SparkEngine, table: Path) -> None:
    """Both what was set before, and what was not."""
    spark.conf.set("fs.file.impl.disable.cache", "maybe")
    try:
        before = spark.conf.getAll
        crash = in_trouble(IOFault.DELETE_CRASHES, "orphan.parquet", parallel=True)
        for step in (
            Vacuum(safety_check=False, logging=False, mode=Mode.LITE_SETTING, parallel=True),
            replace(crash, logging=None),
            Vacuum(retain_hours=0, logging=None, form=VacuumForm.API_NAME),
        ):
            spark_engine.run(table, step, clock=CLOCK, version=None)
            assert spark.conf.getAll == before, step
    finally:
        spark.conf.unset("fs.file.impl.disable.cache")


def test_a_setting_of_none_is_not_set(spark: Any) -> None:
    key = "spark.databricks.delta.vacuum.logging.enabled"
    with settings(spark, {key: "false"}):
        with settings(spark, {key: None}):
            assert spark.conf.get(key, None) is None
        assert spark.conf.get(key, None) == "false"
    assert spark.conf.get(key, None) is None


# Troubles ------------------------------------------------------------------------------------------------------------


def in_trouble(io_fault: IOFault, path: str, *, dry_run: bool = False, parallel: bool = False) -> Vacuum:
    return Vacuum(io_fault=io_fault, faulty_path=path, dry_run=dry_run, parallel=parallel)


@pytest.mark.parametrize("parallel", [False, True], ids=["serial", "parallel"])
@pytest.mark.parametrize("path", ["orphan.parquet", "sub/orphan é%20 b.parquet", "empty"])
def test_what_cannot_be_deleted_stays_and_all_else_goes(
    spark_engine: SparkEngine, table: Path, path: str, parallel: bool
) -> None:
    outcome, gone = vacuum(spark_engine, table, in_trouble(IOFault.CANNOT_DELETE, path, parallel=parallel))
    assert outcome.error is None, outcome.error
    assert gone == FULL - {path}
    metrics = ended(table)
    assert (metrics["numFilesToDelete"], metrics["numDeletedFiles"]) == (str(len(FULL)), str(len(FULL) - 1))
    outcome, gone = vacuum(spark_engine, table, Vacuum())
    assert outcome.error is None and path in gone, "the trouble outlasts the step"


@pytest.mark.parametrize("parallel", [False, True], ids=["serial", "parallel"])
def test_a_deletion_that_breaks(spark_engine: SparkEngine, table: Path, parallel: bool) -> None:
    step = in_trouble(IOFault.DELETE_CRASHES, "orphan.parquet", parallel=parallel)
    outcome, gone = vacuum(spark_engine, table, step)
    assert outcome.error is not None
    assert outcome.error.exception == ("SparkException" if parallel else "IllegalStateException")
    assert "The file system is broken: file:" in outcome.error.message
    assert gone < FULL and "orphan.parquet" not in gone
    start, end = log(table)
    assert (start["operation"], end["operationParameters"]) == ("VACUUM START", {"status": "FAILED"})
    assert len(spark_engine.run(table, Read(), clock=CLOCK, version=None).rows) == 2
    outcome, gone = vacuum(spark_engine, table, Vacuum())
    assert outcome.error is None and "orphan.parquet" in gone, "the trouble outlasts the step"


@pytest.mark.parametrize("parallel", [False, True], ids=["serial", "parallel"])
def test_a_file_that_another_deletes_first(spark_engine: SparkEngine, table: Path, parallel: bool) -> None:
    step = in_trouble(IOFault.FILE_VANISHES, "orphan.parquet", parallel=parallel)
    outcome, gone = vacuum(spark_engine, table, step)
    assert outcome.error is None and gone == FULL
    assert ended(table)["numDeletedFiles"] == str(len(FULL) - 1)


def test_a_directory_that_is_gone_when_it_is_listed(spark_engine: SparkEngine, table: Path) -> None:
    outcome, gone = vacuum(spark_engine, table, in_trouble(IOFault.DIRECTORY_VANISHES, "in/side"))
    assert outcome.error is None, outcome.error
    assert gone == FULL - {"in/side/orphan.parquet"}


@pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry run"])
def test_a_directory_that_cannot_be_listed(spark_engine: SparkEngine, table: Path, dry_run: bool) -> None:
    outcome, gone = vacuum(spark_engine, table, in_trouble(IOFault.CANNOT_LIST, "in/side", dry_run=dry_run))
    assert outcome.error is not None and "Input/output error: file:" in outcome.error.message
    assert not gone and not log(table)


def test_a_dry_run_has_no_trouble_with_deletions(spark_engine: SparkEngine, table: Path) -> None:
    for io_fault in (IOFault.CANNOT_DELETE, IOFault.DELETE_CRASHES, IOFault.FILE_VANISHES):
        outcome, gone = vacuum(spark_engine, table, in_trouble(io_fault, "orphan.parquet", dry_run=True))
        assert outcome.error is None and not gone
        assert len(outcome.rows) == len(FULL)


def test_the_failing_file_system_is_defined_once_also_where_two_come_at_once(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with io_faults.faulty_path(spark, Path("/nowhere"), IOFault.CANNOT_DELETE):
        pass
    is_defined: Callable[..., bool] = io_faults._is_defined
    answers = iter([False, True])  # as if another worker had defined it just after we looked
    monkeypatch.setattr(io_faults, "_is_defined", lambda jvm, loader: is_defined(jvm, loader) and next(answers))
    with io_faults.faulty_path(spark, Path("/nowhere"), IOFault.CANNOT_DELETE):
        pass
    assert next(answers, None) is None, "both looks were taken"


# Blunders ------------------------------------------------------------------------------------------------------------


#: Those that test_reports_vacuums_spark.py makes without DRY RUN have it here, and the other way round.
@pytest.mark.parametrize(("mistake", "dry_run"), list(zip(VacuumMistake, cycle([True, False]))))
def test_each_blunder_is_refused_as_documented_and_changes_nothing(
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


def test_without_partitions_the_directory_of_one_that_cannot_be_is_refused_alike(
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
@pytest.mark.parametrize("form", VacuumForm)
def test_a_table_with_an_unknown_feature_is_refused_in_each_form(
    spark_engine: SparkEngine, tmp_path: Path, form: VacuumForm, feature: Feature, readers: list[str]
) -> None:
    protocol: dict[str, Any] = {"minReaderVersion": 3, "minWriterVersion": 7, "writerFeatures": ["tombstoneUnknown"]}
    root = table_at(tmp_path / "case" / "table", {**protocol, "readerFeatures": readers})
    outcome, gone = vacuum(spark_engine, root, Vacuum(form=form))
    refusal, error = UNKNOWN_PROTOCOL[feature], outcome.error
    assert error is not None and refusal.is_matched_by(error.condition, error.sqlstate), outcome
    assert error.exception in refusal.exceptions
    assert not gone and not log(root)
