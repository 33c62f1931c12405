"""A second session of the adapter that opens a table and keeps it open."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from engines.spark.commands.calls import EARLIER, OPENED_LOG
from engines.spark.commands.other_commands import plain_names
from engines.spark.commands.result_rows import columns_of, rows_of
from model.vocabulary.values import Row


@dataclass(frozen=True)
class Opened:
    """``names``: the variables that the step has set, with what keeps the DeltaLog that it was made with, as ``query`` does."""

    session: SparkSession
    names: Mapping[str, Any]
    query: DataFrame
    stream: Stream | None

    @classmethod
    def of(cls, names: Mapping[str, Any], root: Path, *, streams: bool) -> Opened:
        session = names[EARLIER.word]
        stream = Stream(session, root) if streams else None
        if stream is not None:
            shutil.rmtree(stream.directory, ignore_errors=True)  # of an earlier session
            stream.deliver()
        return cls(session, names, session.read.format("delta").load(str(root)), stream)

    def read(self, clock: int) -> tuple[Row, ...]:
        """The rows by what is open, at this time (ms since the epoch)."""
        self.names[OPENED_LOG.word].clock().setTime(clock)
        return rows_of(self.query if self.stream is None else self.stream.deliver())


@dataclass(frozen=True)
class Stream:
    """The table as a stream, which ends when it has delivered all that is there, and later goes on from its checkpoint.

    It delivers to Parquet files under plain names of columns: Parquet does not allow all names that a table may have.
    """

    session: SparkSession
    root: Path

    @property
    def directory(self) -> Path:
        """Where the stream's output and checkpoint are; no table of the suite has such a name."""
        return self.root.with_name(f"{self.root.name}-delivered")

    def deliver(self) -> DataFrame:
        """Deliver what is new; returns all rows delivered so far."""
        (self.directory / "rows").mkdir(parents=True, exist_ok=True)
        # Files here, wherever the table is.
        rows, checkpoint = f"file:{self.directory}/rows", f"file:{self.directory}/checkpoint"
        reader = self.session.readStream.format("delta").option("skipChangeCommits", "true")
        names = [name for name, _ in plain_names(columns_of(self.session, self.root))]
        stream = reader.load(str(self.root)).toDF(*names)
        writer = stream.writeStream.format("parquet").option("checkpointLocation", checkpoint)
        writer.trigger(availableNow=True).start(rows).awaitTermination()
        return self.session.read.schema(stream.schema).parquet(rows)
