"""Delta Lake on Spark in a script: PySpark, and Delta's own classes for the clock."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from model.vocabulary.steps import DELETES_BY_PATH, Form
from reports.counterexamples.dialect import Command, Op, Plan, call, literal, quoted
from reports.counterexamples.failing_files import failing_files
from reports.counterexamples.spellings import WORKING_DIRECTORY, is_link, is_relative, named_path

_CLOCK = '''
def clock(spark, instant):
    """Sets Delta's clock for the table. RETAIN and deletionTimestamp use the system clock."""
    path, delta = spark._jvm.org.apache.hadoop.fs.Path(ROOT), spark._jvm.org.apache.spark.sql.delta.DeltaLog
    delta.invalidateCache(spark._jsparkSession, path)
    delta.forTable(spark._jsparkSession, path, spark._jvm.org.apache.spark.util.ManualClock(instant))
'''

#: Spark 4's defaults.
_SPARK_4 = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
}

#: Delta's defaults: no script needs to set them.
_DEFAULTS = {
    "spark.databricks.delta.retentionDurationCheck.enabled": "true",
    "spark.databricks.delta.vacuum.lite.enabled": "false",
    "spark.databricks.delta.vacuum.parallelDelete.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}

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

_MANAGED = (
    'os.rename(ROOT, f"{ROOT}.aside")  # Spark creates a managed table only in an empty directory',
    "spark.sql(f\"CREATE DATABASE d LOCATION '{os.path.dirname(ROOT)}'\")",
    'spark.sql("CREATE TABLE d.`table` (x INT) USING delta")',
    "shutil.rmtree(ROOT)",
    'os.rename(f"{ROOT}.aside", ROOT)',
)
_EXTERNAL = ("spark.sql(f\"CREATE TABLE IF NOT EXISTS t USING delta LOCATION '{ROOT}'\")",)


class Spark:
    """One for each script: it keeps track of the session's settings and of the tables in the catalog."""

    imports: Sequence[str] = ("from pyspark.sql import SparkSession",)
    errors = "Exception"

    def __init__(self, plan: Plan) -> None:
        self._root = str(plan["root"])
        self._inventory = posixpath.dirname(self._root) + "-inventory"
        self._conf: dict[str, str] = {}
        self._managed = False
        self._instant = ""  # of the clock
        self._relative = any(is_relative(op) for op in plan["steps"])
        ops = plan["steps"]
        io_faults = [op["trouble"]["kind"] for op in ops if op.get("trouble")]
        api = [op for op in ops if str(op.get("form", "")).startswith("DeltaTable")]
        column = any(op.get("form") == "DeltaTable.forPath with a Column" for op in api)
        self.imports = (
            *(("from delta.tables import DeltaTable",) if api else ()),
            "from pyspark.sql import SparkSession",
            *(("from pyspark.sql.functions import expr",) if column else ()),
        )
        # The table may have its own column named _metadata.
        metadata = 'table.metadataColumn("_metadata")' if "_metadata" in plan["columns"] else 'table["_metadata"]'
        self.functions: Mapping[str, str] = {
            "clock": _CLOCK,
            "condition": _CONDITION,
            "row_ids": _ROW_IDS.replace("METADATA", metadata),
            "changes": _CHANGES,
            "removes_in": _REMOVES_IN,
            "inventory": _INVENTORY,
            "failing_files": failing_files(io_faults),
        }
        self._settings_of_session = {
            "spark.jars.packages": str(plan["packages"]),
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.sql.session.timeZone": "UTC",
            # One task for a small table, where the defaults start up to 10,000.
            "spark.sql.shuffle.partitions": "1",
            "spark.databricks.delta.snapshotPartitions": "1",
            "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
            **({} if re.search(r"pyspark==(?!3\.)", str(plan["pip"])) else _SPARK_4),
        }

    def start(self) -> Sequence[str]:
        first, *others = (f'.config("{key}", "{value}")' for key, value in self._settings_of_session.items())
        # Its JVM keeps the directory in which it was started.
        return (
            *((f"os.chdir({literal(WORKING_DIRECTORY)})",) if self._relative else ()),
            "spark = (",
            f"    SparkSession.builder{first}",
            *(f"    {config}" for config in others),
            "    .getOrCreate()",
            ")",
        )

    def now(self) -> str:
        return "int(time.time() * 1000)"

    def clock(self, instant: str, *, first: bool) -> Sequence[str]:
        self._instant = instant
        return (f"clock(spark, {instant})",)

    def rows(self, text: str) -> str:
        return f"{text}.collect()"

    def command(self, op: Op) -> Command:
        setup = self._settings(op.get("conf", {}))
        setup += [f'os.makedirs("{path}")' for path in self._places(op.get("directories", []))]
        setup += [call("spark.sql", self._literal(statement)) for statement in op.get("setup", [])]
        cleanup: list[str] = []
        if op.get("inventory"):
            rows = "inventory(ROOT)"
            if op["inventory"] == "files only":
                rows = "[row for row in inventory(ROOT) if not row[2]]"
            view = 'table.createOrReplaceTempView("tombstone_inventory")'
            saved = f'table.write.format("delta").mode("overwrite").save("{self._inventory}")'
            setup += [
                'columns = "path STRING, length BIGINT, isDir BOOLEAN, modificationTime BIGINT"',
                f"table = spark.createDataFrame({rows}, columns)",
                view if "tombstone_inventory" in op["sql"] else saved,
            ]
        if op.get("trouble"):
            path = op["trouble"]["path"]
            setup.append(f"failing_files(spark, {literal(op['trouble']['kind'])}, {literal(path)})")
            cleanup.append('spark.conf.set("tombstone.fault", "")')
        named = named_path(op, self._root)
        setup += [line for line in named.setup if is_link(op)]
        setup += self._clock_of_link(op)
        text, more = self._text(op, named.path)
        rows = "" if "DeltaTable.for" in text else self.rows(text)
        cached = (f"{self._cached(op, named.path)}.cache().count()",) if op.get("cached") else ()
        return Command(text, rows, (*setup, *more, *cached), (*cleanup, *named.cleanup))

    def _clock_of_link(self, op: Op) -> Sequence[str]:
        """Delta knows a table behind a link by the link's path."""
        if not is_link(op):
            return ()
        path = f"spark._jvm.org.apache.hadoop.fs.Path({quoted(named_path(op, self._root).path, self._root)})"
        clock = f"spark._jvm.org.apache.spark.util.ManualClock({self._instant})"
        delta = "spark._jvm.org.apache.spark.sql.delta.DeltaLog"
        return (
            f"delta, link = {delta}, {path}",
            "delta.invalidateCache(spark._jsparkSession, link)",
            f"delta.forTable(spark._jsparkSession, link, {clock})",
        )

    def _cached(self, op: Op, path: str) -> str:
        """A read of the table as the command names it."""
        form = op.get("form")
        if form in (None, *(one.value for one in DELETES_BY_PATH)):
            return f'spark.read.format("delta").load({self._argument(path)})'
        return f'spark.table("{"d.`table`" if form == Form.SQL_MANAGED.value else "t"}")'

    def _argument(self, path: str) -> str:
        return "ROOT" if path == self._root else quoted(path, self._root)

    def _settings(self, wanted: Mapping[str, Any]) -> list[str]:
        """The lines that change the settings of the previous step, or the defaults, into these."""
        new = {key: str(value) for key, value in wanted.items() if value is not None}
        old, self._conf = self._conf, new
        lines = [f'spark.conf.unset("{key}")' for key in old if key not in new and old[key] != _DEFAULTS.get(key)]
        return lines + [
            f'spark.conf.set("{key}", "{value}")'
            for key, value in new.items()
            if old.get(key, _DEFAULTS.get(key)) != value
        ]

    def _places(self, paths: Sequence[str]) -> list[str]:
        return [path.replace("{table}", self._root) for path in paths]

    def _literal(self, sql: str) -> str:
        return quoted(sql.replace("{table}-inventory", self._inventory).replace("{table}", self._root), self._root)

    def _text(self, op: Op, path: str) -> tuple[str, Sequence[str]]:
        """The command, with this path of the table, and the lines that make what it names."""
        form, where = op.get("form"), op.get("where")
        if op["do"] == "vacuum" and form is not None:
            hours = "" if op.get("hours") is None else repr(op["hours"])
            if form == "DeltaTable.forPath":
                return f"DeltaTable.forPath(spark, {self._argument(path)}).vacuum({hours})", ()
            return f'DeltaTable.forName(spark, "t").vacuum({hours})', _EXTERNAL
        if form is None:
            sql = op["sql"]
            setup: Sequence[str] = _EXTERNAL if "{name}" in sql else ()
            if "{managed}" in sql:
                setup = self._make_managed()
            if path != self._root:
                sql = sql.replace("{table}", path)
            return self._sql(sql.replace("{name}", "t").replace("{managed}", "d.`table`")), setup
        condition = "" if where is None else f" WHERE {where}"
        argument = "" if where is None else quoted(where, self._root)
        if form in ("DeltaTable.forPath", "DeltaTable.forPath with a Column"):
            if form != "DeltaTable.forPath" and where is not None:
                argument = call("expr", argument)
            return call(f"DeltaTable.forPath(spark, {self._argument(path)}).delete", argument), ()
        if form == "sql by the name of a managed table":
            return self._sql(f"DELETE FROM d.`table`{condition}"), self._make_managed()
        if form == "DeltaTable.forName":
            return call('DeltaTable.forName(spark, "t").delete', argument), _EXTERNAL
        return self._sql("TRUNCATE TABLE t" if form == "TRUNCATE TABLE" else f"DELETE FROM t{condition}"), _EXTERNAL

    def _sql(self, sql: str) -> str:
        return call("spark.sql", self._literal(sql))

    def _make_managed(self) -> Sequence[str]:
        exists, self._managed = self._managed, True
        return () if exists else _MANAGED

    def read(self, version: str) -> str:
        of = f'.option("versionAsOf", {version})' if version else ""
        return f'spark.read.format("delta"){of}.load(ROOT)'

    def changes(self, first: str, last: str) -> str:
        return f"changes(spark, {first}, {last})"

    def column(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def count(self, path: str) -> str:
        return f"spark.read.parquet({path}).count()"

    def columns(self, path: str) -> str:
        return f"spark.read.parquet({path}).columns"

    def removes_in(self, path: str) -> str:
        return f"removes_in(spark.read.parquet({path}))"

    def row_ids(self) -> str:
        return "row_ids(spark)"
