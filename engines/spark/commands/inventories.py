"""Inventories: listings of a table's directory, as a table or query for VACUUM ... USING INVENTORY."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from engines.spark.commands.statements import INVENTORY_COLUMNS, INVENTORY_VIEW
from engines.spark.sessions.clocks import forget
from engines.spark.sessions.session import has_jvm
from engines.targets import table_text
from model.text.literals import literal
from model.vocabulary.steps import Inventory, Mode
from model.vocabulary.values import Type


@dataclass(frozen=True)
class Listed:
    """A file or a directory: its path relative to the root, length in bytes (a directory's is 0), mtime in ms."""

    path: str
    length: int
    is_directory: bool
    modified: int


def listed(root: Path, *, files_only: bool, unit: int = 1) -> list[Listed]:
    """Everything below ``root``, hidden or not, in the order of paths. Times are in whole ``unit`` ms, rounded down.

    As in Hadoop a link is listed as its target. Broken links are left out, and links to a directory above are not
    followed.
    """
    found = _walk(root, "", files_only, (os.path.realpath(root),))
    rounded = (replace(one, modified=one.modified // unit * unit) for one in found)
    return sorted(rounded, key=lambda one: one.path)


def _walk(root: Path, directory: str, files_only: bool, above: tuple[str, ...]) -> Iterator[Listed]:
    for name in os.listdir(root / directory):
        path = f"{directory}/{name}" if directory else name
        try:
            state = os.stat(root / path)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ELOOP):
                continue
            raise
        modified = state.st_mtime_ns // 1_000_000
        if not stat.S_ISDIR(state.st_mode):
            yield Listed(path, state.st_size, False, modified)
            continue
        if not files_only:
            yield Listed(path, 0, True, modified)
        real = os.path.realpath(root / path)
        if real not in above:
            yield from _walk(root, path, files_only, (*above, real))


@contextmanager
def inventory(spark: SparkSession, root: Path, mode: Mode, kind: Inventory) -> Iterator[str | None]:
    """The inventory of ``root`` as it is now, in SQL; ``None`` for a mode without one.

    A query reads a temporary view; a table is a Delta table beside the root. Both are removed afterwards.
    """
    if not mode.inventory:
        yield None
        return
    base = _qualified(spark, root)
    unit = 1 if base.startswith("file:") else 1000  # as the storage tells the times
    with _view(spark, base, listed(root, files_only=kind is Inventory.FILES, unit=unit)) as view:
        if mode is Mode.INVENTORY_QUERY:
            yield f"(SELECT * FROM {view})"
            return
        with _table(spark, root, view) as table:
            yield table


def _qualified(spark: SparkSession, root: Path) -> str:
    """The path with the scheme of its file system, as Delta requires it: not url-encoded."""
    if not has_jvm(spark):
        return f"file:{root}"
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(str(root))
    files: Any = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    return str(files.makeQualified(path))


@contextmanager
def _view(spark: SparkSession, base: str, entries: list[Listed]) -> Iterator[str]:
    names = ", ".join(name for name, _ in INVENTORY_COLUMNS)
    # Delta requires nullable columns, and those of VALUES are not; nullif(x, NULL) is x, but nullable.
    columns = ", ".join(f"nullif(CAST({name} AS {type}), NULL) AS {name}" for name, type in INVENTORY_COLUMNS)
    rows = ", ".join(
        f"({literal(f'{base}/{entry.path}', Type.STRING)}, {entry.length}, {entry.is_directory}, {entry.modified})"
        for entry in entries
    )
    assert entries, "a table has at least a log"
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {INVENTORY_VIEW} AS SELECT {columns} FROM VALUES {rows} AS t({names})")
    try:
        yield INVENTORY_VIEW
    finally:
        spark.catalog.dropTempView(INVENTORY_VIEW)


@contextmanager
def _table(spark: SparkSession, root: Path, view: str) -> Iterator[str]:
    place = root.with_name(f"{root.name}-inventory")  # names no table: the suite's tables have no such names
    try:
        spark.table(view).coalesce(1).write.format("delta").save(str(place))
        yield table_text(place)
    finally:
        if has_jvm(spark):
            forget(spark, place)
        if place.exists():
            shutil.rmtree(place)
