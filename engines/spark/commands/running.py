"""Runs calls in a session. Nothing that they need outlasts the command, also after an error."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from engines.object_store import ObjectStore
from engines.spark import script_functions
from engines.spark.commands.calls import Calls, Do, Faulty, Let, Named, NoTable, Place, evaluated
from engines.spark.commands.catalog import free_name, named
from engines.spark.commands.result_rows import ReturnedRows, answered, columns_of, rows_of
from engines.spark.sessions.session import has_jvm
from engines.spark.storage.file_system import faulty_path
from engines.targets import table_text, target_path
from model.text.invalid_sql import UNKNOWN_PARTITION
from model.text.layout import escape


def place_of(spark: SparkSession, root: Path, path: str, *, store: ObjectStore | None, version: int | None) -> Place:
    """The table at ``root``, which a step names by ``path``. No table of the suite has one of the names beside it."""
    name = free_name()
    return Place(
        str(root),
        path,
        name=name,
        managed=name,
        inventory=f"{root}-inventory",
        columns=partial(columns_of, spark, root),
        partition=partial(_partition, spark, root),
        partition_by=partial(_partition_by, spark, root),
        storage=() if store is None else (f"{store.scheme}://{store.bucket}", 1000),
        version=version,
    )


def run(
    calls: Calls,
    spark: SparkSession,
    root: Path,
    *,
    clock: int,
    opened: Mapping[str, Any],
    count: AbstractContextManager[None],
) -> tuple[ReturnedRows, Mapping[str, Any]]:
    """What a command returns, and the variables that it has set. ``opened``: those that an earlier step has set.

    ``count`` is entered for the command itself.
    """
    names = {**vars(script_functions), "remove": _remove, "spark": spark, "instant": clock}
    names.update(opened)
    set_here: dict[str, Any] = {}
    with ExitStack() as stack:
        for one in calls.needed:
            if isinstance(one, Let):
                names[one.name.word] = set_here[one.name.word] = evaluated(one.value, names)
            elif isinstance(one, Do):
                if one.undo is not None:
                    stack.callback(evaluated, one.undo, names)
                evaluated(one.call, names)
            elif isinstance(one, Named):
                stack.enter_context(named(spark, root, one.name, managed=one.managed))
            elif isinstance(one, NoTable):
                stack.enter_context(target_path(root, one.mistake))
            elif isinstance(one, Faulty):
                stack.enter_context(faulty_path(spark, root / one.path, one.fault))
        if calls.cached is not None:
            kept = evaluated(calls.cached, names).cache()
            stack.callback(kept.unpersist, blocking=True)
            kept.count()  # fills the cache
            read = evaluated(calls.cached, names)
            assert read.storageLevel.useMemory, "the session does not read the table through its cache"
        with count:
            found = evaluated(calls.command, names)
            rows = answered(found) if calls.returns_rows else ()
        if calls.cached is None:
            return ReturnedRows(rows), set_here
        return ReturnedRows(
            rows, rows_of(evaluated(calls.cached, names))
        ), set_here  # a query that has run keeps its plan


def _remove(spark: SparkSession, path: str) -> None:
    """Removes a table that is no case's."""
    if has_jvm(spark):
        script_functions.forget(spark, path)
    if os.path.exists(path):
        shutil.rmtree(path)


def _partition_by(spark: SparkSession, root: Path) -> list[str]:
    found = spark.sql(f"DESCRIBE DETAIL {table_text(str(root))}").collect()[0]
    return list(found["partitionColumns"])


def _partition(spark: SparkSession, root: Path) -> str:
    """The directory of a live file's partition, by its first column, as Delta parses a path below a table's root.

    It has the column's logical name, whatever the directory is called. Delta does not accept the path of a NULL
    partition; if there is no other, the result is a partition that does not exist.
    """
    snapshot = script_functions.delta_log(spark, str(root)).unsafeVolatileSnapshot()
    metadata = snapshot.metadata()
    if metadata.partitionColumns().isEmpty():
        return UNKNOWN_PARTITION
    physical = metadata.physicalPartitionColumns().head()
    values = [file.partitionValues().apply(physical) for file in snapshot.allFiles().collect()]
    present = sorted(value for value in values if value)
    return f"{escape(metadata.partitionColumns().head())}={escape(present[0])}" if present else UNKNOWN_PARTITION
