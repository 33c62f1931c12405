"""The machinery of a reproduction script: it builds the table, runs the steps, looks at the storage, asks the law.

``reports.reproduction`` copies this module's source into each script, behind the plan and the law. So it uses pyspark
and the standard library only (what it takes from ``reports`` is copied along), and it reads as part of a script: the
plan's form is said in ``reports.reproduction``.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reports.instants import instant
from reports.laws import (
    DIRECTORY,
    Action,
    Answer,
    CannotJudge,
    Entry,
    Evidence,
    Finding,
    Row,
    Unreadable,
    actions_of,
    file_of,
    named,
    names_in,
    physical_name,
)
from reports.plurals import counted
from reports.values import partition_value, plain

#: Errors only: the script's own lines must stand out. Spark warns before a program could tell it not to, so this is a
#: file. Without an appender Spark would take the file for no settings at all.
LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %p %c: %m%n
"""

#: What a change file holds behind the table's columns. A data file may hold it too: it means nothing there.
CHANGE_TYPE = {"name": "_change_type", "type": "string"}


def main(plan: dict[str, Any], contents: dict[str, str], law: Callable[..., Finding]) -> int:
    """0: the law holds. 1: it is violated. 2: it could not be checked."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may not fit the terminal's encoding
    os.environ["TZ"] = "UTC"  # PySpark gives timestamps in the local zone
    time.tzset()
    home = tempfile.mkdtemp(prefix="tombstone-")
    root = os.path.join(os.path.realpath(home), "table")
    spark = None
    try:
        spark = start_spark(plan["packages"], home)
        return check(plan, contents, law, spark, root)
    except CannotJudge as reason:
        print(f"{plan['clause']} COULD NOT BE CHECKED: {reason}")
        return 2
    except Exception as error:
        traceback.print_exc()
        print(f"{plan['clause']} COULD NOT BE CHECKED: the script failed, see above.")
        raise SystemExit(2) from error
    finally:
        if spark is not None:
            spark.stop()
        if "--keep" in sys.argv:
            print(f"The table is kept in {root}")
        else:
            shutil.rmtree(home)


def check(plan: dict[str, Any], contents: dict[str, str], law: Callable[..., Finding], spark: Any, root: str) -> int:
    version = spark._jvm.io.delta.package.VERSION()
    print(f"{plan['clause']}: {plan['sentence']}")
    print(f"Case {plan['case']} on Delta {version}, Spark {spark.version}")
    start = time.time_ns() // 1_000_000
    build(plan, contents, spark, root, start)
    seen = run(plan, contents, spark, root, start)
    holds, finding = law(seen, **plan["law"]["params"])
    print(f"{plan['clause']} {'HOLDS' if holds else 'IS VIOLATED'} on Delta {version}: {finding}")
    return 0 if holds else 1


def start_spark(packages: str, home: str) -> Any:
    from pyspark.sql import SparkSession

    logging = Path(home, "log4j2.properties")
    logging.write_text(LOGGING, encoding="utf-8")
    settings = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging.resolve().as_uri()}",
        "spark.ui.showConsoleProgress": "false",
        "spark.jars.packages": packages,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": os.path.join(home, "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        # Small tables: one task where the defaults start up to 10,000 of them.
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
        "spark.ui.enabled": "false",
    }
    builder: Any = SparkSession.builder
    builder = builder.master("local[2]").appName("tombstone")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def delta_log(spark: Any, root: str, clock: int) -> Any:
    # Delta keeps one DeltaLog for a path, with the clock that it was made with. SQL commands then use that one.
    jvm, session = spark._jvm, spark._jsparkSession
    path = jvm.org.apache.hadoop.fs.Path(root)
    jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache(session, path)
    manual = jvm.org.apache.spark.util.ManualClock(clock)
    return jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, path, manual)


def build(plan: dict[str, Any], contents: dict[str, str], spark: Any, root: str, start: int) -> None:
    os.makedirs(os.path.join(root, "_delta_log"))
    put(plan["files"], plan["directories"], contents, root, start)
    for commit in plan["commits"]:
        write_commit(root, commit["version"], commit["lines"], commit["modified"], start)
        if commit.get("checksum") is not None:
            write_lines(root, f"{commit['version']:020d}.crc", [commit["checksum"]], commit["modified"], start)
        if commit.get("checkpoint"):
            # A clock at 1970, so that no tombstone is old enough to be left out.
            delta_log(spark, root, 0).checkpoint()
    print(f"Made a table: {counted(len(plan['files']), 'file')}, versions 0 to {len(plan['commits']) - 1}")


def put(files: list[Any], directories: list[str], contents: dict[str, str], root: str, start: int) -> None:
    for path in directories:
        os.makedirs(os.path.join(root, path), exist_ok=True)
    for file in files:
        place = os.path.join(root, file["path"])
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "xb") as stream:
            stream.write(base64.b64decode(contents[file["path"]]))
        set_time(place, start + file["modified"])


def write_commit(root: str, version: int, lines: list[Any], modified: int, start: int) -> None:
    write_lines(root, f"{version:020d}.json", lines, modified, start)


def write_lines(root: str, name: str, lines: list[Any], modified: int, start: int) -> None:
    place = os.path.join(root, "_delta_log", name)
    with open(place, "x", encoding="utf-8", newline="\n") as stream:
        stream.writelines(json.dumps(resolve(line, root, start)) + "\n" for line in lines)
    set_time(place, start + modified)


def set_time(place: str, ms: int) -> None:
    os.utime(place, ns=(ms * 1_000_000, ms * 1_000_000))


def resolve(value: Any, root: str, start: int) -> Any:
    # {"$ms": n} in an action stands for the instant n ms after the start, {"$root": path} for the URI of that file.
    if isinstance(value, dict):
        if value.keys() == {"$ms"}:
            return start + value["$ms"]
        if value.keys() == {"$root"}:
            return Path(root, value["$root"]).as_uri()
        return {key: resolve(part, root, start) for key, part in value.items()}
    return [resolve(part, root, start) for part in value] if isinstance(value, list) else value


def run(plan: dict[str, Any], contents: dict[str, str], spark: Any, root: str, start: int) -> Evidence:
    """Run the steps up to the one that the law speaks of, and say what was seen around that one."""
    version_before: dict[int, int] = {}
    wrote: dict[int, list[int]] = {}  # step → the versions that it wrote
    stamps: dict[int | None, int] = {}  # step → the latest deletionTimestamp that it wrote, if any
    steps = [op.get("step", place) for place, op in enumerate(plan["ops"])]
    last = max(place for place, step in enumerate(steps) if step == plan["at_step"])
    for place, (step, op) in enumerate(zip(steps, plan["ops"])):
        version = max(read_log(root))
        version_before.setdefault(step, version)
        if op["do"] == "append":
            put(op["files"], [], contents, root, start)
            write_commit(root, version + 1, op["lines"], op.get("modified", 0), start)
            print(f"Step {step}: another writer adds {counted(len(op['files']), 'file')}")
        elif op["do"] == "litter":
            put(op["files"], op["directories"], contents, root, start)
            print(
                f"Step {step}: {counted(len(op['files']), 'stray file')}, {len(op['directories'])} stray directories appear"
            )
        else:
            moment = op.get("clock") or {"offset": 0, "removed_by_step": None}
            clock = stamps.get(moment["removed_by_step"], start) + moment["offset"]
            seen = engine_step(op, version_before, wrote, spark, root, clock)
            removes = [remove for commit in seen.commits for remove in actions_of(commit, "remove")]
            if removes:
                stamps[step] = max(remove.get("deletionTimestamp", start) for remove in removes)
            result = counted(len(seen.rows), "row") if seen.rows is not None else named(seen.error or {})
            print(f"Step {step}, the clock at {instant(clock - start)}: {seen.text}: {result}")
            if place == last:
                return seen
        wrote.setdefault(step, []).extend(one for one in sorted(read_log(root)) if one > version)
    raise CannotJudge(f"Step {plan['at_step']} is none that the engine runs.")


def engine_step(
    op: dict[str, Any], version_before: dict[int, int], wrote: dict[int, list[int]], spark: Any, root: str, clock: int
) -> Evidence:
    text, ask = question(op, version_before, wrote, spark, root)
    before, log = listing(root), read_log(root)
    conf = {key: spark.conf.get(key, None) for key in op.get("conf", {})}
    for key, value in op.get("conf", {}).items():
        spark.conf.set(key, value)
    delta_log(spark, root, clock)
    started = time.time_ns() // 1_000_000
    rows, error = answer(ask)
    ended = time.time_ns() // 1_000_000
    for key, old in conf.items():
        if old is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, old)
    after = read_log(root)
    new = sorted(after.keys() - log.keys())
    schema, partition_by = schema_of(log)
    return Evidence(
        text=text,
        root=root,
        before=before,
        after=listing(root),
        live=live_in(log),
        live_after=live_in(after),
        commits=[after[version] for version in new],
        schema=schema,
        partition_by=partition_by,
        rows=rows,
        error=error,
        started=started,
        ended=ended,
        read_file=lambda add: read_file(spark, root, add, schema),
        read_changes=lambda cdc: read_file(spark, root, cdc, [*schema, CHANGE_TYPE]),
        read_table=lambda: answer(lambda: read_table(spark, root, None)),
        read_feed=lambda: (
            (rows, error) if op["do"] == "changes" else answer(lambda: read_feed(spark, root, schema, new))
        ),
        read_row_ids=lambda before: answer(lambda: read_row_ids(spark, root, max(log) if before else None)),
        read_bytes=lambda path: Path(root, path).read_bytes(),
        stored_names=lambda add: stored_names(spark, root, add),
    )


def question(
    op: dict[str, Any], version_before: dict[int, int], wrote: dict[int, list[int]], spark: Any, root: str
) -> tuple[str, Callable[[], Any]]:
    """What is asked of the engine, in words, and the asking, whose answer is a DataFrame or None."""
    if op["do"] == "read":
        if op.get("before_step") is None:
            return "reading the current version", lambda: read_table(spark, root, None)
        version = version_before[op["before_step"]]
        return f"reading version {version}", lambda: read_table(spark, root, version)
    if op["do"] == "changes":
        versions = wrote.get(op["of_step"], [])
        schema, _ = schema_of(read_log(root))
        text = f"reading the changes of {named_list('version', versions)}"
        return text, lambda: read_feed(spark, root, schema, versions)
    for path in op.get("directories", []):
        os.makedirs(os.path.join(root, path.replace("{table}", root)))
    for statement in op.get("setup", []):
        spark.sql(statement.replace("{table}", root))
    if "form" in op:
        condition = "" if op.get("where") is None else f" WHERE {op['where']}"
        return f"DELETE FROM t{condition} by {op['form']}", delete_by(op["form"], op.get("where"), spark, root)
    return op["sql"].replace("delta.`{table}`", "t"), lambda: spark.sql(op["sql"].replace("{table}", root))


def named_list(noun: str, numbers: list[int]) -> str:
    return f"{noun}s {', '.join(map(str, numbers))}" if numbers else f"no {noun}"


def delete_by(form: str, where: str | None, spark: Any, root: str) -> Callable[[], Any]:
    """The asking for a DELETE in one of the forms that all mean the same. Makes the table's name, where it needs one."""
    from delta.tables import DeltaTable
    from pyspark.sql.functions import expr

    condition = "" if where is None else f" WHERE {where}"
    if form == "sql by path":
        return lambda: spark.sql(f"DELETE FROM delta.`{root}`{condition}")
    if form in ("DeltaTable.forPath", "DeltaTable.forPath with a Column"):
        column = form != "DeltaTable.forPath"
        # The session's time zone says what a TIMESTAMP in the condition means: so it is read no sooner than it is asked.
        return lambda: DeltaTable.forPath(spark, root).delete(expr(where) if column and where is not None else where)
    if form == "sql by the name of a managed table":
        name = managed_name(spark, root)
        return lambda: spark.sql(f"DELETE FROM {name}{condition}")
    name = external_name(spark, root)
    if form == "sql by name":
        return lambda: spark.sql(f"DELETE FROM {name}{condition}")
    if form == "DeltaTable.forName":
        return lambda: DeltaTable.forName(spark, name).delete(where)
    if form == "TRUNCATE TABLE":
        return lambda: spark.sql(f"TRUNCATE TABLE {name}")
    raise CannotJudge(f"{form} is no form of a DELETE that this script knows.")


