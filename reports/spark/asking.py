"""How a reproduction script asks Spark for a step.

``reports.reproduction`` copies what a script needs of this module into it, so it uses pyspark and the standard library only.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from reports.laws.evidence import CannotJudge, IOFault
from reports.spark.session import delta_log, forget_log, settings


def command(op: dict[str, Any], spark: Any, root: str) -> tuple[str, Callable[[], Any]]:
    """A DELETE or a VACUUM, in words, and the asking for it, whose answer is a DataFrame or None."""
    for path in op.get("directories", []):
        os.makedirs(os.path.join(root, path.replace("{table}", root)))
    for statement in op.get("setup", []):
        spark.sql(statement.replace("{table}", root))
    if op["do"] == "vacuum" and "sql" not in op:
        hours = op.get("hours")
        return f"{op['form']}(t).vacuum({'' if hours is None else hours})", vacuum_by(op["form"], hours, spark, root)
    if "form" in op:
        condition = "" if op.get("where") is None else f" WHERE {op['where']}"
        return f"DELETE FROM t{condition} by {op['form']}", delete_by(op["form"], op.get("where"), spark, root)
    text = op["sql"].replace("{table}", root)
    if "{name}" in text:
        text = text.replace("{name}", external_name(spark, root))
    if "{managed}" in text:
        text = text.replace("{managed}", managed_name(spark, root))
    shown = op["sql"].replace("delta.`{table}`", "t").replace("{name}", "t").replace("{managed}", "t")
    return shown.replace("{table}", "t"), lambda: spark.sql(text)


@contextmanager
def step_of(op: dict[str, Any], spark: Any, root: str, clock: int, io_fault: IOFault | None) -> Iterator[None]:
    """For the time of one step: its inventory, its settings, its trouble, and the engine's clock at this instant."""
    faulty_path = io_fault(op, spark, root) if io_fault else nullcontext()
    with inventory(op.get("inventory"), spark, root), settings(spark, op.get("conf", {})), faulty_path:
        delta_log(spark, root, clock)
        yield


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


def vacuum_by(form: str, hours: float | None, spark: Any, root: str) -> Callable[[], Any]:
    """The asking for a VACUUM through the DeltaTable class. Makes the table's name, where it needs one."""
    from delta.tables import DeltaTable

    if form == "DeltaTable.forPath":
        return lambda: DeltaTable.forPath(spark, root).vacuum(hours)
    if form == "DeltaTable.forName":
        name = external_name(spark, root)
        return lambda: DeltaTable.forName(spark, name).vacuum(hours)
    raise CannotJudge(f"{form} is no form of a VACUUM that this script knows.")


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


@contextmanager
def inventory(kind: str | None, spark: Any, root: str) -> Iterator[None]:
    """What lies below the root now, as a view and as a Delta table beside the root, for as long as a step takes."""
    if kind is None:
        yield
        return
    names = "path STRING, length BIGINT, isDir BOOLEAN, modificationTime BIGINT"
    rows = [row for row in inventoried(root, "", (os.path.realpath(root),)) if not (row[2] and kind == "files only")]
    table = spark.createDataFrame(rows, names)
    place = f"{root}-inventory"
    table.createOrReplaceTempView("tombstone_inventory")
    table.coalesce(1).write.format("delta").save(place)
    try:
        yield
    finally:
        spark.catalog.dropTempView("tombstone_inventory")
        forget_log(spark, place)
        shutil.rmtree(place)


def inventoried(root: str, directory: str, above: tuple[str, ...]) -> Iterator[tuple[str, int, bool, int]]:
    """Files and directories as Hadoop lists them: a link is what it leads to, and nothing where that is nothing."""
    for name in sorted(os.listdir(os.path.join(root, directory))):
        path = os.path.join(directory, name)
        place = os.path.join(root, path)
        if not os.path.exists(place):
            continue
        state, is_directory = os.stat(place), os.path.isdir(place)
        yield f"file:{place}", 0 if is_directory else state.st_size, is_directory, state.st_mtime_ns // 1_000_000
        # A link to a directory above has no end.
        if is_directory and os.path.realpath(place) not in above:
            yield from inventoried(root, path, (*above, os.path.realpath(place)))
