"""DELETE through the Spark adapter: each form, under the injected clock, and each invalid command."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from engines.spark.adapter import SparkEngine
from engines.spark.commands.catalog import named
from model.prediction.refusals import APPEND_ONLY, NamedPartition, Refusal, expected_refusal
from model.vocabulary.predicate import And, Cast, Compare, Literal, Of, Op, Relate
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import API_DELETE_FORMS, Delete, DeleteMistake, Form, InvalidDelete, Read, ReadChanges
from model.vocabulary.values import Type
from tests.slow import slow_after

pytestmark = pytest.mark.xdist_group("spark")

CLOCK = 2_000_000_000_000
ONE = Compare("id", Op.EQ, 1, Type.INTEGER)
SQL_FORMS = tuple(form for form in Form if form not in (*API_DELETE_FORMS, Form.TRUNCATE))

Make = Callable[..., Path]


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tables that Spark created, by their properties. They can be copied, because their logs have relative paths only."""
    return {"": tmp_path_factory.mktemp("templates")}


@pytest.fixture
def make(spark: Any, templates: dict[str, Path], tmp_path: Path) -> Make:
    """Creates a table with the rows (1, 'a', 'x'), (2, 'b', 'x') and (3, 'c', partition)."""

    def make(*, partition: str = "'y'", partitioned: bool = True, properties: str = "") -> Path:
        by = "PARTITIONED BY (p)" if partitioned else ""
        how = f"{by} TBLPROPERTIES ({properties})" if properties else by
        if how + partition not in templates:
            template = templates[""] / f"table-{len(templates)}"
            spark.sql(f"CREATE TABLE delta.`{template}` (id INT, v STRING, p STRING) USING delta {how}")
            values = f"(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', {partition})"
            spark.sql(f"INSERT INTO delta.`{template}` SELECT /*+ COALESCE(1) */ * FROM VALUES {values}")
            templates[how + partition] = template
        root = tmp_path / "table-1"
        shutil.copytree(templates[how + partition], root)
        return root

    return make


def commit(root: Path) -> tuple[int, list[dict[str, Any]]]:
    """The latest version and its actions."""
    last = max((root / "_delta_log").glob("*.json"))
    return int(last.stem), [json.loads(line) for line in last.read_text().splitlines()]


def everything(directory: Path) -> dict[str, tuple[int, int]]:
    """Everything below the directory, with sizes and mtimes of the files."""
    found = {}
    for path in directory.rglob("*"):
        state = path.stat()
        found[str(path)] = (state.st_size, state.st_mtime_ns) if path.is_file() else (0, 0)
    return found


def is_refused_as(outcome: Any, refusal: Refusal) -> bool:
    error = outcome.error
    assert error is not None, f"no refusal, but the rows {outcome.rows}"
    answer = (error.exception, error.condition, error.sqlstate)
    assert error.exception in refusal.exceptions, answer
    assert error.condition in refusal.conditions, answer
    assert error.sqlstate in refusal.sqlstates, answer
    return True


@pytest.mark.parametrize("where", slow_after(1, [ONE, None]), ids=["one row", "all rows"])
@pytest.mark.parametrize("form", slow_after(3, Form))
def test_each_form_deletes_and_has_the_injected_clock(
    spark_engine: SparkEngine, make: Make, form: Form, where: Compare | None
) -> None:
    where = None if form is Form.TRUNCATE else where
    root = make(properties="'delta.enableInCommitTimestamps' = 'true'")
    before, (version, _) = everything(root), commit(root)
    outcome = spark_engine.run(root, Delete(where, form), clock=CLOCK, version=None)
    assert outcome.error is None, outcome.error
    assert outcome.rows == (((1 if where else 3),),) if form in SQL_FORMS else outcome.rows == ()
    after, (now, actions) = everything(root), commit(root)
    assert now == version + 1
    info = actions[0]["commitInfo"]
    assert (info["timestamp"], info["inCommitTimestamp"]) == (CLOCK, CLOCK)
    assert info["operation"] == ("TRUNCATE" if form is Form.TRUNCATE else "DELETE")
    left = spark_engine.run(root, Read(), clock=CLOCK, version=None).rows
    assert sorted(left) == ([(2, "b", "x"), (3, "c", "y")] if where else [])
    kept = {path: state for path, state in after.items() if path in before and state[0]}
    assert kept == {path: state for path, state in before.items() if state[0]}, "dropping the name deleted a file"