def external_name(spark: Any, root: str) -> str:
    name = f"default.t{zlib.crc32(root.encode()):08x}"
    spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING delta LOCATION '{root}'")
    return name


def managed_name(spark: Any, root: str) -> str:
    # Spark makes a managed table in an empty directory only: so ours is put aside until it has.
    home, own = os.path.split(root)
    database = f"d{zlib.crc32(root.encode()):08x}"
    if not spark.catalog.databaseExists(database):
        os.rename(root, f"{root}.aside")
        spark.sql(f"CREATE DATABASE {database} LOCATION '{home}'")
        spark.sql(f"CREATE TABLE {database}.`{own}` (x INT) USING delta")
        shutil.rmtree(root)
        os.rename(f"{root}.aside", root)
    return f"{database}.`{own}`"


def answer(ask: Callable[[], Any]) -> Answer:
    try:
        table = ask()
        return ([] if table is None else rows_of(table)), None
    except engine_errors() as problem:  # A refusal is something to judge, not the script's end.
        return None, described(problem)


def rows_of(table: Any) -> list[Row]:
    kinds = [field["type"] for field in table.schema.jsonValue()["fields"]]
    return [[plain(value, kind) for value, kind in zip(row, kinds)] for row in table.collect()]


def engine_errors() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError  # type: ignore[import-untyped, unused-ignore]
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError


