"""Commands other than DELETE and VACUUM, as users give them; those without SQL as Delta's own classes do them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from engines.spark.commands.command_sql import NEED_COLUMNS, VACUUM_OF_CLONE, command_sql, plain_names, rows_sql
from engines.spark.commands.result_rows import columns_of
from engines.spark.commands.statements import settings_of_vacuum
from engines.spark.sessions.clocks import forget, log_of, set_clock
from engines.spark.sessions.settings import settings
from model.text.layout import clone_of
from model.text.sql import sql
from model.vocabulary.commands import (
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    Overwrite,
    ShallowClone,
    StreamAppend,
    VacuumClone,
)


def run_command(spark: SparkSession, root: Path, command: Command, *, clock: int, version: int | None) -> None:
    """Run a command on the table at ``root``, whose clock is set. ``version`` is the one that a RESTORE restores."""
    if isinstance(command, Overwrite):
        _overwrite(spark, root, command)
    elif isinstance(command, StreamAppend):
        _append_by_stream(spark, root, command)
    elif isinstance(command, Checkpoint):
        log_of(spark, root).checkpoint()
    elif isinstance(command, CompactLog):
        _compact_log(spark, root, command.commits or 0)
    elif isinstance(command, CleanUpLog):
        _clean_up_log(spark, root)
    elif isinstance(command, (ShallowClone, VacuumClone)):
        with _clone(spark, root, clock), settings(spark, settings_of_vacuum(VACUUM_OF_CLONE)):
            _run_sql(spark, root, command, version)
    else:
        _run_sql(spark, root, command, version)


def _run_sql(spark: SparkSession, root: Path, command: Command, version: int | None) -> None:
    columns = columns_of(spark, root) if isinstance(command, NEED_COLUMNS) else ()
    for statement in command_sql(command, str(root), columns, version):
        spark.sql(statement)


def _overwrite(spark: SparkSession, root: Path, command: Overwrite) -> None:
    """A DataFrame's overwrite, which takes any condition; that of SQL's INSERT must be one that a source can evaluate."""
    writer = spark.sql(rows_sql(command.rows, columns_of(spark, root))).write.format("delta").mode("overwrite")
    if command.where is not None:
        writer = writer.option("replaceWhere", sql(command.where))
    writer.save(str(root))


def _append_by_stream(spark: SparkSession, root: Path, command: StreamAppend) -> None:
    """A stream of a directory of Parquet files, which is beside the table, as the state of the stream is.

    The files have plain names of columns: Parquet does not allow all names that a table may have.
    """
    beside = root.with_name(f"{root.name}-stream")  # names no table: the suite's tables have no such names
    source, state = f"file:{beside}/source", f"file:{beside}/state"  # files here, wherever the table is
    columns = columns_of(spark, root)
    try:
        rows = spark.sql(rows_sql(command.rows, plain_names(columns)))
        rows.write.parquet(source)
        stream = spark.readStream.schema(rows.schema).parquet(source).toDF(*(name for name, _ in columns))
        writer = stream.writeStream.format("delta").option("checkpointLocation", state)
        writer.trigger(availableNow=True).start(str(root)).awaitTermination()
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _compact_log(spark: SparkSession, root: Path, newest: int) -> None:
    """Of the ``newest`` commits, or of all (0). By Delta Kernel: Delta on Spark, with which it comes, only reads such files.

    Nothing for a log with a single commit, as such a file has the actions of at least two, nor for one that has the file already.
    """
    log, jvm, session = log_of(spark, root), spark._jvm, spark._jsparkSession
    snapshot, kernel = log.unsafeVolatileSnapshot(), jvm.io.delta.kernel  # type: ignore[union-attr]
    first = sorted(int(path.stem) for path in (root / "_delta_log").glob("[0-9]" * 20 + ".json"))[-newest:][0]
    compacted = root / "_delta_log" / f"{first:020}.{snapshot.version():020}.compacted.json"
    if first == snapshot.version() or compacted.exists():
        return
    paths = [kernel.internal.fs.Path(path.toString()) for path in (log.dataPath(), log.logPath())]
    hook = kernel.internal.hook.LogCompactionHook(
        *paths, first, snapshot.version(), snapshot.minFileRetentionTimestamp()
    )
    hook.threadSafeInvoke(kernel.defaults.engine.DefaultEngine.create(session.sessionState().newHadoopConf()))


def _clean_up_log(spark: SparkSession, root: Path) -> None:
    """As Delta does after it has written a checkpoint; the number of arguments differs between releases."""
    log = log_of(spark, root)
    (method,) = (one for one in log.getClass().getMethods() if one.getName() == "cleanUpExpiredLogs")
    defaults = [
        getattr(log, f"cleanUpExpiredLogs$default${place}")() for place in range(2, method.getParameterCount() + 1)
    ]
    log.cleanUpExpiredLogs(log.unsafeVolatileSnapshot(), *defaults)


@contextmanager
def _clone(spark: SparkSession, root: Path, clock: int) -> Iterator[None]:
    """The clone of the table at ``root`` has this clock."""
    clone = Path(clone_of(str(root)))
    set_clock(spark, clone, clock)
    try:
        yield
    finally:
        forget(spark, clone)