@pytest.mark.parametrize("form", slow_after(2, Form))
def test_a_session_reads_a_table_that_it_has_cached_without_the_deleted_rows(
    spark: Any, spark_engine: SparkEngine, make: Make, form: Form
) -> None:
    root = make()
    where = None if form is Form.TRUNCATE else ONE
    outcome = spark_engine.run(root, Delete(where, form, cached=True), clock=CLOCK, version=None)
    assert sorted(outcome.cached_rows or ()) == ([(2, "b", "x"), (3, "c", "y")] if where else [])
    assert not spark.read.format("delta").load(str(root)).storageLevel.useMemory, "the cache is dropped after the step"


@pytest.mark.parametrize("spelling", slow_after(3, Spelling))
def test_each_spelling_of_the_path_is_the_same_table(spark_engine: SparkEngine, make: Make, spelling: Spelling) -> None:
    root = make(properties="'delta.enableInCommitTimestamps' = 'true'")
    step = Delete(ONE, Form.API_PATH, spelling=spelling)
    assert spark_engine.run(root, step, clock=CLOCK, version=None).error is None
    _, actions = commit(root)
    assert actions[0]["commitInfo"]["timestamp"] == CLOCK, "it has the injected clock"
    left = spark_engine.run(root, Read(), clock=CLOCK, version=None).rows
    assert sorted(left) == [(2, "b", "x"), (3, "c", "y")]
    assert [path.name for path in root.parent.iterdir()] == [root.name]


@pytest.mark.parametrize("form", slow_after(1, [form for form in Form if form is not Form.TRUNCATE]))
def test_each_form_has_the_time_zone_of_the_step(
    spark: Any, spark_engine: SparkEngine, tmp_path: Path, form: Form
) -> None:
    root = tmp_path / "table-1"
    spark.sql(f"CREATE TABLE delta.`{root}` USING delta AS SELECT 1 AS id, TIMESTAMP'2021-03-28 02:30:00Z' AS ts")
    instant = datetime(2021, 3, 28, 2, 30, tzinfo=timezone.utc)
    on_the_27th = Relate(Cast(Of("ts"), Type.DATE), Op.EQ, Literal(date(2021, 3, 27), Type.DATE))
    where = And(on_the_27th, Compare("ts", Op.EQ, instant, Type.TIMESTAMP))
    for zone, left in (("UTC", ((1, instant),)), ("Asia/Tokyo", ((1, instant),)), ("America/New_York", ())):
        outcome = spark_engine.run(root, Delete(where, form, zone), clock=CLOCK, version=None)
        assert outcome.error is None
        assert spark_engine.run(root, Read(), clock=CLOCK, version=None).rows == left, zone


def test_a_condition_that_fails_for_a_row_is_an_error_with_its_class(spark_engine: SparkEngine, make: Make) -> None:
    root = make()
    before = everything(root)
    where = Relate(Cast(Of("v"), Type.INTEGER), Op.EQ, Of("id"))
    for form in (Form.SQL_PATH, Form.API_PATH, Form.API_PATH_COLUMN):
        error = spark_engine.run(root, Delete(where, form), clock=CLOCK, version=None).error
        assert error is not None
        assert (error.exception, error.condition, error.sqlstate) == (
            "NumberFormatException",
            "CAST_INVALID_INPUT",
            "22018",
        )
    assert everything(root) == before


@pytest.mark.parametrize("managed", [False, True], ids=["external", "managed"])
def test_a_name_lasts_for_one_step(spark: Any, make: Make, managed: bool) -> None:
    root = make()
    with named(spark, root, managed=managed) as first, named(spark, root, managed=managed) as second:
        assert first != second
        details = {row[0]: row[1] for row in spark.sql(f"DESCRIBE EXTENDED {first}").collect()}
        assert details["Type"] == ("MANAGED" if managed else "EXTERNAL")
        assert details["Location"] == f"file:{root}"
    assert spark.sql(f"SHOW TABLES IN tombstone_{os.getpid()}").filter("NOT isTemporary").count() == 0
    assert (root / "_delta_log" / f"{0:020d}.json").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("mistake", DeleteMistake)