def listing(root: str) -> dict[str, Entry]:
    found = {".": DIRECTORY}
    for folder, directories, files in os.walk(root):
        for name in directories:
            found[os.path.relpath(os.path.join(folder, name), root)] = DIRECTORY
        for name in files:
            place = os.path.join(folder, name)
            with open(place, "rb") as stream:
                digest = hashlib.sha256(stream.read()).hexdigest()
            state = os.stat(place)
            found[os.path.relpath(place, root)] = (state.st_size, state.st_mtime_ns, digest)
    return found


def read_log(root: str) -> dict[int, list[Action]]:
    log = {}
    for name in os.listdir(os.path.join(root, "_delta_log")):
        if name[:20].isdigit() and name[20:] == ".json":
            with open(os.path.join(root, "_delta_log", name), encoding="utf-8") as stream:
                log[int(name[:20])] = [json.loads(line) for line in stream if line.strip()]
    return log


def live_in(log: dict[int, list[Action]]) -> dict[str, Action]:
    live: dict[str, Action] = {}
    for _, commit in sorted(log.items()):
        # Removes first: a new deletion vector is a remove and an add of one path in one commit.
        for remove in actions_of(commit, "remove"):
            live.pop(file_of(remove), None)
        for add in actions_of(commit, "add"):
            live[file_of(add)] = add
    return live


