"""Looks at a table on storage: with our own listing, our own log reader and pyarrow, never through the engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from deltalog.actions import Add
from deltalog.errors import DeltaLogError
from deltalog.listing import Entry, list_tree
from deltalog.log import read_log
from deltalog.parquet import read_data_file
from model.layout import partition_value
from model.table import Table
from model.vacuum import LOG_DIRECTORY
from model.values import Row, Value
from suites.observation import TableState


class Observer:
    """Observes one table of one case. Remembers the rows of files that it has read, by their bytes."""

    def __init__(self, table: Table, root: Path) -> None:
        self._table = table
        self._root = root
        self._read: dict[tuple[str, str | None], tuple[Row, ...] | None] = {}

    def observe(self, previous: TableState | None = None) -> TableState:
        """The table as it is now. Where its log cannot be replayed, the state says why and has the log of ``previous``."""
        try:
            listing = list_tree(self._root)
            log = read_log(self._root)
            snapshot = log.snapshot()
        except (DeltaLogError, FileNotFoundError) as broken:
            if previous is None:
                raise
            listing = list_tree(self._root) if self._root.is_dir() else {}
            return TableState(listing, previous.log, previous.snapshot, previous.contents, {}, broken=str(broken))
        adds = {add.file: add for commit in log.commits.values() for add in commit.adds}
        adds.update({add.file: add for add in snapshot.adds.values()})
        contents = {path: self._rows(add, listing.get(path)) for path, add in adds.items()}
        known = set(adds) | (set(previous.listing) - set(previous.unreferenced) if previous else set(listing))
        written = [path for path in _data(listing) if path.endswith(".parquet") and path not in known]
        unreferenced = {path: _row_count(self._root / path) for path in written}
        return TableState(listing, log, snapshot, contents, unreferenced)

    def _rows(self, add: Add, entry: Entry | None) -> tuple[Row, ...] | None:
        if entry is None:
            return None
        key = (add.file, entry.digest)
        if key not in self._read:
            self._read[key] = self._read_rows(add)
        return self._read[key]

    def _read_rows(self, add: Add) -> tuple[Row, ...] | None:
        """The rows; ``None`` where what the engine left cannot be read as a file of this table."""
        names = [column.name for column in self._table.columns]
        try:
            fixed = self._partition(add)
            rows = read_data_file(self._root / add.file, names)
        except (OSError, ValueError, pa.ArrowException):
            return None
        return tuple(
            tuple(fixed[name] if name in fixed else _value(value) for name, value in zip(names, row)) for row in rows
        )

    def _partition(self, add: Add) -> dict[str, Value]:
        """The values of the partition columns. Raises ValueError for a text that is no value of its column's type."""
        return {
            column.name: partition_value(add.partition_values.get(column.name), column.type)
            for column in self._table.partition_columns
        }


def _data(listing: Mapping[str, Entry]) -> list[str]:
    """The files outside the log, in the listing's order."""
    return [
        path for path, entry in listing.items() if entry.kind == "file" and not path.startswith(f"{LOG_DIRECTORY}/")
    ]


def _row_count(path: Path) -> int | None:
    try:
        return len(read_data_file(path, ()))
    except (OSError, ValueError, pa.ArrowException):
        return None


def _value(value: object) -> Value:
    """What pyarrow gives for the types of the vocabulary is what the vocabulary has."""
    return value  # type: ignore[return-value]
