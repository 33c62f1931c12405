"""DEL-REM-1C: The partition values of a remove name every partition column, those that are NULL too.

This script makes the table of case 15cd570b0c75 in a temporary directory, runs the steps on it, and checks the
promise above. It needs nothing but this:

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python reproduce.py

It exits with 0 where the promise HOLDS, 1 where it IS VIOLATED, 2 where it could not be checked. With --keep
it leaves the table for you to look at. Instants are in ms from the start of the script.
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
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import unquote


# ---- The table, the steps and the law ------------------------------------------------------------


PLAN: dict[str, Any] = {'clause': 'DEL-REM-1C',
 'sentence': 'The partition values of a remove name every partition column, those that are NULL too.',
 'case': '15cd570b0c75',
 'packages': 'io.delta:delta-spark_4.2_2.13:4.4.0',
 'directories': [],
 'files': [{'path': 'country=ü/q=__HIVE_DEFAULT_PARTITION__/p=0/part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet',
            'modified': -608400000}],
 'commits': [{'version': 0,
              'modified': -1000,
              'lines': [{'commitInfo': {'timestamp': {'$ms': -1000},
                                        'operation': 'CREATE TABLE',
                                        'operationParameters': {},
                                        'isBlindAppend': True,
                                        'engineInfo': 'Tombstone'}},
                        {'protocol': {'minReaderVersion': 1, 'minWriterVersion': 2}},
                        {'metaData': {'id': '00000000-0000-4000-8000-000000000000',
                                      'format': {'provider': 'parquet', 'options': {}},
                                      'schemaString': '{"type": "struct", "fields": [{"name": "country", "type": '
                                                      '"string", "nullable": true, "metadata": {}}, {"name": "q", '
                                                      '"type": "string", "nullable": true, "metadata": {}}, {"name": '
                                                      '"p", "type": "integer", "nullable": true, "metadata": {}}, '
                                                      '{"name": "name", "type": "integer", "nullable": true, '
                                                      '"metadata": {}}]}',
                                      'partitionColumns': ['country', 'q', 'p'],
                                      'configuration': {},
                                      'createdTime': {'$ms': -1000}}},
                        {'add': {'path': 'country=ü/q=__HIVE_DEFAULT_PARTITION__/p=0/part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet',
                                 'partitionValues': {'country': 'ü', 'q': None, 'p': '0'},
                                 'size': 262,
                                 'modificationTime': {'$ms': -608400000},
                                 'dataChange': True,
                                 'stats': '{"numRecords":1}'}}],
              'checkpoint': False}],
 'ops': [{'step': 0,
          'do': 'delete',
          'sql': 'DELETE FROM delta.`{table}` WHERE `name` = 3',
          'clock': {'offset': 0, 'removed_by_step': None},
          'conf': {}}],
 'law': {'name': 'removes_name_all_partitions', 'params': {}},
 'at_step': 0}


# ---- What a law sees -----------------------------------------------------------------------------


Row = list[Any]
Action = dict[str, Any]
#: What a listing says of a path: size in bytes, mtime in ns, digest. A directory is DIRECTORY, whatever its time.
Entry = tuple[int, int, str]
Finding = tuple[bool, str]
#: What the engine answered: rows, or an error (exception, condition, message).
Answer = tuple["list[Row] | None", "Action | None"]
DIRECTORY: Entry = (-1, 0, "directory")
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


class CannotJudge(Exception):
    """The law says nothing here. The text is one sentence that says why."""


class Unreadable(CannotJudge):
    """A file cannot be read as Parquet. The text is one sentence that says why."""


@dataclass(frozen=True)
class Evidence:
    """What was seen around one step of the engine."""

    text: str  # the step, as SQL
    root: str  # the table's directory
    before: dict[str, Entry]  # everything below the root, just before the step
    after: dict[str, Entry]  # and just after it
    live: dict[str, Action]  # path → its add action, in the version before the step
    commits: list[list[Action]]  # the actions of each version that the step wrote
    partition_by: list[str]
    rows: list[Row] | None  # what the step answered
    error: Action | None  # exception, condition, message
    started: int  # ms since the epoch, by the wall clock
    ended: int
    read_file: Callable[[Action], list[Row]]  # all rows in an add's file, with its partition's values; or Unreadable
    read_table: Callable[[], Answer]  # all rows of the current version, read now


# ---- The law -------------------------------------------------------------------------------------


def removes_name_all_partitions(seen: Evidence) -> Finding:
    promised = sorted(seen.partition_by)
    wrong = []
    removes = [action for commit in seen.commits for action in actions_of(commit, "remove")]
    for remove in removes:
        columns = sorted(remove.get("partitionValues") or {})
        if columns != promised:
            wrong.append(
                f"{file_of(remove)} with values for {listed(columns)}, but they must be for {listed(promised)}"
            )
    if wrong:
        return False, f"the commit of {seen.text} removes {listed(wrong)}"
    return True, f"each of the {len(removes)} removes of {seen.text} names all partition columns"


def actions_of(commit: list[Action], kind: str) -> list[Action]:
    return [action[kind] for action in commit if action.get(kind) is not None]


def file_of(action: Action) -> str:
    # The log url-encodes paths (PROTOCOL.md, "Add File and Remove File").
    return unquote(action["path"])


def listed(texts: list[str], limit: int = 10) -> str:
    more = [f"and {len(texts) - limit} more"] if len(texts) > limit else []
    return ", ".join(texts[:limit] + more) or "nothing"


# ---- How the table is made and looked at ---------------------------------------------------------


def main(plan: dict[str, Any], contents: dict[str, str], law: Callable[..., Finding]) -> int:
    """0: the law holds. 1: it is violated. 2: it could not be checked."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may not fit the terminal's encoding
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