def schema_of(log: dict[int, list[Action]]) -> tuple[list[Action], list[str]]:
    # The columns as the schema says them, and the physical names of the partition columns.
    metadata = [action for _, commit in sorted(log.items()) for action in actions_of(commit, "metaData")][-1]
    schema = json.loads(metadata["schemaString"])["fields"]
    names = {field["name"]: physical_name(field) for field in schema}
    return schema, [names[name] for name in metadata["partitionColumns"]]


def read_table(spark: Any, root: str, version: int | None) -> Any:
    reader = spark.read.format("delta")
    return (reader if version is None else reader.option("versionAsOf", version)).load(root)


def read_feed(spark: Any, root: str, schema: list[Action], versions: list[int]) -> Any:
    """The table's columns and _change_type. Nothing where there is no version to read."""
    if not versions:
        return None
    reader = spark.read.format("delta").option("readChangeFeed", "true")
    feed = reader.option("startingVersion", versions[0]).option("endingVersion", versions[-1]).load(root)
    names = [field["name"] for field in schema] + ["_change_type"]
    return feed.select(*("`" + name.replace("`", "``") + "`" for name in names))


def read_row_ids(spark: Any, root: str, version: int | None) -> Any:
    """The table's columns, the row's id and its commit version."""
    # Whether an old version may still be read is not what is asked here.
    spark.conf.set("spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration", "false")
    table = read_table(spark, root, version)
    # A table may have a column of its own that is called _metadata.
    metadata = table.metadataColumn("_metadata") if hasattr(table, "metadataColumn") else table["_metadata"]
    return table.select("*", metadata.getField("row_id"), metadata.getField("row_commit_version"))


def read_file(spark: Any, root: str, action: Action, schema: list[Action]) -> list[Row]:
    """All rows that the file of an action stores, deleted ones too, with these columns."""
    kinds = {physical_name(field): physical_kind(field["type"]) for field in schema}
    values = action["partitionValues"]
    columns, stored_rows = read_parquet(spark, root, action, lambda table: table.collect())
    return [
        [
            partition_value(values[name], kind) if name in values else plain(stored.get(name), kind)
            for name, kind in kinds.items()
        ]
        for stored in (dict(zip(columns, row)) for row in stored_rows)
    ]


def stored_names(spark: Any, root: str, action: Action) -> list[str]:
    """The names of a file's columns and of their nested fields, dotted."""
    return names_in(read_parquet(spark, root, action, lambda table: table.schema.jsonValue()["fields"])[1])


def read_parquet(spark: Any, root: str, action: Action, ask: Callable[[Any], Any]) -> tuple[list[str], Any]:
    path = file_of(action)
    try:
        table = spark.read.parquet(os.path.join(root, path))
        return table.columns, ask(table)
    except engine_errors() as problem:
        raise Unreadable(f"{path} cannot be read: {named(described(problem))}") from problem


def physical_kind(kind: Any) -> Any:
    """A kind with the names of its fields as the files have them."""
    if not isinstance(kind, dict):
        return kind
    if kind["type"] == "struct":
        fields = [{"name": physical_name(field), "type": physical_kind(field["type"])} for field in kind["fields"]]
        return {"type": "struct", "fields": fields}
    return {
        key: physical_kind(part) if isinstance(part, dict) and key.endswith("Type") else part
        for key, part in kind.items()
    }


def described(problem: Exception) -> Action:
    condition = None
    for source in (problem, getattr(problem, "java_exception", None)):
        for name in ("getCondition", "getErrorClass"):
            ask = getattr(source, name, None)
            if condition is None and source is not None and callable(ask):
                condition = ask()
    return {"exception": type(problem).__name__, "condition": condition, "message": str(problem)}
