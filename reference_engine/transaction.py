"""What every command of the reference engine writes into a new version: data files, change files, and the commit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import compress
from typing import TypeVar
from uuid import UUID, uuid4

import pyarrow as pa

from deltalog.entries.actions import Action, Add, Cdc, CommitInfo, DomainMetadata, Metadata, Remove
from deltalog.snapshot import Snapshot
from deltalog.storage.parquet import write_data_file
from deltalog.storage.paths import encode
from deltalog.values.arrow_values import to_table
from deltalog.values.schemas import Field, map_columns, schema_string
from deltalog.values.statistics import Indexed, full_statistics
from model.text.layout import partition_directory, partition_string, physical_name, spark_text
from model.vocabulary.rules import SPARK, Rules
from model.vocabulary.table import Column
from model.vocabulary.values import AnyType, Row, Value
from reference_engine.storage import TableStorage
from reference_engine.view import View, name_of

ROW_ID = "delta.rowTracking.materializedRowIdColumnName"
ROW_VERSION = "delta.rowTracking.materializedRowCommitVersionColumnName"

#: The property with the greatest column id that was ever given.
MAX_ID = "delta.columnMapping.maxColumnId"

#: The domain of row tracking.
ROW_IDS = "delta.rowTracking"

#: A row with its stable row id and row commit version.
Kept = tuple[Row, tuple[int | None, int | None]]

#: New rows have no stable row id yet: they get that of their place in the file.
NO_ID = (None, None)

T = TypeVar("T", bound="Transaction")


@dataclass
class Transaction:
    """The commit of one command. ``number`` makes its file names unique."""

    view: View
    storage: TableStorage
    clock: int  # the engine's clock, ms since the epoch
    at: int  # when it runs, by the wall clock, ms since the epoch
    number: int
    rules: Rules = SPARK

    @property
    def zone(self) -> str:
        """The session's time zone."""
        return "UTC"

    def become(self, kind: type[T]) -> T:
        """The same transaction as one of a kind of command."""
        return kind(self.view, self.storage, self.clock, self.at, self.number, self.rules)

    # The files --------------------------------------------------------------------------------------------------------

    def write(self, packs: Iterable[tuple[Row, list[Kept]]], *, data_change: bool = True) -> list[Add]:
        """Write a file for each partition and its rows."""
        adds: list[Add] = []
        for partition, rows in packs:
            base = sum(row_count(add) for add in adds)
            adds.append(replace(self._write(len(adds), partition, rows, base=base), data_change=data_change))
        return adds

    def _write(self, place: int, partition: Row, rows: list[Kept], *, base: int) -> Add:
        view = self.view
        path = self._path(partition, self._file_name("part", place))
        fields, stored = self._stored([row for row, _ in rows])
        names = [view.metadata.configuration.get(key) for key in (ROW_ID, ROW_VERSION)] if view.tracks_rows else []
        hidden = [Field(name, "long") for name in names if name is not None]
        values = [(*row, *(id if hidden else ())) for row, (_, id) in zip(stored, rows)]
        size = self._write_file(path, to_table([*fields, *hidden], values))
        add = Add(
            encode(path),
            self._partition_values(partition),
            size,
            self.at,
            data_change=True,
            stats=full_statistics(to_table(fields, stored), indexed=Indexed.by(view.metadata.configuration, fields)),
        )
        version, widens = view.snapshot.version + 1, "typeWidening" in (view.snapshot.protocol.writer_features or ())
        if view.tracks_rows:
            return replace(add, base_row_id=self._next_row_id() + base, default_row_commit_version=version)
        if widens and self.rules.row_versions_with_widening:
            return replace(add, default_row_commit_version=version)
        return add

    def write_changes(self, changes: Iterable[tuple[Row, str]]) -> list[Cdc]:
        """Write change files of rows with their kinds of change, one for each partition."""
        by_partition: dict[Row, list[tuple[Row, str]]] = {}
        for row, kind in changes:
            by_partition.setdefault(self.partition_of(row), []).append((row, kind))
        found = []
        for place, (partition, changed) in enumerate(by_partition.items()):
            directory = partition_directory(self.view.table, partition)
            path = "/".join(part for part in ("_change_data", directory, self._file_name("cdc", place)) if part)
            fields, stored = self._stored([row for row, _ in changed])
            values = [(*row, kind) for row, (_, kind) in zip(stored, changed)]
            table = to_table([*fields, Field("_change_type", "string")], values)
            size = self._write_file(path, table)
            found.append(Cdc(encode(path), self._partition_values(partition), size))
        return found

    def _write_file(self, path: str, rows: pa.Table) -> int:
        """Write a new Parquet file; return its size in bytes."""
        file = self.view.root / path
        return self.storage.write(file, lambda: write_data_file(file, rows, modified=self.at))

    def partition_of(self, row: Row) -> Row:
        """The partition of a full row."""
        return self.view.table.partition_of(row)

    @property
    def uuid(self) -> UUID:
        return UUID(f"{self.number:08x}-1111-4111-8111-111111111111")

    def _file_name(self, kind: str, place: int) -> str:
        return f"{kind}-{place:05d}-{self.uuid}.c000.snappy.parquet"

    def _stored(self, rows: list[Row]) -> tuple[list[Field], list[Row]]:
        """The fields that data files store, all but the partition columns, and the rows' values in them."""
        stores = [field.name not in self.view.table.partition_by for field in self.view.fields]
        return list(compress(self.view.fields, stores)), [tuple(compress(row, stores)) for row in rows]

    def _path(self, partition: Row, name: str) -> str:
        random = self.view.table.maps_columns and self.rules.random_directories
        directory = "ab" if random else partition_directory(self.view.table, partition)
        return f"{directory}/{name}" if directory else name

    def _partition_values(self, partition: Row) -> dict[str, str | None]:
        table = self.view.table
        return {
            physical_name(table, column.name): self._partition_text(value, column.type)
            for column, value in zip(table.partition_columns, partition)
        }

    def _partition_text(self, value: Value, type: AnyType) -> str | None:
        if isinstance(value, datetime) and not self.rules.utc_partition_values:
            return spark_text(value, self.zone)
        return partition_string(value, type)

    # The definition ---------------------------------------------------------------------------------------------------

    def with_column(self, column: Column) -> Metadata:
        """The definition with this column after the others."""
        metadata, field = self.view.metadata, Field(column.name, name_of(column.type))
        properties: dict[str, str] = {}
        if self.view.table.maps_columns:
            used = int(metadata.configuration.get(MAX_ID, "0"))
            (field,), used = map_columns([field], [f"col-{self.uuid}"], used=used)
            properties = {MAX_ID: str(used)}
        schema = schema_string([*self.view.fields, field])
        return replace(metadata, schema_string=schema, configuration={**metadata.configuration, **properties})

    # The commit -------------------------------------------------------------------------------------------------------

    def commit(self, operation: str, /, *actions: Action, **fields: object) -> None:
        """Write the commit; ``fields`` are members of its commitInfo, ``operation`` too if they have none."""
        metadata = next((action for action in actions if isinstance(action, Metadata)), self.view.metadata)
        info = self.info(operation, metadata, **fields)
        self.storage.commit(self.view.snapshot.version + 1, [info, *actions])

    def info(self, operation: str, metadata: Metadata, /, **fields: object) -> CommitInfo:
        """``metadata`` is that after the commit."""
        has_times = metadata.configuration.get("delta.enableInCommitTimestamps") == "true"
        stamped = {"inCommitTimestamp": self.view.next_commit_time(self.clock)} if has_times else {}
        read = {"readVersion": self.view.snapshot.version, "isolationLevel": "Serializable"}
        transaction = {**stamped, "timestamp": self.clock, **read, **origin()}
        return CommitInfo({**transaction, "operation": operation, "operationParameters": {}, **fields})

    def row_id_mark(self, rows: int) -> list[DomainMetadata]:
        """The domain of row tracking after so many new rows; none in a table without it."""
        if not self.view.tracks_rows:
            return []
        return [_mark(self._next_row_id() + rows - 1)]

    def with_row_ids(self, adds: Iterable[Add], *, beside: Snapshot | None = None) -> list[Action]:
        """These adds of files that were written earlier, with row ids where they have none, and the mark after them.

        No new id is one of the version ``beside``.
        """
        found: list[Action] = []
        next_id = self._next_row_id(beside)
        for add in adds:
            if add.base_row_id is None:
                add = replace(add, base_row_id=next_id, default_row_commit_version=self.view.snapshot.version + 1)
                next_id += len(self.view.stored(add))
            found.append(add)
        return [*found, _mark(next_id - 1)] if next_id > self._next_row_id() else found

    def _next_row_id(self, beside: Snapshot | None = None) -> int:
        """The first unused row id."""
        marks = [one.domains.get(ROW_IDS) for one in (self.view.snapshot, beside) if one is not None]
        return 1 + max(
            (int(json.loads(mark.configuration)["rowIdHighWaterMark"]) for mark in marks if mark), default=-1
        )


def _mark(id: int) -> DomainMetadata:
    """The domain of row tracking whose last row id is this."""
    return DomainMetadata(ROW_IDS, json.dumps({"rowIdHighWaterMark": id}))


def row_count(add: Add) -> int:
    """numRecords of a file that this engine wrote."""
    return int(json.loads(add.stats or "{}")["numRecords"])


def origin() -> dict[str, str]:
    """The members of commitInfo that name the transaction and the engine."""
    return {"engineInfo": "Apache-Spark/0.0 Delta-Lake/0.0", "txnId": str(uuid4())}


def removal(add: Add, stamp: int, *, data_change: bool = True) -> Remove:
    return Remove(
        add.path,
        stamp,
        data_change=data_change,
        extended_file_metadata=True,
        partition_values=add.partition_values,
        size=add.size,
        tags=add.tags,
        deletion_vector=add.deletion_vector,
        base_row_id=add.base_row_id,
        default_row_commit_version=add.default_row_commit_version,
    )
