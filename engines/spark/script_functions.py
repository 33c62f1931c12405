"""The functions that a reproduction script of Delta on Spark may have, by the names that its commands use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engines.dialect import COLUMNS, Code, code
from engines.spark.failing_files import failing_files
from model.vocabulary.steps import IOFault
from model.vocabulary.table import Table

_CLOCK = '''
def clock(spark, instant):
    """Sets Delta's clock for the table. RETAIN and deletionTimestamp use the system clock."""
    path, delta = spark._jvm.org.apache.hadoop.fs.Path(ROOT), spark._jvm.org.apache.spark.sql.delta.DeltaLog
    delta.invalidateCache(spark._jsparkSession, path)
    delta.forTable(spark._jsparkSession, path, spark._jvm.org.apache.spark.util.ManualClock(instant))
'''

_CONDITION = '''
def condition(error):
    """The error class of the exception, or of its cause if the exception has none."""
    from pyspark.errors.exceptions.captured import CapturedException

    java = getattr(error, "java_exception", None)
    while True:
        ask = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", lambda: None)
        if ask() is not None or java is None:
            return ask()
        error, java = CapturedException(origin=java), java.getCause()
'''

_CHANGES = '''
def changes(spark, first, last):
    """The change data feed of these versions."""
    reader = spark.read.format("delta").option("readChangeFeed", "true")
    feed = reader.option("startingVersion", first).option("endingVersion", last).load(ROOT)
    return feed.select(*COLUMNS, "_change_type")
'''

_ROW_IDS = '''
def row_ids(spark):
    """The table's rows, each with its row id and row commit version."""
    table = spark.read.format("delta").load(ROOT)
    metadata = METADATA
    return table.select("*", metadata.getField("row_id"), metadata.getField("row_commit_version"))
'''

_REMOVES_IN = '''
def removes_in(table):
    """The paths of the removes in a checkpoint file."""
    removes = table.select("remove.path").collect() if "remove" in table.columns else []
    return [path for (path,) in removes if path is not None]
'''

_INVENTORY = '''
def inventory(folder, above=()):
    """All paths below a directory, as (path, length, isDir, modificationTime), following links."""
    for path in sorted(os.path.join(folder, name) for name in os.listdir(folder)):
        if os.path.exists(path):
            state, is_directory = os.stat(path), os.path.isdir(path)
            yield f"file:{path}", 0 if is_directory else state.st_size, is_directory, state.st_mtime_ns // 10**6
            if is_directory and os.path.realpath(path) not in (*above, os.path.realpath(ROOT)):
                yield from inventory(path, (*above, os.path.realpath(path)))
'''

_DELTA_LOG = '''
def delta_log(spark):
    """Delta's object for the table, with the clock that is set."""
    path = spark._jvm.org.apache.hadoop.fs.Path(ROOT)
    return spark._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, path)
'''

_CLEAN_UP_LOG = '''
def clean_up_log(spark):
    """Deletes expired files of the log, as Delta does after it has written a checkpoint."""
    log = delta_log(spark)
    (method,) = [one for one in log.getClass().getMethods() if one.getName() == "cleanUpExpiredLogs"]
    places = range(2, method.getParameterCount() + 1)
    defaults = [getattr(log, f"cleanUpExpiredLogs$default${place}")() for place in places]
    log.cleanUpExpiredLogs(log.unsafeVolatileSnapshot(), *defaults)
'''

_COMPACT_LOG = '''
def compact_log(spark):
    """Writes a log compaction file of all commits, by Delta Kernel, which comes with Delta on Spark."""
    log, kernel = delta_log(spark), spark._jvm.io.delta.kernel
    first = min(int(name[:20]) for name in os.listdir(f"{ROOT}/_delta_log") if re.fullmatch("[0-9]{20}.json", name))
    snapshot = log.unsafeVolatileSnapshot()
    name = f"{first:020}.{snapshot.version():020}.compacted.json"
    if first < snapshot.version() and not os.path.exists(f"{ROOT}/_delta_log/{name}"):
        paths = [kernel.internal.fs.Path(path.toString()) for path in (log.dataPath(), log.logPath())]
        retained = snapshot.minFileRetentionTimestamp()
        hook = kernel.internal.hook.LogCompactionHook(*paths, first, snapshot.version(), retained)
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        hook.threadSafeInvoke(kernel.defaults.engine.DefaultEngine.create(conf))
'''

_APPEND_BY_STREAM = '''
def append_by_stream(spark, rows):
    """A stream of a directory of Parquet files appends these rows to the table."""
    names = spark.read.format("delta").load(ROOT).columns
    rows.write.parquet(f"{ROOT}-stream/source")
    stream = spark.readStream.schema(rows.schema).parquet(f"{ROOT}-stream/source").toDF(*names)
    writer = stream.writeStream.format("delta").option("checkpointLocation", f"{ROOT}-stream/state")
    writer.trigger(availableNow=True).start(ROOT).awaitTermination()
'''


def functions_of(table: Table, faults: Iterable[IOFault]) -> Mapping[str, Code]:
    """Each with the names that it uses. The table is the case's, and the I/O faults those of its VACUUMs."""
    own = any(column.name == "_metadata" for column in table.columns)
    metadata = 'table.metadataColumn("_metadata")' if own else 'table["_metadata"]'
    return {
        "clock": code(_CLOCK),
        "condition": code(_CONDITION),
        "row_ids": code(_ROW_IDS.replace("METADATA", metadata)),
        "changes": code(_CHANGES, COLUMNS),
        "removes_in": code(_REMOVES_IN),
        "inventory": code(_INVENTORY, "os"),
        "delta_log": code(_DELTA_LOG),
        "clean_up_log": code(_CLEAN_UP_LOG, "delta_log"),
        "compact_log": code(_COMPACT_LOG, "delta_log os re"),
        "append_by_stream": code(_APPEND_BY_STREAM),
        "failing_files": code(failing_files(faults), "os"),
    }
