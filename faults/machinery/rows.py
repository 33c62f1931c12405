"""Edits of the rows in data files and change files that a step wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deltalog.storage.parquet import read_parquet
from faults.machinery import actions
from faults.machinery.disk import drop_checksum
from faults.machinery.members import JsonAction
from faults.machinery.tampering import Tampering


def read_rows(path: Path) -> pa.Table:
    """The rows of a Parquet file. Views of strings and bytes, as delta-rs writes them, are cast to be filtered."""
    table = read_parquet(path)
    return table.cast(pa.schema([field.with_type(_without_views(field.type)) for field in table.schema]))


def _without_views(kind: pa.DataType) -> pa.DataType:
    if kind in (pa.string_view(), pa.binary_view()):
        return pa.string() if kind == pa.string_view() else pa.binary()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_without_views(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(_without_views(kind.key_type), _without_views(kind.item_type))
    return pa.list_(_without_views(kind.value_type)) if pa.types.is_list(kind) else kind


def write_rows(path: Path, table: pa.Table) -> None:
    """Replace the rows of a Parquet file."""
    drop_checksum(path)
    pq.write_table(table, path)


def rows_of(t: Tampering, add: JsonAction) -> pa.Table:
    """The rows of a data file after the step."""
    return read_rows(t.root / t.log.path(add))


def rows_before(t: Tampering, path: str) -> pa.Table:
    return read_rows(t.before / path)


def replace_rows(t: Tampering, add: JsonAction, table: pa.Table) -> None:
    """Write other rows to a data file. Its add gets the new size and row count."""
    path = t.root / t.log.path(add)
    write_rows(path, table)
    add.update(size=path.stat().st_size, modificationTime=path.stat().st_mtime_ns // 1_000_000)
    add["stats"] = json.dumps({"numRecords": table.num_rows})
    t.log.save()


def change_rows(change: Callable[[pa.Table], pa.Table]) -> Callable[[Tampering], None]:
    """Change the rows of the first new data file that has any."""

    def tamper(t: Tampering) -> None:
        for add in actions.new_adds(t):
            rows = rows_of(t, add)
            if rows.num_rows:
                replace_rows(t, add, change(rows))
                return

    return tamper


def _without_required(type: pa.DataType) -> pa.DataType:
    """The type with fields that may all be NULL: Arrow writes no NULL struct with a required one."""
    if not pa.types.is_struct(type):
        return type
    fields = (type.field(place) for place in range(type.num_fields))
    return pa.struct([pa.field(one.name, _without_required(one.type), metadata=one.metadata) for one in fields])


def lose_values(columns: Callable[[Tampering], list[str]]) -> Callable[[Tampering], None]:
    """Make the first of these columns (by physical names) NULL that has values in a new data file."""

    def tamper(t: Tampering) -> None:
        names = columns(t)
        for add in actions.new_adds(t):
            rows = rows_of(t, add)
            for index, field in enumerate(rows.schema):
                if field.name in names and rows.column(index).null_count < rows.num_rows:
                    free = pa.field(field.name, _without_required(field.type), metadata=field.metadata)
                    replace_rows(t, add, rows.set_column(index, free, pa.nulls(rows.num_rows, free.type)))
                    return

    return tamper


def change_feed(change: Callable[[pa.Table], pa.Table]) -> Callable[[Tampering], None]:
    """Change the rows of the first change file."""

    def tamper(t: Tampering) -> None:
        for cdc in t.log.actions("cdc")[:1]:
            path = t.root / t.log.path(cdc)
            write_rows(path, change(read_rows(path)))
            cdc["size"] = path.stat().st_size
            t.log.save()

    return tamper
