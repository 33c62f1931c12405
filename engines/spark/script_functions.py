"""The functions that steps on Spark call. The worker calls them, and a script has the source of those that it calls."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import Any

from delta.tables import DeltaTable
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # its name everywhere

from engines.script_names import COLUMNS, FAILING_FILE_SYSTEM, ROOT


def clock(spark: SparkSession, instant: int, table: str = ROOT) -> None:
    """Sets Delta's clock for the table. RETAIN and deletionTimestamp use the system clock."""
    path, delta = spark._jvm.org.apache.hadoop.fs.Path(table), spark._jvm.org.apache.spark.sql.delta.DeltaLog
    delta.invalidateCache(spark._jsparkSession, path)
    delta.forTable(spark._jsparkSession, path, spark._jvm.org.apache.spark.util.ManualClock(instant))


def as_written(spark: SparkSession, root: str, text: str) -> None:
    """Runs Python, in which ROOT is the path of the table."""
    exec(text, {"spark": spark, "ROOT": root, "DeltaTable": DeltaTable})


def forget(spark: SparkSession, table: str) -> None:
    """Clear Delta's cache of the table, and its clock."""
    path = spark._jvm.org.apache.hadoop.fs.Path(table)
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache(spark._jsparkSession, path)


def condition(error: Any) -> Any:
    """The error class of the exception, or of its cause if the exception has none."""
    from pyspark.errors.exceptions.captured import CapturedException

    java = getattr(error, "java_exception", None)
    while True:
        ask: Any = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", lambda: None)
        if ask() is not None or java is None:
            return ask()
        error, java = CapturedException(origin=java), java.getCause()


def changes(spark: SparkSession, first: int, last: int) -> DataFrame:
    """The change data feed of these versions."""
    reader = spark.read.format("delta").option("readChangeFeed", "true")
    feed = reader.option("startingVersion", first).option("endingVersion", last).load(ROOT)
    return feed.select(*COLUMNS, "_change_type")


def row_ids(spark: SparkSession, hidden: bool = False) -> DataFrame:
    """The table's rows, each with its row id and row commit version. A column _metadata of the table hides these."""
    table = spark.read.format("delta").load(ROOT)
    metadata = table.metadataColumn("_metadata") if hidden else table["_metadata"]
    return table.select("*", metadata.getField("row_id"), metadata.getField("row_commit_version"))


def removes_in(table: DataFrame) -> list[str]:
    """The paths of the removes in a checkpoint file."""
    removes = table.select("remove.path").collect() if "remove" in table.columns else []
    return [path for (path,) in removes if path is not None]


def below(folder: str, above: tuple[str, ...]) -> Any:
    """All paths below a directory, with what stat says of each. Links are followed, except to the ones ``above``."""
    for path in sorted(os.path.join(folder, name) for name in os.listdir(folder)):
        if os.path.exists(path):
            yield path, os.stat(path)
            if os.path.isdir(path) and os.path.realpath(path) not in above:
                yield from below(path, (*above, os.path.realpath(path)))


def inventory(spark: SparkSession, table: str, only_files: bool, scheme: str = "file:", unit: int = 1) -> DataFrame:
    """All that is below the table's directory. Times are in ms, rounded down to a ``unit``."""
    rows = []
    for path, state in below(table, (os.path.realpath(table),)):
        is_directory, modified = os.path.isdir(path), state.st_mtime_ns // 10**6 // unit * unit
        if not (only_files and is_directory):
            rows.append((scheme + path, 0 if is_directory else state.st_size, is_directory, modified))
    columns = "path STRING, length BIGINT, isDir BOOLEAN, modificationTime BIGINT"
    return spark.createDataFrame(rows, columns).coalesce(1)


def make_managed(spark: SparkSession) -> None:
    """Makes the table a managed one, d.table."""
    os.rename(ROOT, f"{ROOT}.aside")  # Spark creates a managed table only in an empty directory
    spark.sql(f"CREATE DATABASE d LOCATION '{os.path.dirname(ROOT)}'")
    spark.sql("CREATE TABLE d.`table` (x INT) USING delta")
    shutil.rmtree(ROOT)
    os.rename(f"{ROOT}.aside", ROOT)


def register_python(spark: SparkSession, name: str) -> None:
    """Registers a function of the user that returns its argument."""
    spark.sparkContext.pythonExec = sys.executable  # else the first Python of the PATH
    spark.udf.register(name, lambda b: b, "boolean")


