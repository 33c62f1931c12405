"""Edits of the rows in data files and change files that a step wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from selfcheck.faults import actions
from selfcheck.faults.logs import Action, read_parquet
from selfcheck.faults.tampering import Tampering


def rows_of(t: Tampering, add: Action) -> pa.Table:
    """The rows of a data file after the step."""
    return read_parquet(t.root / t.log.path(add))


def rows_before(t: Tampering, path: str) -> pa.Table:
    return read_parquet(t.before / path)


def replace_rows(t: Tampering, add: Action, table: pa.Table) -> None:
    """Write other rows to a data file. Its add gets the new size and row count."""
    path = t.root / t.log.path(add)
    _overwrite(path, table)
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


def lose_values(columns: Callable[[Tampering], list[str]]) -> Callable[[Tampering], None]:
    """Make the first of these columns (by physical names) NULL that has values in a new data file."""

    def tamper(t: Tampering) -> None:
        names = columns(t)
        for add in actions.new_adds(t):
            rows = rows_of(t, add)
            for index, field in enumerate(rows.schema):
                if field.name in names and rows.column(index).null_count < rows.num_rows:
                    nulls = pa.nulls(rows.num_rows, field.type)
                    replace_rows(t, add, rows.set_column(index, field.with_nullable(True), nulls))
                    return

    return tamper


def change_feed(change: Callable[[pa.Table], pa.Table]) -> Callable[[Tampering], None]:
    """Change the rows of the first change file."""

    def tamper(t: Tampering) -> None:
        for cdc in t.log.actions("cdc")[:1]:
            path = t.root / t.log.path(cdc)
            _overwrite(path, change(read_parquet(path)))
            cdc["size"] = path.stat().st_size
            t.log.save()

    return tamper


def _overwrite(path: Path, table: pa.Table) -> None:
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    pq.write_table(table, path)
