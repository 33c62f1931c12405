"""The statements and settings that the adapter and reproduction scripts have in common. Without PySpark."""

from __future__ import annotations

from collections.abc import Mapping

from model.text.sql import vacuum_settings
from model.vocabulary.steps import IOFault, Vacuum

#: The settings of a session with Delta. One task for a small table, where the defaults start up to 10,000.
SESSION = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
}

#: Spark 4's defaults. The model predicts errors by the first; without the others Spark 3 refuses to read and write dates
#: before 1582.
SPARK_4 = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}

#: The same of the form in which Spark writes TIMESTAMPs by default.
INT96 = {
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
}

#: For speed alone, as tables are tiny.
INTERPRETED = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

#: The temporary views of an inventory, and of the target of a command. Each session has its own.
INVENTORY_VIEW, VIEW = "tombstone_inventory", "tombstone_view"


def view_statement(table: str) -> str:
    """The statement that makes the temporary view ``VIEW``, a plain scan of the table."""
    return f"CREATE OR REPLACE TEMPORARY VIEW {VIEW} AS SELECT * FROM {table}"


def settings_of_vacuum(step: Vacuum) -> Mapping[str, str | None]:
    """The settings of a VACUUM; None: not set. A parallel one has as many tasks as shuffle partitions by default: here 1.

    When one of several tasks fails, the others may still delete files after VACUUM has reported the error, so the result could
    not be predicted.
    """
    wanted = vacuum_settings(step)
    if step.parallel and step.io_fault is not IOFault.DELETE_CRASHES:
        wanted["spark.databricks.delta.vacuum.parallelDelete.parallelism"] = "3"
    return wanted
