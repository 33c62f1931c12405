"""What commands are said of: tables by their path, and the targets that a command must refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from model.layout import escape
from model.refusals import UNKNOWN_PARTITION
from model.steps import DeleteMistake, VacuumMistake

_VIEW = "tombstone_view"


def table_text(path: Path) -> str:
    """How SQL names the table at a path."""
    return f"delta.`{str(path).replace('`', '``')}`"


def _partition_path(spark: SparkSession, root: Path) -> Path:
    """The partition of a live file, by its first column, as Delta reads a path below a table's root.

    That is by the column's logical name, whatever the directory is called. Delta takes no path for a partition of NULLs.
    Where no live file has another one, the answer is a partition that cannot be.
    """
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(str(root))
    snapshot = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, path).unsafeVolatileSnapshot()
    metadata = snapshot.metadata()
    if metadata.partitionColumns().isEmpty():
        return root / UNKNOWN_PARTITION
    physical = metadata.physicalPartitionColumns().head()
    values = [file.partitionValues().apply(physical) for file in snapshot.allFiles().collect()]
    known = sorted(value for value in values if value)
    name = f"{escape(metadata.partitionColumns().head())}={escape(known[0])}" if known else UNKNOWN_PARTITION
    return root / name


@contextmanager
def target(
    spark: SparkSession, root: Path, mistake: DeleteMistake | VacuumMistake, *, view: Callable[[str], str]
) -> Iterator[str]:
    """How SQL names what a command is said of that must be refused. ``view`` is the statement that makes a view, by its name.

    What there is of it besides the table lies beside it, and is gone afterwards.
    """
    if mistake in (DeleteMistake.PARTITION_DIRECTORY, VacuumMistake.PARTITION_DIRECTORY):
        yield table_text(_partition_path(spark, root))
    elif mistake in (DeleteMistake.NOT_A_TABLE, VacuumMistake.NOT_A_TABLE):
        with _no_table(root) as path:
            yield table_text(path)
    elif mistake in (DeleteMistake.MISSING_PATH, VacuumMistake.MISSING_PATH):
        with _missing_path(root) as path:
            yield table_text(path)
    elif mistake in (DeleteMistake.VIEW, VacuumMistake.TEMPORARY_VIEW):
        with _temporary_view(spark, view) as name:
            yield name
    else:
        yield table_text(root)


@contextmanager
def _no_table(root: Path) -> Iterator[Path]:
    """A directory beside the table that is none. It must be left empty, and is removed again."""
    beside = _beside(root)
    beside.mkdir()
    try:
        yield beside
    finally:
        left = sorted(path.name for path in beside.iterdir())
        assert not left, f"the refused command made {', '.join(left)} in {beside}"
        beside.rmdir()


@contextmanager
def _missing_path(root: Path) -> Iterator[Path]:
    """A path beside the table at which nothing is, nor may be made."""
    beside = _beside(root)
    try:
        yield beside
    finally:
        assert not beside.exists(), f"the refused command made {beside}"


def _beside(root: Path) -> Path:
    return root.with_name(f"{root.name}-beside")  # names no table: the suite's tables have no such names


@contextmanager
def _temporary_view(spark: SparkSession, statement: Callable[[str], str]) -> Iterator[str]:
    """A view that lasts for one step, made by the statement for its name. Each session has its own."""
    spark.sql(statement(_VIEW))
    try:
        yield _VIEW
    finally:
        spark.catalog.dropTempView(_VIEW)
