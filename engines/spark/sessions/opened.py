"""A session beside the adapter's own that opens a table and keeps what it has opened."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession

from engines.spark.commands.command_sql import plain_names
from engines.spark.commands.result_rows import columns_of, rows_of
from engines.spark.commands.statements import settings_of_vacuum
from engines.spark.sessions.settings import settings
from model.text.sql import sql
from model.vocabulary.steps import Delete, OpenSession, Read, Vacuum
from model.vocabulary.values import Row


@dataclass(frozen=True)
class Opened:
    """``table`` and ``query`` keep the DeltaLog that they were made with, which has the clock ``clock``."""

    session: SparkSession
    table: DeltaTable
    query: DataFrame
    clock: Any  # org.apache.spark.util.ManualClock
    stream: Stream | None


def opened(spark: SparkSession, root: Path, clock: Any, step: OpenSession) -> Opened:
    """Open the table in a new session and read it once. ``clock`` is that of the table's DeltaLog."""
    session = spark.newSession()
    table, query = DeltaTable.forPath(session, str(root)), session.read.format("delta").load(str(root))
    if not step.streams:
        table.toDF().count()
        return Opened(session, table, query, clock, None)
    stream = Stream(session, root)
    shutil.rmtree(stream.directory, ignore_errors=True)  # of an earlier session
    stream.deliver()
    return Opened(session, table, query, clock, stream)


@dataclass(frozen=True)
class Stream:
    """The table as a stream, which ends when it has delivered all that is there, and later goes on from its checkpoint.

    It delivers to Parquet files under plain names of columns: Parquet does not allow all names that a table may have.
    """

    session: SparkSession
    root: Path

    @property
    def directory(self) -> Path:
        """Where what it has delivered and its checkpoint are; it names no table: the suite's tables have no such names."""
        return self.root.with_name(f"{self.root.name}-delivered")

    def deliver(self) -> DataFrame:
        """Deliver what is new; all rows that it has delivered so far."""
        (self.directory / "rows").mkdir(parents=True, exist_ok=True)
        # Files here, wherever the table is.
        rows, checkpoint = f"file:{self.directory}/rows", f"file:{self.directory}/checkpoint"
        reader = self.session.readStream.format("delta").option("skipChangeCommits", "true")
        names = [name for name, _ in plain_names(columns_of(self.session, self.root))]
        stream = reader.load(str(self.root)).toDF(*names)
        writer = stream.writeStream.format("parquet").option("checkpointLocation", checkpoint)
        writer.trigger(availableNow=True).start(rows).awaitTermination()
        return self.session.read.schema(stream.schema).parquet(rows)


def run_earlier(of: Opened, step: Delete | Vacuum | Read, clock: int) -> tuple[Row, ...]:
    """Run a step through what the session has opened, with its clock at ``clock`` (ms since the epoch)."""
    of.clock.setTime(clock)
    if isinstance(step, Read):
        return rows_of(of.query if of.stream is None else of.stream.deliver())
    if isinstance(step, Vacuum):
        with settings(of.session, settings_of_vacuum(step)):
            of.table.vacuum(step.retain_hours)
        return ()
    with settings(of.session, {"spark.sql.session.timeZone": step.zone}):
        of.table.delete(None if step.where is None else sql(step.where, step.zone, step.literals))
    return ()
