"""Targets of commands: tables by path, and the targets that a command must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from engines.named_paths import named_path
from engines.spark.commands.statements import VIEW, view_of
from engines.targets import table_text, target_path
from model.text.invalid_sql import UNKNOWN_PARTITION
from model.text.layout import escape
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import DeleteMistake, VacuumMistake


@contextmanager
def spelled_path(spark: SparkSession, root: Path, spelling: Spelling) -> Iterator[str]:
    """The path of the table in this spelling."""
    directory = _working_directory(spark) if spelling is Spelling.RELATIVE else "/"
    with named_path(root, spelling, working_directory=directory) as path:
        yield path


def _working_directory(spark: SparkSession) -> str:
    """To which Hadoop's local file system is relative."""
    jvm: Any = spark._jvm
    return str(jvm.java.lang.System.getProperty("user.dir"))


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
    elif (statement := view_of(mistake, table_text(root))) is not None:
        with temporary_view(spark, statement) as view:
            yield view
    else:
        with target_path(root, mistake) as path:
            yield table_text(path)


@contextmanager
def temporary_view(spark: SparkSession, statement: str) -> Iterator[str]:
    """The name of the view that a statement makes, for one step."""
    spark.sql(statement)
    try:
        yield VIEW
    finally:
        spark.catalog.dropTempView(VIEW)
