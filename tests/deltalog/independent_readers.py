"""Readers of Delta tables that share no code with Spark or with deltalog: the package deltalake, and DuckDB's extension."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder

from deltalog.storage.paths import is_absolute
from model.vocabulary.table import Table
from model.vocabulary.values import Row, canonical
from reference_engine.view import View

Rows = Counter[Row]


def deltalake_rows(root: Path, view: View) -> Rows:
    """The rows as delta-rs reads them; its query engine supports deletion vectors and column mapping."""
    batches = QueryBuilder().register("t", DeltaTable(root)).execute("SELECT * FROM t")
    return _rows(pa.table(batches), view.table)


def duckdb_rows(root: Path, view: View) -> Rows:
    """The rows as DuckDB's delta extension reads them."""
    return _rows(_duckdb().execute("SELECT * FROM delta_scan(?)", [str(root)]).fetch_arrow_table(), view.table)


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    """Of the session: loading the extension takes longer than a read. It keeps no file, as others come in its place."""
    connection = duckdb.connect()
    connection.execute(f"LOAD '{extension()}'")
    connection.execute("SET TimeZone = 'UTC'; SET enable_external_file_cache = false")
    return connection


def extension() -> Path:
    """DuckDB's extension, from the package duckdb-ext-delta: offline DuckDB cannot fetch it."""
    found = importlib.util.find_spec("duckdb_ext")
    assert found is not None and found.submodule_search_locations is not None, "duckdb-ext-delta is not installed"
    (place,) = Path(found.submodule_search_locations[0]).rglob("delta.duckdb_extension")
    return place


def _rows(table: pa.Table, of: Table) -> Rows:
    columns = [table.column(column.name).to_pylist() for column in of.columns]
    types = [column.type for column in of.columns]
    return Counter(tuple(canonical(value, type) for value, type in zip(row, types)) for row in zip(*columns))


READERS: dict[str, Callable[[Path, View], Rows]] = {"deltalake": deltalake_rows, "duckdb": duckdb_rows}


def unsupported(reader: str, table: Table, paths: Iterable[str] = (), features: Iterable[str] = ()) -> str | None:
    """The feature that a reader is known not to support, or to read wrongly.

    ``paths`` are the decoded paths of the live files, ``features`` the reader features of the protocol.
    """
    if reader == "deltalake" and "vacuumProtocolCheck" in features:
        return "vacuumProtocolCheck: delta-rs refuses it, though it asks nothing of readers"
    if reader == "deltalake" and "typeWidening" in features:
        return "typeWidening: delta-rs refuses it"
    if reader == "duckdb" and any(is_absolute(path) for path in paths):
        return "files named by their URI: DuckDB looks for them below the root"
    first = table.columns[: len(table.partition_by)] == table.partition_columns
    if reader == "duckdb" and table.maps_columns and not first:
        return "column mapping with a partition column behind a data column: DuckDB confuses the two"
    return None


def differing(root: Path) -> list[str]:
    """How the rows of each reader differ from those of deltalog; tables that a reader does not support are skipped."""
    view = View(root)
    expected = Counter(row for add in view.live.values() for row in view.visible(add))
    found = []
    for name, read in READERS.items():
        paths = [add.file for add in view.live.values()]
        if unsupported(name, view.table, paths, view.snapshot.protocol.reader_features or ()) is None:
            read_rows = read(root, view)
            if read_rows != expected:
                missing, more = list((expected - read_rows).elements())[:3], list((read_rows - expected).elements())[:3]
                found.append(f"{name} misses {missing}, and has {more} more than deltalog")
    return found
