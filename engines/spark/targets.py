"""Targets of commands: tables by path, and the targets that a command must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from engines.named_paths import named_path
from engines.spark.statements import VIEW, table_text, view_of
from model.text.invalid_sql import UNKNOWN_PARTITION
from model.text.layout import escape
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import DeleteMistake, VacuumMistake


@contextmanager
def spelled_path(spark: SparkSession, root: Path, spelling: Spelling) -> Iterator[str]:
    """The path of the table in this spelling."""
    jvm: Any = spark._jvm
    directory = str(jvm.java.lang.System.getProperty("user.dir"))  # to which Hadoop's local file system is relative
    with named_path(root, spelling, working_directory=directory) as path:
        yield path


def _partition_path(spark: SparkSession, root: Path) -> Path:
    """The path of a live file's partition, by its first column, as Delta parses a path below a table's root.

    It has the column's logical name, whatever the directory is called. Delta does not accept the path of a NULL
    partition; if there is no other, the result is a partition that does not exist.
    """
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(str(root))
    snapshot = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, path).unsafeVolatileSnapshot()
    metadata = snapshot.metadata()
    if metadata.partitionColumns().isEmpty():
        return root / UNKNOWN_PARTITION
    physical = metadata.physicalPartitionColumns().head()
    values = [file.partitionValues().apply(physical) for file in snapshot.allFiles().collect()]
    present = sorted(value for value in values if value)
    name = f"{escape(metadata.partitionColumns().head())}={escape(present[0])}" if present else UNKNOWN_PARTITION
    return root / name


@contextmanager
def target(spark: SparkSession, root: Path, mistake: DeleteMistake | VacuumMistake) -> Iterator[str]:
    """The target of an invalid command, in SQL.

    Anything besides the table is created beside it and removed afterwards.
    """
    if mistake in (DeleteMistake.PARTITION_DIRECTORY, VacuumMistake.PARTITION_DIRECTORY):
        yield table_text(_partition_path(spark, root))
    elif mistake in (DeleteMistake.NOT_A_TABLE, VacuumMistake.NOT_A_TABLE):
        with _empty_directory(root) as path:
            yield table_text(path)
    elif mistake in (DeleteMistake.MISSING_PATH, VacuumMistake.MISSING_PATH):
        with _missing_path(root) as path:
            yield table_text(path)
    elif (statement := view_of(mistake, table_text(root))) is not None:
        with temporary_view(spark, statement) as view:
            yield view
    else:
        yield table_text(root)


@contextmanager
def _empty_directory(root: Path) -> Iterator[Path]:
    """An empty directory beside the table. Asserts that the command leaves it empty, and removes it."""
    path = _target_path(root)
    path.mkdir()
    try:
        yield path
    finally:
        left = sorted(path.name for path in path.iterdir())
        assert not left, f"the refused command created {', '.join(left)} in {path}"
        path.rmdir()


@contextmanager
def _missing_path(root: Path) -> Iterator[Path]:
    """A path beside the table that does not exist. Asserts that the command does not create it."""
    path = _target_path(root)
    try:
        yield path
    finally:
        assert not path.exists(), f"the refused command created {path}"


def _target_path(root: Path) -> Path:
    return root.with_name(f"{root.name}-target")  # names no table: the suite's tables have no such names


@contextmanager
def temporary_view(spark: SparkSession, statement: str) -> Iterator[str]:
    """The name of the view that a statement makes, for one step."""
    spark.sql(statement)
    try:
        yield VIEW
    finally:
        spark.catalog.dropTempView(VIEW)
