"""Delta's clock for one table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def set_clock(spark: SparkSession, path: Path, clock: int) -> Any:
    """Set the clock (ms since the epoch) of the table at ``path``, which need not exist yet. Returns the clock.

    A DeltaLog keeps the clock that it was created with and is cached by path, so create a new one for this path. Clearing the
    whole cache would reset the clocks of the other workers' tables (docs/delta.md 1.8).
    """
    forget(spark, path)
    jvm: Any = spark._jvm
    manual = jvm.org.apache.spark.util.ManualClock(clock)
    jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, _java(jvm, path), manual)
    return manual


def forget(spark: SparkSession, path: Path) -> None:
    """Release what Delta keeps in memory of the table at ``path``, its clock too."""
    jvm: Any = spark._jvm
    jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache(spark._jsparkSession, _java(jvm, path))


def log_of(spark: SparkSession, path: Path) -> Any:
    """The DeltaLog of the table at ``path``, with the clock that is set."""
    jvm: Any = spark._jvm
    return jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, _java(jvm, path))


def _java(jvm: Any, path: Path) -> Any:
    return jvm.org.apache.hadoop.fs.Path(str(path))
