"""Observes a table on storage with the project's listing, its log reader and pyarrow, never through the engine."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

import pyarrow as pa

from deltalog.data.deletion_vectors import read_vector
from deltalog.data.rows import metadata_to_read_by, read_change_file, read_stored_rows, row_ids
from deltalog.entries.actions import Add, Cdc, Remove
from deltalog.errors import DeltaLogError, MalformedAction
from deltalog.log import Log, read_log
from deltalog.snapshot import Snapshot
from deltalog.storage.listing import Entry, list_beside, list_tree
from deltalog.storage.names import LAST_CHECKPOINT, LAST_VACUUM_INFO, LogFileKind, parse_name
from deltalog.storage.parquet import read_parquet
from deltalog.values.schemas import FIELD_ID, parse_schema
from engines.machine import raise_if_of_the_machine
from harness.observing.table.definitions import has_columns, with_stored_names
from harness.observing.table.not_read import UnreadByKey
from harness.observing.table.root_paths import named_by_uri, relative_log, relative_snapshot
from harness.observing.table.table_state import CloneState, RowId, Rows, TableState
from harness.observing.table.vacuum_inputs import files_of, vector_path
from model.prediction.paths import LOG_DIRECTORY
from model.text.layout import clone_of, file_path
from model.vocabulary.table import Damage, Feature, Table
from model.vocabulary.values import AnyType, Row, canonical

#: The errors of reading a file that does not match its action: missing, truncated, with other types.
_UNREADABLE = (OSError, ValueError, TypeError, KeyError, ArithmeticError, pa.ArrowException, DeltaLogError)

T = TypeVar("T")


class Observer:
    """Observes the table of a case. Caches what it has read of a file by path, digest and schema.

    ``table`` is the table's definition as it was last observed. ``unit`` is that of the storage's times, in ms.
    """

    _digested = ""  # so begin the paths of the files that are read for their digests
    _needs_schema = True  # from the beginning

    def __init__(self, table: Table, root: Path, *, unit: int = 1) -> None:
        self.table = table
        self._root = root
        self._unit = unit
        self._types = [column.type for column in table.columns]
        self._clone_types: list[AnyType] | None = None  # those that the table had when its clone was made
        # Nobody can read these files whole: their rows are those of the case.
        self._unreadable = {
            file_path(table, file): tuple(self._row(table.row(file.partition, row)) for row in file.rows)
            for file in table.damaged_files
        }
        self._missing = frozenset(
            file_path(table, file) for file in table.damaged_files if file.damage is Damage.MISSING
        )
        self._known: dict[Hashable, object] = {}
        self._things: Mapping[str, Entry] = {}  # of the current observation: below the root and beside it

    def observe(self, previous: TableState | None = None, defined: Table | None = None) -> TableState:
        """The table now. If its log cannot be replayed, the state has the reason, and the log of ``previous``.

        ``defined`` is the definition that a command should have given the table; it is ``table`` from then on if the log has
        its columns.
        """
        root = str(self._root)
        try:
            listing = list_tree(self._root, self._things, unit=self._unit, digested=self._digested)
            log = relative_log(read_log(self._root, unit=self._unit))
            stored = log.stored.snapshot()
            needed = self._needs_schema or (previous is not None and previous.snapshot.metadata.schema_string)
            if needed and not stored.metadata.schema_string:
                raise MalformedAction("the metadata has no schemaString")
        except (DeltaLogError, FileNotFoundError) as broken:
            raise_if_of_the_machine(broken)
            if previous is None:
                raise
            exists = self._root.is_dir()
            listing = list_tree(self._root, unit=self._unit, digested=self._digested) if exists else {}
            return TableState(
                listing,
                previous.log,
                previous.snapshot,
                previous.contents,
                {},
                {},
                {},
                {},
                {},
                beside=list_beside(self._root, unit=self._unit),
                by_uri=previous.by_uri,
                broken=str(broken),
            )
        beside = list_beside(self._root, unit=self._unit)
        comparable = previous is not None and previous.broken is None and defined is None
        if previous is not None and comparable and (listing, beside) == (previous.listing, previous.beside):
            return previous  # as after a DRY RUN: nothing has to be read again
        snapshot = relative_snapshot(stored, root)
        if defined is not None:
            fields = parse_schema(snapshot.metadata.schema_string)
            if has_columns(defined, fields):
                self.table = with_stored_names(defined, fields)
        self._types = [column.type for column in self.table.columns]
        self._things = {**listing, **beside}
        contents, changes = self._contents(log, snapshot), self._changes(log, snapshot)
        return TableState(
            listing,
            log,
            snapshot,
            contents,
            self._unreferenced(listing, (contents, changes), previous),
            self._vectors(log, snapshot),
            self._ids(snapshot),
            changes,
            self._columns(snapshot),
            beside=beside,
            by_uri=named_by_uri(stored.adds.values(), root),
            last_vacuum=self._document(LAST_VACUUM_INFO),
            last_checkpoint=self._document(LAST_CHECKPOINT),
            checksums=self._checksums(log),
            clone=self._clone(),
        )

    def _once(self, what: str, path: str | None, read: Callable[[], T], *given: Hashable) -> T:
        """The result of ``read`` for the file at ``path``, cached by its digest and ``given``."""
        entry = self._things.get(path) if path is not None else None
        key = (what, path, None if entry is None else entry.digest, given)
        if key not in self._known:
            self._known[key] = read()
        return cast("T", self._known[key])

    def _contents(self, log: Log, snapshot: Snapshot) -> Mapping[str, tuple[Row, ...] | None]:
        adds = {add.file: add for commit in log.commits.values() for add in commit.adds}
        adds.update({add.file: add for add in snapshot.adds.values()})
        metadata = metadata_to_read_by(snapshot)

        def read(add: Add) -> tuple[Row, ...] | None:
            if self._is_as_it_was(add.file):
                return self._unreadable[add.file]
            try:
                return tuple(self._row(row) for row in read_stored_rows(self._root, add, metadata))
            except _UNREADABLE as error:
                raise_if_of_the_machine(error)
                return None

        return {
            path: self._once("rows", path, partial(read, add), *add.partition_values.items(), metadata.schema_string)
            for path, add in adds.items()
        }

    def _is_as_it_was(self, path: str) -> bool:
        """Whether a file cannot be read whole, and nothing has become of it: what a VACUUM deletes has no rows."""
        return path in self._unreadable and (path in self._missing or path in self._things)

    def _row(self, values: tuple[object, ...], types: Sequence[AnyType] | None = None) -> Row:
        return tuple(canonical(value, type) for value, type in zip(values, types or self._types))

    def _vectors(self, log: Log, snapshot: Snapshot) -> Mapping[str, frozenset[int] | str]:
        """The row indexes in the deletion vectors of all actions, by unique id."""
        actions: list[Add | Remove] = [*snapshot.adds.values(), *snapshot.removes.values()]
        for commit in log.commits.values():
            actions += [*commit.adds, *commit.removes]
        vectors = {action.deletion_vector.unique_id: action for action in actions if action.deletion_vector is not None}
        root = str(self._root)
        return {
            id: self._once("vector", vector_path(action, root), partial(self._vector, action), id)
            for id, action in vectors.items()
        }

    def _vector(self, action: Add | Remove) -> frozenset[int] | str:
        assert action.deletion_vector is not None
        try:
            return frozenset(read_vector(self._root, action.deletion_vector))
        except _UNREADABLE as wrong:
            raise_if_of_the_machine(wrong)
            return str(wrong)

    def _ids(self, snapshot: Snapshot) -> Mapping[str, tuple[RowId, ...]]:
        if not self.table.has(Feature.ROW_TRACKING):
            return {}

        def read(add: Add) -> tuple[RowId, ...]:
            if self._is_as_it_was(add.file):
                first = add.base_row_id or 0
                count = len(self._unreadable[add.file])
                return tuple((first + index, add.default_row_commit_version) for index in range(count))
            try:
                return tuple(row_ids(self._root, add, snapshot.metadata))
            except _UNREADABLE as error:
                raise_if_of_the_machine(error)
                return ()

        return {
            add.file: self._once("ids", add.file, partial(read, add), add.base_row_id, add.default_row_commit_version)
            for add in snapshot.adds.values()
        }

    def _columns(self, snapshot: Snapshot) -> Mapping[str, Mapping[str, int | None]]:
        if not self.table.maps_columns:
            return {}

        def read(path: str) -> dict[str, int | None] | None:
            try:
                schema = read_parquet(self._root / path).schema
            except _UNREADABLE as error:
                raise_if_of_the_machine(error)
                return None
            ids = {field.name: (field.metadata or {}).get(FIELD_ID) for field in schema}
            return {name: None if id is None else int(id) for name, id in ids.items()}

        found = {add.file: self._once("columns", add.file, partial(read, add.file)) for add in snapshot.adds.values()}
        return {path: columns for path, columns in found.items() if columns is not None}

    def _changes(self, log: Log, snapshot: Snapshot) -> Mapping[str, tuple[tuple[Row, str], ...] | None]:
        metadata = metadata_to_read_by(snapshot)

        def read(cdc: Cdc) -> tuple[tuple[Row, str], ...] | None:
            try:
                rows = read_change_file(self._root, cdc, metadata)
                return tuple((self._row(row), str(change)) for row, change in rows)
            except _UNREADABLE as error:
                raise_if_of_the_machine(error)
                return None

        return {
            cdc.file: self._once(
                "changes", cdc.file, partial(read, cdc), *cdc.partition_values.items(), metadata.schema_string
            )
            for commit in log.commits.values()
            for cdc in commit.cdcs
        }

    def _clone(self) -> CloneState | None:
        """The shallow clone of the table. Its files are the table's own, which it names by their URIs."""
        place, root = Path(clone_of(str(self._root))), str(self._root)
        if not (place / LOG_DIRECTORY).is_dir():
            return None
        self._clone_types = self._clone_types or self._types
        try:
            snapshot = relative_snapshot(read_log(place).snapshot(), root)
        except (DeltaLogError, FileNotFoundError) as error:
            raise_if_of_the_machine(error)
            return CloneState(None, frozenset())
        files = frozenset(files_of(snapshot.adds.values(), root))
        rows: Rows = Counter()
        for add in snapshot.adds.values():
            try:
                stored = read_stored_rows(self._root, add, metadata_to_read_by(snapshot))
                hidden = frozenset(read_vector(self._root, add.deletion_vector)) if add.deletion_vector else frozenset()
            except _UNREADABLE as error:
                raise_if_of_the_machine(error)
                return CloneState(None, files)
            types = self._clone_types
            rows.update(self._row(row, types) for index, row in enumerate(stored) if index not in hidden)
        return CloneState(rows, files)

    def _unreferenced(
        self, listing: Mapping[str, Entry], named: Iterable[Iterable[str]], previous: TableState | None
    ) -> Mapping[str, int | None]:
        """The row counts of the engine's files that the log does not name; those that were there before are not its."""
        known = {*chain(*named), *(set(previous.listing) - set(previous.unreferenced) if previous else listing)}
        return {path: self._row_count(path) for path in _data_files(listing) if path not in known}

    def _row_count(self, path: str) -> int | None:
        """The row count of an unreferenced file; None where it is no data file."""

        def read() -> int | None:
            try:
                return int(read_parquet(self._root / path).num_rows)
            except (OSError, ValueError, pa.ArrowException) as error:
                raise_if_of_the_machine(error)
                return None

        return self._once("count", path, read)

    def _checksums(self, log: Log) -> dict[int, Mapping[str, object] | None]:
        """The JSON objects of the version checksums, by version."""
        named = [(name, parse_name(name)) for name in log.others]
        return {
            parsed.version: self._once("checksum", f"{LOG_DIRECTORY}/{name}", partial(self._document, name))
            for name, parsed in named
            if parsed is not None and parsed.kind is LogFileKind.CHECKSUM
        }

    def _document(self, name: str) -> Mapping[str, object] | None:
        """The JSON object in a file of the log; None if it is absent or none."""
        try:
            document = json.loads((self._root / LOG_DIRECTORY / name).read_bytes())
        except (FileNotFoundError, IsADirectoryError, ValueError, RecursionError):
            return None
        return document if isinstance(document, dict) else None


class LogObserver(Observer):
    """Observes a table with stand-ins for its data files: their names, sizes and times, and the log. No data is read."""

    _digested = f"{LOG_DIRECTORY}/"
    _needs_schema = False

    def _unread(self, *_: object, **__: object) -> Mapping[str, Any]:
        return UnreadByKey()

    _contents = _vectors = _ids = _columns = _changes = _unreferenced = _unread


def _data_files(listing: Mapping[str, Entry]) -> list[str]:
    """The Parquet files outside the log, in the listing's order."""
    return [
        path
        for path, entry in listing.items()
        if entry.kind == "file" and path.endswith(".parquet") and not path.startswith(f"{LOG_DIRECTORY}/")
    ]
