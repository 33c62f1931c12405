"""A session beside the adapter's own that opens a table and keeps what it has opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from engines.spark.result_rows import rows_of
from engines.spark.settings import settings
from engines.spark.statements import settings_of_vacuum
from model.text.sql import sql
from model.vocabulary.steps import Delete, Read, Vacuum
from model.vocabulary.values import Row


@dataclass(frozen=True)
class Opened:
    """``table`` and ``query`` keep the DeltaLog that they were made with, which has the clock ``clock``."""

    session: SparkSession
    table: DeltaTable
    query: DataFrame
    clock: Any  # org.apache.spark.util.ManualClock


def opened(spark: SparkSession, root: Path, clock: Any) -> Opened:
    """Open the table in a new session and read it once. ``clock`` is that of the table's DeltaLog."""
    session = spark.newSession()
    table, query = DeltaTable.forPath(session, str(root)), session.read.format("delta").load(str(root))
    table.toDF().count()
    return Opened(session, table, query, clock)


def run_earlier(of: Opened, step: Delete | Vacuum | Read, clock: int) -> tuple[Row, ...]:
    """Run a step through what the session has opened, with its clock at ``clock`` (ms since the epoch)."""
    of.clock.setTime(clock)
    if isinstance(step, Read):
        return rows_of(of.query)
    if isinstance(step, Vacuum):
        with settings(of.session, settings_of_vacuum(step)):
            of.table.vacuum(step.retain_hours)
        return ()
    with settings(of.session, {"spark.sql.session.timeZone": step.zone}):
        of.table.delete(None if step.where is None else sql(step.where, step.zone))
    return ()
