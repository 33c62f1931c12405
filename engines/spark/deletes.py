"""DELETE in all its forms, and the DELETEs that must be refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from engines.spark.catalog import named
from engines.spark.columns import condition
from model.layout import escape
from model.refusals import UNKNOWN_PARTITION, bad_delete_sql, view_sql
from model.sql import delete_sql, sql
from model.steps import BadDelete, Blunder, Delete, Form
from model.values import Row

#: The forms that name the table by its path.
_BY_PATH = (Form.SQL_PATH, Form.API_PATH, Form.API_PATH_COLUMN)

#: The forms of the DeltaTable class.
_API = (Form.API_PATH, Form.API_PATH_COLUMN, Form.API_NAME)


def table_text(path: Path) -> str:
    """How SQL names the table at a path."""
    return f"delta.`{str(path).replace('`', '``')}`"


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
    beside = root.with_name(f"{root.name}-beside")  # names no table: the suite's tables have no such names
    if blunder is Blunder.PARTITION_DIRECTORY:
        yield table_text(root / _partition(spark, root))
    elif blunder is Blunder.NOT_A_TABLE:
        beside.mkdir()
        try:
            yield table_text(beside)
        finally:
            left = sorted(path.name for path in beside.iterdir())
            assert not left, f"the refused DELETE made {', '.join(left)} in {beside}"
            beside.rmdir()
    elif blunder is Blunder.MISSING_PATH:
        try:
            yield table_text(beside)
        finally:
            assert not beside.exists(), f"the refused DELETE made {beside}"
    elif blunder is Blunder.VIEW:
        view = "tombstone_view"
        spark.sql(view_sql(view, table_text(root)))
        try:
            yield view
        finally:
            spark.catalog.dropTempView(view)
    else:
        yield table_text(root)


def _partition(spark: SparkSession, root: Path) -> str:
    """The partition of a live file, by its first column, as Delta reads a path below a table's root.

    That is by the column's logical name, whatever the directory is called. Delta takes no path for a partition of NULLs.
    Where no live file has another one, the answer is a partition that cannot be.
    """
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(str(root))
    snapshot = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, path).unsafeVolatileSnapshot()
    metadata = snapshot.metadata()
    if metadata.partitionColumns().isEmpty():
        return UNKNOWN_PARTITION
    physical = metadata.physicalPartitionColumns().head()
    values = [file.partitionValues().apply(physical) for file in snapshot.allFiles().collect()]
    known = sorted(value for value in values if value)
    return f"{escape(metadata.partitionColumns().head())}={escape(known[0])}" if known else UNKNOWN_PARTITION