def build(plan: dict[str, Any], contents: dict[str, str], spark: Any, root: str, start: int) -> None:
    os.makedirs(os.path.join(root, "_delta_log"))
    put(plan["files"], plan["directories"], contents, root, start)
    for commit in plan["commits"]:
        write_commit(root, commit["version"], commit["lines"], commit["modified"], start)
        if commit.get("checkpoint"):
            # A clock at 1970, so that no tombstone is old enough to be left out.
            delta_log(spark, root, 0).checkpoint()
    print(f"Made a table: {counted(len(plan['files']), 'file')}, versions 0 to {len(plan['commits']) - 1}")


def run(plan: dict[str, Any], contents: dict[str, str], spark: Any, root: str, start: int) -> Evidence:
    """Run the steps up to the one that the law speaks of, and say what was seen around that one."""
    version_before: dict[int, int] = {}
    stamps: dict[int | None, int] = {}  # step → the latest deletionTimestamp that it wrote, if any
    steps = [op.get("step", place) for place, op in enumerate(plan["ops"])]
    last = max(place for place, step in enumerate(steps) if step == plan["at_step"])
    for place, (step, op) in enumerate(zip(steps, plan["ops"])):
        version_before.setdefault(step, max(read_log(root)))
        if op["do"] == "append":
            put(op["files"], [], contents, root, start)
            write_commit(root, max(read_log(root)) + 1, op["lines"], op.get("modified", 0), start)
            print(f"Step {step}: another writer adds {counted(len(op['files']), 'file')}")
        elif op["do"] == "litter":
            put(op["files"], op["directories"], contents, root, start)
            print(
                f"Step {step}: {counted(len(op['files']), 'stray file')}, {len(op['directories'])} stray directories appear"
            )
        else:
            moment = op.get("clock") or {"offset": 0, "removed_by_step": None}
            clock = stamps.get(moment["removed_by_step"], start) + moment["offset"]
            seen = engine_step(op, version_before, spark, root, clock)
            removes = [remove for commit in seen.commits for remove in actions_of(commit, "remove")]
            if removes:
                stamps[step] = max(remove.get("deletionTimestamp", start) for remove in removes)
            result = counted(len(seen.rows), "row") if seen.rows is not None else named(seen.error or {})
            print(f"Step {step}, the clock at {instant(clock - start)}: {seen.text}: {result}")
            if place == last:
                return seen
    raise CannotJudge(f"Step {plan['at_step']} is none that the engine runs.")


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
    place = os.path.join(root, "_delta_log", f"{version:020d}.json")
    with open(place, "x", encoding="utf-8", newline="\n") as stream:
        stream.writelines(json.dumps(resolve(line, start)) + "\n" for line in lines)
    set_time(place, start + modified)


