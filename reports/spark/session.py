"""The engine of a reproduction script: its session, its clock, its answers.

``reports.reproduction`` copies what a script needs of this module into it, so it uses pyspark and the standard library only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reports.instants import now
from reports.laws.evidence import Action, Answer, Row
from reports.values import plain

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


def start_engine(plan: dict[str, Any], home: str) -> Any:
    from pyspark.sql import SparkSession

    logging = Path(home, "log4j2.properties")
    logging.write_text(LOGGING, encoding="utf-8")
    settings = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={logging.resolve().as_uri()}",
        "spark.ui.showConsoleProgress": "false",
        "spark.jars.packages": plan["packages"],
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": os.path.join(home, "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
        "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
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


def stop_engine(spark: Any) -> None:
    spark.stop()


def versions_of(spark: Any) -> list[str]:
    return [f"Delta {spark._jvm.io.delta.package.VERSION()}", f"Spark {spark.version}"]


def first_instant(spark: Any) -> int:
    """The instant from which all others of the plan count, while the table is made."""
    return now()


def grow_older(spark: Any, root: str, clock: int) -> int:
    """By how many ms the table was made older, so that it is the instant ``clock`` now: the clock is set instead."""
    return 0


def delta_log(spark: Any, root: str, clock: int) -> Any:
    # Delta keeps one DeltaLog for a path, with the clock that it was made with. SQL commands then use that one.
    forget_log(spark, root)
    jvm, session = spark._jvm, spark._jsparkSession
    manual = jvm.org.apache.spark.util.ManualClock(clock)
    return jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session, jvm.org.apache.hadoop.fs.Path(root), manual)


def forget_log(spark: Any, root: str) -> None:
    jvm = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(root)
    jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache(spark._jsparkSession, path)


@contextmanager
def settings(spark: Any, values: Mapping[str, str | None]) -> Iterator[None]:
    """Put these settings of the session (None: not set at all) for a while."""
    before = {key: spark.conf.get(key, None) for key in values}
    try:
        for key, value in values.items():
            put_setting(spark, key, value)
        yield
    finally:
        for key, value in before.items():
            put_setting(spark, key, value)


def put_setting(spark: Any, key: str, value: str | None) -> None:
    if value is None:
        spark.conf.unset(key)
    else:
        spark.conf.set(key, value)


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


def described(problem: Exception) -> Action:
    from pyspark.errors.exceptions.captured import CapturedException

    # An exception of Java's that PySpark has no class for may have an error class all the same, it or its cause.
    java, condition = getattr(problem, "java_exception", None), condition_of(problem)
    while java is not None and condition is None:
        condition, java = condition_of(CapturedException(origin=java)), java.getCause()
    return {"exception": type(problem).__name__, "condition": condition, "message": str(problem)}


def condition_of(problem: Any) -> Any:
    ask = getattr(problem, "getCondition", None) or getattr(problem, "getErrorClass", None)
    return None if ask is None else ask()


def write_checkpoint(spark: Any, root: str, parts: int) -> None:
    # A clock at 1970, so that no tombstone is old enough to be left out.
    log = delta_log(spark, root, 0)
    size = None
    if parts > 1:
        # Delta is told how many files go into a part. So a checkpoint of few files may have fewer parts.
        snapshot = log.unsafeVolatileSnapshot()
        size = str(-(-(snapshot.numOfFiles() + snapshot.numOfRemoves()) // parts) or 1)
    with settings(spark, {"spark.databricks.delta.checkpoint.partSize": size}):
        log.checkpoint()
