"""The port on Delta on Spark: each kind of step, in cases that every clause judges. The gate asks each form of each command."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.spark.adapter import SparkEngine
from engines.spark.commands.catalog import free_name, named
from engines.spark.commands.running import place_of
from engines.spark.sessions.settings import settings
from engines.spark.storage import file_system
from model.text.invalid_sql import UNKNOWN_PARTITION
from model.vocabulary.case import Case
from model.vocabulary.commands import (
    COMMANDS,
    Checkpoint,
    CleanUpLog,
    CompactLog,
    Overwrite,
    RenameColumn,
    Restore,
    ShallowClone,
    StreamAppend,
    VacuumClone,
)
from model.vocabulary.predicate import Cast, Compare, Of, Op, Relate
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    Delete,
    DeleteMistake,
    Form,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Mode,
    OtherCommand,
    Read,
    ReadChanges,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import DAY, Commit, Feature, Table
from model.vocabulary.values import Type
from tests.builders.observations import START, full_judge, make
from tests.engines.spark.test_crashes import TABLE

pytestmark = pytest.mark.xdist_group("spark")


def equal(id: int) -> Compare:
    return Compare("id", Op.EQ, id, Type.INTEGER)


def case(features: tuple[Feature, ...], *steps: Any) -> Case:
    table = replace(TABLE, features=tuple(feature.value for feature in features))
    return Case(table, tuple(OtherCommand(step) if type(step) in COMMANDS.values() else step for step in steps))


FAILING = Relate(Cast(Of("p"), Type.INTEGER), Op.EQ, Of("id"))

#: Cases, and clauses that they exercise.
CASES: dict[str, tuple[Case, set[str]]] = {
    "deletes": (
        case(
            (Feature.DELETION_VECTORS, Feature.CHANGE_DATA_FEED, Feature.IN_COMMIT_TIMESTAMPS),
            Delete(equal(0), Form.SQL_MANAGED, "Asia/Tokyo", cached=True),
            Delete(equal(10), Form.API_PATH_COLUMN, spelling=Spelling.LINK),
            *(InvalidDelete(DeleteMistake.PARTITION_DIRECTORY), ReadChanges(1), Read(before_step=1), Read()),
        ),
        {"DEL-ROW-1", "DEL-REF-2A", "DEL-INFO-1A"},
    ),
    "vacuums": (
        case(
            (),
            InvalidVacuum(VacuumMistake.INVENTORY_WITHOUT_COLUMN, dry_run=True),
            Vacuum(dry_run=True, io_fault=IOFault.DELETE_CRASHES, faulty_path="orphan.parquet"),
            Vacuum(io_fault=IOFault.DELETE_CRASHES, faulty_path="orphan.parquet", parallel=True),
            Vacuum(mode=Mode.LITE_SETTING, form=VacuumForm.API_NAME),
            Vacuum(mode=Mode.INVENTORY_TABLE, inventory=Inventory.FILES, logging=None),
            Vacuum(retain_hours=0, safety_check=False, logging=False, form=VacuumForm.SQL_MANAGED),
            Read(),
        ),
        {"VAC-DRY-1", "VAC-LOG-2A", "VAC-INV-1B", "VAC-FORM-1B", "VAC-SAFE-10A"},
    ),
    "commands": (
        case(
            (Feature.DELETION_VECTORS, Feature.COLUMN_MAPPING_NAME),
            Overwrite(((73, "b"),), Compare("p", Op.EQ, "b", Type.STRING)),
            *(RenameColumn("p", "q r"), StreamAppend(((74, None), (75, "a")))),
            *(Checkpoint(), CompactLog(), CompactLog(), CleanUpLog(), ShallowClone(), VacuumClone(), Restore(1)),
        ),
        {"LIFE-1A", "LIFE-1D", "LIFE-2A", "LIFE-3A", "LIFE-3C", "LIFE-4A", "LIFE-4B"},
    ),
}


def kept(spark: Any) -> dict[str, str]:
    """The settings of the session without those that Delta sets itself."""
    by_delta = ("spark.databricks.delta.lastCommitVersionInSession", "spark.sql.parquet.fieldId.")
    return {key: value for key, value in spark.conf.getAll.items() if not key.startswith(by_delta)}


@pytest.mark.parametrize("name", CASES)
def test_each_kind_of_step_does_what_it_must_and_leaves_the_session_as_it_was(
    spark: Any, spark_engine: SparkEngine, tmp_path: Path, name: str
) -> None:
    judged_case, wanted = CASES[name]
    with settings(
        spark, {"fs.file.impl.disable.cache": "maybe", "spark.sql.session.timeZone": "UTC"}
    ):  # some set these
        before = kept(spark)
        judged = full_judge(spark_engine, tmp_path).judge(judged_case)
        assert kept(spark) == before
    assert judged.failure is None, judged.failure
    assert [one.message for one in judged.wrong] == []
    assert wanted <= {id for id, tally in judged.tallies.items() if tally.met}
    assert spark.sql(f"SHOW TABLES IN tombstone_{os.getpid()}").filter("NOT isTemporary").count() == 0
    assert not spark.catalog.tableExists("tombstone_inventory"), "the inventory outlasts the step"


def test_a_managed_name_lasts_for_one_step_and_takes_no_file_with_it(spark: Any, tmp_path: Path) -> None:
    root = make(TABLE, tmp_path)
    first, second = free_name(), free_name()
    with named(spark, root, first, managed=True), named(spark, root, second, managed=False):
        for name, kind in ((first, "MANAGED"), (second, "EXTERNAL")):
            details = {row[0]: row[1] for row in spark.sql(f"DESCRIBE EXTENDED {name}").collect()}
            assert (details["Type"], details["Location"]) == (kind, f"file:{root}")
    assert spark.sql(f"SHOW TABLES IN tombstone_{os.getpid()}").filter("NOT isTemporary").count() == 0
    assert (root / "_delta_log" / f"{0:020d}.json").is_file()


def test_the_path_of_a_partition_is_that_of_its_first_value(spark: Any, tmp_path: Path) -> None:
    """With column mapping too; no value that is NULL, and an unknown one where there is none."""
    mapped = (Feature.COLUMN_MAPPING_NAME.value,)
    tables = [
        (partitioned("a/b%2F=c d`é"), "p=a%2Fb%252F%3Dc d`é"),
        (replace(partitioned("a"), features=mapped), "p=a"),
        (partitioned(None), UNKNOWN_PARTITION),
        (replace(partitioned("a"), commits=TABLE.commits[2:], files=()), UNKNOWN_PARTITION),
        (
            replace(TABLE, columns=TABLE.columns[:1], partition_by=(), files=(), commits=(Commit(-DAY),)),
            UNKNOWN_PARTITION,
        ),
    ]
    for number, (table, directory) in enumerate(tables):
        root = make(table, tmp_path / str(number))
        assert place_of(spark, root, str(root), store=None, version=None).partition() == directory


def partitioned(value: str | None) -> Table:
    return replace(TABLE, files=tuple(replace(file, partition=(value,)) for file in TABLE.files))


def test_a_condition_that_fails_for_a_row_is_an_error_with_its_class(spark_engine: SparkEngine, tmp_path: Path) -> None:
    root = make(TABLE, tmp_path)
    for form in (Form.SQL_PATH, Form.API_PATH, Form.API_PATH_COLUMN):
        error = spark_engine.run(root, Delete(FAILING, form), clock=START, version=None).error
        assert error is not None
        found = (error.exception, error.condition, error.sqlstate)
        assert found == ("NumberFormatException", "CAST_INVALID_INPUT", "22018")


def test_a_setting_of_none_is_unset(spark: Any) -> None:
    key = "spark.databricks.delta.vacuum.logging.enabled"
    with settings(spark, {key: "false"}):
        with settings(spark, {key: None}):
            assert spark.conf.get(key, None) is None
        assert spark.conf.get(key, None) == "false"
    assert spark.conf.get(key, None) is None


def test_the_faulty_file_system_is_defined_once_also_by_two_workers(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with file_system.faulty_path(spark, Path("/nowhere"), IOFault.CANNOT_DELETE):
        pass
    is_defined = file_system._is_defined
    answers = iter([False, *(True for _ in file_system._CLASSES)])  # as if another worker had defined them in between
    monkeypatch.setattr(file_system, "_is_defined", lambda *classes: is_defined(*classes) and next(answers))
    with file_system.faulty_path(spark, Path("/nowhere"), IOFault.CANNOT_DELETE):
        pass
    assert next(answers, None) is None, "each was checked"