def delta_log(spark: Any, root: str, clock: int) -> Any:
    # Delta keeps one DeltaLog for a path, with the clock that it was made with. SQL commands then use that one.
    jvm, session = spark._jvm, spark._jsparkSession
    path = jvm.org.apache.hadoop.fs.Path(root)
    jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache(session, path)
    manual = jvm.org.apache.spark.util.ManualClock(clock)
    return jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, path, manual)


def counted(number: int, noun: str) -> str:
    """``1 case``, ``2 cases``, ``0 cases``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def read_log(root: str) -> dict[int, list[Action]]:
    log = {}
    for name in os.listdir(os.path.join(root, "_delta_log")):
        if name[:20].isdigit() and name[20:] == ".json":
            with open(os.path.join(root, "_delta_log", name), encoding="utf-8") as stream:
                log[int(name[:20])] = [json.loads(line) for line in stream if line.strip()]
    return log


def engine_step(op: dict[str, Any], version_before: dict[int, int], spark: Any, root: str, clock: int) -> Evidence:
    version: int | None = None
    if op["do"] == "read":
        if op.get("before_step") is not None:
            version = version_before[op["before_step"]]
        text = "reading the current version" if version is None else f"reading version {version}"
    else:
        text = op["sql"].replace("delta.`{table}`", "t")
    before, log = listing(root), read_log(root)
    conf = {key: spark.conf.get(key, None) for key in op.get("conf", {})}
    for key, value in op.get("conf", {}).items():
        spark.conf.set(key, value)
    delta_log(spark, root, clock)
    started = time.time_ns() // 1_000_000
    if op["do"] == "read":
        rows, error = answer(lambda: read_table(spark, root, version))
    else:
        rows, error = answer(lambda: spark.sql(op["sql"].replace("{table}", root)))
    ended = time.time_ns() // 1_000_000
    for key, old in conf.items():
        if old is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, old)
    commits = [actions for version, actions in sorted(read_log(root).items()) if version not in log]
    schema, partition_by = schema_of(log)
    return Evidence(
        text=text,
        root=root,
        before=before,
        after=listing(root),
        live=live_in(log),
        commits=commits,
        partition_by=partition_by,
        rows=rows,
        error=error,
        started=started,
        ended=ended,
        read_file=lambda add: read_file(spark, root, add, schema),
        read_table=lambda: answer(lambda: read_table(spark, root, None)),
    )


def named(error: Action) -> str:
    lines = str(error.get("message", "")).strip().splitlines()
    return f"{error.get('condition') or error.get('exception')}: {lines[0] if lines else ''}"


def instant(offset: int) -> str:
    """An instant, ``offset`` ms from the start: ``start``, ``start + 7 d``, ``start - 7 d 0.001 s``. Exact to the ms."""
    if offset == 0:
        return "start"
    return f"start {'+' if offset > 0 else '-'} {duration(abs(offset))}"


def set_time(place: str, ms: int) -> None:
    os.utime(place, ns=(ms * 1_000_000, ms * 1_000_000))


def resolve(value: Any, start: int) -> Any:
    # {"$ms": n} in an action stands for the instant n ms after the start.
    if isinstance(value, dict):
        if value.keys() == {"$ms"}:
            return start + value["$ms"]
        return {key: resolve(part, start) for key, part in value.items()}
    return [resolve(part, start) for part in value] if isinstance(value, list) else value


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


def answer(ask: Callable[[], Any]) -> Answer:
    try:
        return [plain(list(row)) for row in ask().collect()], None
    except engine_errors() as problem:  # A refusal is something to judge, not the script's end.
        return None, described(problem)


def read_table(spark: Any, root: str, version: int | None) -> Any:
    reader = spark.read.format("delta")
    return (reader if version is None else reader.option("versionAsOf", version)).load(root)


def schema_of(log: dict[int, list[Action]]) -> tuple[list[Action], list[str]]:
    metadata = [action for _, commit in sorted(log.items()) for action in actions_of(commit, "metaData")][-1]
    return json.loads(metadata["schemaString"])["fields"], metadata["partitionColumns"]


def live_in(log: dict[int, list[Action]]) -> dict[str, Action]:
    live: dict[str, Action] = {}
    for _, commit in sorted(log.items()):
        # Removes first: a new deletion vector is a remove and an add of one path in one commit.
        for remove in actions_of(commit, "remove"):
            live.pop(file_of(remove), None)
        for add in actions_of(commit, "add"):
            live[file_of(add)] = add
    return live


def read_file(spark: Any, root: str, add: Action, schema: list[Action]) -> list[Row]:
    path = file_of(add)
    try:
        table = spark.read.parquet(os.path.join(root, path))
        columns, stored_rows = table.columns, table.collect()
    except engine_errors() as problem:
        raise Unreadable(f"{path} cannot be read: {named(described(problem))}") from problem
    rows = []
    for row in stored_rows:
        stored = dict(zip(columns, row))
        values: Row = []
        for field in schema:
            name = field.get("metadata", {}).get("delta.columnMapping.physicalName", field["name"])
            if name in add["partitionValues"]:
                values.append(partition_value(add["partitionValues"][name], field["type"]))
            else:
                values.append(plain(stored.get(name)))
        rows.append(values)
    return rows


def duration(ms: int) -> str:
    """A duration of ``ms`` >= 0 milliseconds: ``7 d``, ``1 h 30 min``, ``0.001 s``, ``0 s``. Exact to the ms."""
    seconds, thousandths = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [f"{count} {unit}" for count, unit in ((days, "d"), (hours, "h"), (minutes, "min")) if count]
    if thousandths:
        parts.append(f"{seconds}.{thousandths:03d} s")
    elif seconds or not parts:
        parts.append(f"{seconds} s")
    return " ".join(parts)


def plain(value: Any) -> Any:
    if isinstance(value, date):
        return {"date": value.isoformat()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if isinstance(value, (type(None), bool, int, float, str)) else str(value)


def engine_errors() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError


def described(problem: Exception) -> Action:
    condition = None
    for source in (problem, getattr(problem, "java_exception", None)):
        for name in ("getCondition", "getErrorClass"):
            ask = getattr(source, name, None)
            if condition is None and source is not None and callable(ask):
                condition = ask()
    return {"exception": type(problem).__name__, "condition": condition, "message": str(problem)}


def partition_value(text: str | None, kind: str) -> Any:
    # PROTOCOL.md, "Partition Value Serialization": an empty string stands for NULL, whatever the type.
    if text is None or text == "":
        return None
    if kind in ("byte", "short", "integer", "long"):
        return int(text)
    if kind == "boolean":
        return text == "true"
    return {"date": text} if kind == "date" else text


# ---- The bytes of the files ----------------------------------------------------------------------


CONTENTS = {
    'country=ü/q=__HIVE_DEFAULT_PARTITION__/p=0/part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet': (
        "UEFSMRUEFQgVDEwVAhUAEgAABAwDAAAAFQAVEhUWLBUCFRAVBhUGHBgEAwAAABgEAwAAABYAKAQDAAAAGAQDAAAAEREAAAAJIAIA"
        "AAACAQECABUEGSw1ABgGc2NoZW1hFQIAFQIlAhgEbmFtZQAWAhkcGRwmABwVAhk1AAYQGRgEbmFtZRUCFgIWlAEWnAEmMCYIHBgE"
        "AwAAABgEAwAAABYAKAQDAAAAGAQDAAAAEREAGSwVBBUAFQIAFQAVEBUCADwpBhkmAAIAAAAWlAEWAiYIFpwBACggcGFycXVldC1j"
        "cHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZHBwAAACsAAAAUEFSMQ=="
    ),
}


if __name__ == "__main__":
    sys.exit(main(PLAN, CONTENTS, removes_name_all_partitions))