def test_each_invalid_command_is_refused_as_documented_and_changes_nothing(
    spark_engine: SparkEngine, make: Make, mistake: DeleteMistake
) -> None:
    root = make()
    before = everything(root.parent)
    outcome = spark_engine.run(root, InvalidDelete(mistake), clock=CLOCK, version=None)
    assert is_refused_as(outcome, expected_refusal(mistake))
    assert everything(root.parent) == before


@pytest.mark.slow
@pytest.mark.parametrize("mistake", DeleteMistake)
def test_an_append_only_table_refuses_each_invalid_command(
    spark_engine: SparkEngine, make: Make, mistake: DeleteMistake
) -> None:
    root = make(properties="'delta.appendOnly' = 'true'")
    before = everything(root.parent)
    outcome = spark_engine.run(root, InvalidDelete(mistake), clock=CLOCK, version=None)
    assert is_refused_as(outcome, expected_refusal(mistake, append_only=True))
    assert everything(root.parent) == before


@pytest.mark.parametrize("form", slow_after(1, Form))
def test_an_append_only_table_refuses_each_form(spark_engine: SparkEngine, make: Make, form: Form) -> None:
    root = make(properties="'delta.appendOnly' = 'true'")
    before = everything(root)
    none = Compare("id", Op.EQ, 99, Type.INTEGER)
    for where in [None] if form is Form.TRUNCATE else [None, ONE, none]:
        outcome = spark_engine.run(root, Delete(where, form), clock=CLOCK, version=None)
        assert is_refused_as(outcome, APPEND_ONLY)
    assert everything(root) == before


def test_the_path_of_a_partition_with_any_value(spark_engine: SparkEngine, make: Make) -> None:
    root = make(partition="'a/b%2F=c d`é'")
    spark_engine.run(root, Delete(Compare("p", Op.EQ, "x", Type.STRING)), clock=CLOCK, version=None)
    outcome = spark_engine.run(root, InvalidDelete(DeleteMistake.PARTITION_DIRECTORY), clock=CLOCK, version=None)
    assert is_refused_as(outcome, expected_refusal(DeleteMistake.PARTITION_DIRECTORY))


def test_the_path_of_a_partition_with_column_mapping(spark_engine: SparkEngine, make: Make) -> None:
    root = make(properties="'delta.columnMapping.mode' = 'name'")
    outcome = spark_engine.run(root, InvalidDelete(DeleteMistake.PARTITION_DIRECTORY), clock=CLOCK, version=None)
    assert is_refused_as(outcome, expected_refusal(DeleteMistake.PARTITION_DIRECTORY))


@pytest.mark.parametrize("table", ["not partitioned", "only NULLs", "empty"])
def test_without_a_partition_the_path_is_of_an_unknown_one(spark_engine: SparkEngine, make: Make, table: str) -> None:
    root = make(partition="NULL", partitioned=table != "not partitioned")
    where = None if table == "empty" else Compare("p", Op.EQ, "x", Type.STRING)
    assert spark_engine.run(root, Delete(where), clock=CLOCK, version=None).error is None
    outcome = spark_engine.run(root, InvalidDelete(DeleteMistake.PARTITION_DIRECTORY), clock=CLOCK, version=None)
    assert is_refused_as(outcome, expected_refusal(DeleteMistake.PARTITION_DIRECTORY, partition=NamedPartition.NONE))


@pytest.mark.parametrize("vectors", ["false", "true"], ids=["rewritten", "with vectors"])
def test_the_change_feed_is_read_of_one_version(spark_engine: SparkEngine, make: Make, vectors: str) -> None:
    root = make(properties=f"'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '{vectors}'")
    clock = commit(root)[1][0]["commitInfo"]["timestamp"] + 1000  # the feed is refused after its retention
    assert spark_engine.run(root, Delete(ONE), clock=clock, version=None).rows == ((1,),)
    assert spark_engine.run(root, Delete(), clock=clock, version=None).rows == ((2,),)
    feeds = [spark_engine.run(root, ReadChanges(0), clock=clock, version=version) for version in (1, 2, 3)]
    assert [feed.error for feed in feeds] == [None, None, None]
    assert sorted(feeds[0].rows) == [(1, "a", "x", "insert"), (2, "b", "x", "insert"), (3, "c", "y", "insert")]
    assert feeds[1].rows == ((1, "a", "x", "delete"),)
    assert sorted(feeds[2].rows) == [(2, "b", "x", "delete"), (3, "c", "y", "delete")]
