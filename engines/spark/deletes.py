"""DELETE in all its forms, and the DELETEs that must be refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from engines.spark.catalog import named
from engines.spark.columns import condition
from engines.spark.targets import missing_path, no_table, partition_path, table_text, temporary_view
from model.refusals import bad_delete_sql, view_sql
from model.sql import delete_sql, sql
from model.steps import BadDelete, Blunder, Delete, Form
from model.values import Row

#: The forms that name the table by its path.
_BY_PATH = (Form.SQL_PATH, Form.API_PATH, Form.API_PATH_COLUMN)

#: The forms of the DeltaTable class.
_API = (Form.API_PATH, Form.API_PATH_COLUMN, Form.API_NAME)


def run_delete(spark: SparkSession, root: Path, step: Delete) -> tuple[Row, ...]:
    """Run a DELETE as its form says. SQL answers a row, num_affected_rows; TRUNCATE TABLE and the DeltaTable class none."""
    if step.form in _BY_PATH:
        return _run(spark, step, table_text(root), lambda: DeltaTable.forPath(spark, str(root)))
    with named(spark, root, managed=step.form is Form.SQL_MANAGED) as name:
        return _run(spark, step, name, lambda: DeltaTable.forName(spark, name))


def _run(spark: SparkSession, step: Delete, text: str, table: Callable[[], DeltaTable]) -> tuple[Row, ...]:
    if step.form not in _API:
        return _rows(spark.sql(delete_sql(step, text)))
    if step.where is None:
        table().delete()
    elif step.form is Form.API_PATH_COLUMN:
        table().delete(condition(step.where, step.zone))
    else:
        table().delete(sql(step.where, step.zone))
    return ()


def run_bad_delete(spark: SparkSession, root: Path, step: BadDelete) -> tuple[Row, ...]:
    """Try a DELETE that must be refused. What it needs besides the table lies beside it, and is removed again."""
    with _target(spark, root, step.blunder) as target:
        return _rows(spark.sql(bad_delete_sql(step.blunder, target)))


def _rows(frame: DataFrame) -> tuple[Row, ...]:
    return tuple(tuple(row) for row in frame.collect())


@contextmanager
def _target(spark: SparkSession, root: Path, blunder: Blunder) -> Iterator[str]:
    """What a BadDelete is said of."""
    if blunder is Blunder.PARTITION_DIRECTORY:
        yield table_text(partition_path(spark, root))
    elif blunder is Blunder.NOT_A_TABLE:
        with no_table(root) as path:
            yield table_text(path)
    elif blunder is Blunder.MISSING_PATH:
        with missing_path(root) as path:
            yield table_text(path)
    elif blunder is Blunder.VIEW:
        with temporary_view(spark, lambda view: view_sql(view, table_text(root))) as view:
            yield view
    else:
        yield table_text(root)
