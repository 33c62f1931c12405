"""DELETE in all forms, and invalid DELETEs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from engines.spark.commands.catalog import named
from engines.spark.commands.columns import condition
from engines.spark.commands.result_rows import ReturnedRows, answered, rows_of
from engines.spark.commands.statements import view_statement
from engines.spark.commands.targets import target, temporary_view
from engines.targets import table_text
from model.text.invalid_sql import invalid_delete_sql
from model.text.sql import delete_sql, sql
from model.vocabulary.steps import API_DELETE_FORMS, DELETES_BY_PATH, Delete, Form, InvalidDelete
from model.vocabulary.values import Row


def run_delete(spark: SparkSession, root: Path, path: str, step: Delete) -> ReturnedRows:
    """Run a DELETE in its form, by ``path``, by a name of the table or through a view of it.

    SQL returns a row with num_affected_rows; TRUNCATE TABLE and DeltaTable return none.
    """
    if step.form in DELETES_BY_PATH:
        return _run(
            spark,
            step,
            table_text(path),
            lambda: DeltaTable.forPath(spark, path),
            lambda: spark.read.format("delta").load(path),
        )
    if step.form is Form.VIEW:
        with temporary_view(spark, view_statement(table_text(path))) as name:
            return _by_name(spark, step, name)
    with named(spark, root, managed=step.form is Form.SQL_MANAGED) as name:
        return _by_name(spark, step, name)


def _by_name(spark: SparkSession, step: Delete, name: str) -> ReturnedRows:
    return _run(spark, step, name, lambda: DeltaTable.forName(spark, name), lambda: spark.table(name))


def _run(
    spark: SparkSession, step: Delete, name: str, table: Callable[[], DeltaTable], read: Callable[[], DataFrame]
) -> ReturnedRows:
    if not step.cached:
        return ReturnedRows(_delete(spark, step, name, table))
    cached = read().cache()
    try:
        cached.count()  # fills the cache
        assert read().storageLevel.useMemory, "the session does not read the table through its cache"
        rows = _delete(spark, step, name, table)
        return ReturnedRows(rows, rows_of(read()))  # a new query: one that has run keeps its plan
    finally:
        cached.unpersist(blocking=True)


def _delete(spark: SparkSession, step: Delete, name: str, table: Callable[[], DeltaTable]) -> tuple[Row, ...]:
    if step.form not in API_DELETE_FORMS:
        return answered(spark.sql(delete_sql(step, name)))
    if step.where is None:
        table().delete()
    elif step.form is Form.API_PATH_COLUMN:
        table().delete(condition(step.where, step.zone))
    else:
        table().delete(sql(step.where, step.zone, step.literals))
    return ()


def run_invalid_delete(spark: SparkSession, root: Path, step: InvalidDelete) -> tuple[Row, ...]:
    """Run an invalid DELETE. What it needs besides the table is beside it, and removed afterwards."""
    with target(spark, root, step.mistake) as name:
        return answered(spark.sql(invalid_delete_sql(step.mistake, name)))
