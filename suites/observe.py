"""Looks at a table on storage: with our own listing, our own log reader and pyarrow, never through the engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from deltalog.actions import Add, Cdc, Remove
from deltalog.errors import DeltaLogError
from deltalog.listing import Entry, list_tree
from deltalog.log import Log, read_log
from deltalog.parquet import read_data_file, read_parquet
from deltalog.rows import read_change_file, read_stored_rows, row_ids
from deltalog.schemas import FIELD_ID
from deltalog.snapshot import Snapshot
from deltalog.vectors import read_vector
from model.table import Feature, Table
from model.vacuum import LOG_DIRECTORY
from model.values import Row, canonical
from suites.observation import RowId, TableState

#: What a file can be that is not as its action says: gone, cut off, of other types.
_UNREADABLE = (OSError, ValueError, TypeError, KeyError, ArithmeticError, pa.ArrowException, DeltaLogError)


class Observer:
    """Observes one table of one case. Remembers what it has read of a file, by its bytes."""

    def __init__(self, table: Table, root: Path) -> None:
        self._table = table
        self._root = root
        self._types = [column.type for column in table.columns]
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
            return TableState(
                listing, previous.log, previous.snapshot, previous.contents, {}, {}, {}, {}, {}, broken=str(broken)
            )
        adds = {add.file: add for commit in log.commits.values() for add in commit.adds}
        adds.update({add.file: add for add in snapshot.adds.values()})
        contents = {path: self._rows(add, snapshot, listing.get(path)) for path, add in adds.items()}
        known = set(adds) | (set(previous.listing) - set(previous.unreferenced) if previous else set(listing))
        changes = self._changes(log, snapshot)
        written = [path for path in _data(listing) if path.endswith(".parquet") and path not in known | set(changes)]
        unreferenced = {path: _row_count(self._root / path) for path in written}
        return TableState(
            listing,
            log,
            snapshot,
            contents,
            unreferenced,
            self._vectors(log, snapshot),
            self._ids(snapshot),
            changes,
            self._columns(snapshot),
        )

    def _rows(self, add: Add, snapshot: Snapshot, entry: Entry | None) -> tuple[Row, ...] | None:
        if entry is None:
            return None
        key = (add.file, entry.digest)
        if key not in self._read:
            self._read[key] = self._read_rows(add, snapshot)
        return self._read[key]

    def _read_rows(self, add: Add, snapshot: Snapshot) -> tuple[Row, ...] | None:
        """All stored rows; ``None`` where what the engine left cannot be read as a file of this table."""
        try:
            return tuple(self._row(row) for row in read_stored_rows(self._root, add, snapshot.metadata))
        except _UNREADABLE:
            return None

    def _row(self, values: tuple[object, ...]) -> Row:
        return tuple(canonical(value, type) for value, type in zip(values, self._types))

    def _vectors(self, log: Log, snapshot: Snapshot) -> dict[str, frozenset[int] | str]:
        """What the deletion vectors of all actions hide."""
        actions: list[Add | Remove] = [*snapshot.adds.values(), *snapshot.removes.values()]
        actions += [
            action for commit in log.commits.values() for action in commit.actions if isinstance(action, (Add, Remove))
        ]
        found: dict[str, frozenset[int] | str] = {}
        for vector in (action.deletion_vector for action in actions):
            if vector is not None and vector.unique_id not in found:
                try:
                    found[vector.unique_id] = frozenset(read_vector(self._root, vector))
                except _UNREADABLE as wrong:
                    found[vector.unique_id] = str(wrong)
        return found

    def _ids(self, snapshot: Snapshot) -> dict[str, tuple[RowId, ...]]:
        if not self._table.has(Feature.ROW_TRACKING):
            return {}
        found: dict[str, tuple[RowId, ...]] = {}
        for add in snapshot.adds.values():
            try:
                found[add.file] = tuple(row_ids(self._root, add, snapshot.metadata))
            except _UNREADABLE:
                found[add.file] = ()
        return found

    def _columns(self, snapshot: Snapshot) -> dict[str, dict[str, int | None]]:
        if not self._table.maps_columns:
            return {}
        found: dict[str, dict[str, int | None]] = {}
        for add in snapshot.adds.values():
            try:
                schema = read_parquet(self._root / add.file).schema
            except _UNREADABLE:
                continue
            ids = {field.name: (field.metadata or {}).get(FIELD_ID) for field in schema}
            found[add.file] = {name: None if id is None else int(id) for name, id in ids.items()}
        return found

    def _changes(self, log: Log, snapshot: Snapshot) -> dict[str, tuple[tuple[Row, str], ...] | None]:
        found: dict[str, tuple[tuple[Row, str], ...] | None] = {}
        for commit in log.commits.values():
            for cdc in (action for action in commit.actions if isinstance(action, Cdc)):
                try:
                    rows = read_change_file(self._root, cdc, snapshot.metadata)
                    found[cdc.file] = tuple((self._row(row), str(change)) for row, change in rows)
                except _UNREADABLE:
                    found[cdc.file] = None
        return found


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