def register_arrow(spark: SparkSession, name: str) -> None:
    """Registers an Arrow function of the user that returns its argument."""
    spark.sparkContext.pythonExec = sys.executable  # else the first Python of the PATH
    spark.udf.register(name, F.arrow_udf(lambda b: b, "boolean"))  # type: ignore[attr-defined]


def failing_files(spark: SparkSession, fault: str, path: str) -> None:
    """From now on the file system has this fault at the path. Janino, which Spark ships, compiles the class."""
    jvm = spark._jvm
    parent = jvm.java.lang.Class.forName("org.apache.hadoop.fs.LocalFileSystem")
    if not spark.conf.get("tombstone.path", ""):
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(parent.getClassLoader())
        compiler.cook(FAILING_FILE_SYSTEM)
        lookups = jvm.java.lang.invoke.MethodHandles
        lookup = lookups.privateLookupIn(parent, lookups.lookup())
        lookup.defineClass(compiler.getBytecodes()["org.apache.hadoop.fs.FailingLocalFileSystem"])
    spark.conf.set("tombstone.fault", fault)
    spark.conf.set("tombstone.path", os.path.join(ROOT, path))
    spark.conf.set("fs.file.impl", "org.apache.hadoop.fs.FailingLocalFileSystem")
    spark.conf.set("fs.file.impl.disable.cache", "true")


def delta_log(spark: SparkSession, table: str) -> Any:
    """Delta's object for the table, with the clock that is set."""
    path = spark._jvm.org.apache.hadoop.fs.Path(table)
    return spark._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, path)


def clean_up_log(spark: SparkSession, table: str) -> None:
    """Deletes expired files of the log, as Delta does after it has written a checkpoint."""
    log = delta_log(spark, table)
    (method,) = [one for one in log.getClass().getMethods() if one.getName() == "cleanUpExpiredLogs"]
    places = range(2, method.getParameterCount() + 1)  # how many there are differs between releases
    defaults = [getattr(log, f"cleanUpExpiredLogs$default${place}")() for place in places]
    log.cleanUpExpiredLogs(log.unsafeVolatileSnapshot(), *defaults)


def compact_log(spark: SparkSession, table: str, newest: int, but_newest: int = 0) -> None:
    """Writes a log compaction file of the newest commits (0: of all), without the newest of them, by Delta Kernel."""
    log, kernel = delta_log(spark, table), spark._jvm.io.delta.kernel
    names = [name for name in os.listdir(f"{table}/_delta_log") if re.fullmatch("[0-9]{20}.json", name)]
    first = int(sorted(names)[-newest:][0][:20])
    snapshot = log.unsafeVolatileSnapshot()
    last = snapshot.version() - but_newest
    name = f"{first:020}.{last:020}.compacted.json"
    if first < last and not os.path.exists(f"{table}/_delta_log/{name}"):  # there is none of one commit
        paths = [kernel.internal.fs.Path(path.toString()) for path in (log.dataPath(), log.logPath())]
        retained = snapshot.minFileRetentionTimestamp()
        hook = kernel.internal.hook.LogCompactionHook(*paths, first, last, retained)
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        hook.threadSafeInvoke(kernel.defaults.engine.DefaultEngine.create(conf))


def as_of(spark: SparkSession, table: str, version: int) -> str:
    """The time of a version, as RESTORE names it; the version, if the log does not tell its time any more."""
    history = DeltaTable.forPath(spark, table).history().where(f"version = {version}")
    times = [row[0] for row in history.selectExpr("CAST(timestamp AS STRING)").collect()]
    return f"TIMESTAMP AS OF '{times[0]}'" if times else f"VERSION AS OF {version}"


def append_by_stream(spark: SparkSession, table: str, rows: DataFrame) -> None:
    """A stream of a directory of Parquet files, which is beside the table, appends these rows.

    The files have other names of columns: Parquet does not allow all names that a table may have.
    """
    beside = f"{table}-stream"
    try:
        names = spark.read.format("delta").load(table).columns
        rows.write.parquet(f"file:{beside}/source")
        stream = spark.readStream.schema(rows.schema).parquet(f"file:{beside}/source").toDF(*names)
        writer = stream.writeStream.format("delta").option("checkpointLocation", f"file:{beside}/state")
        writer.trigger(availableNow=True).start(table).awaitTermination()
    finally:
        shutil.rmtree(beside, ignore_errors=True)
