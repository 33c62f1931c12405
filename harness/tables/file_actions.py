"""The data files of a case's table, and the actions that name them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta, timezone
from functools import cached_property
from pathlib import Path
from typing import TypedDict

import pyarrow as pa

from deltalog.entries.actions import Add, CommitInfo, Remove
from deltalog.entries.descriptors import DeletionVectorDescriptor
from deltalog.storage.parquet import parquet_bytes, without_last_group
from deltalog.storage.paths import encode
from deltalog.values.arrow_values import to_table
from deltalog.values.schemas import Field, char_length
from deltalog.values.statistics import Indexed, count_statistics, full_statistics
from harness.tables.table_metadata import DROPPED_COLUMN, first_fields, stored_fields
from model.text.layout import file_path, partition_texts, physical_name
from model.vocabulary.table import (
    Damage,
    DataFile,
    Feature,
    Reference,
    Statistics,
    Table,
)
from model.vocabulary.values import AnyType, Row, Value
from model.vocabulary.widening import narrow_value


class RowIds(TypedDict, total=False):
    """The fields of row tracking of an add or a remove."""

    base_row_id: int
    default_row_commit_version: int


_NO_ROW_IDS = RowIds()


@dataclass(frozen=True)
class FileActions:
    """The actions of commits on the data files of a table that will be at ``root``."""

    table: Table
    root: Path
    start: int  # of the case, ms since the epoch
    uris: str = "file://"  # what the URI of a file begins with, before its path

    def info(self, operation: str, at: int) -> CommitInfo:
        """``at`` in ms from the start."""
        timestamp = self.start + at
        in_commit = {"inCommitTimestamp": timestamp} if self.table.has(Feature.IN_COMMIT_TIMESTAMPS) else {}
        return CommitInfo(
            {
                **in_commit,
                "timestamp": timestamp,
                "operation": operation,
                "operationParameters": {},
                "isBlindAppend": True,
                "engineInfo": "Tombstone",
            }
        )

    @cached_property
    def _columns(self) -> StoredColumns:
        return StoredColumns.of(self.table)

    def rows(self, file: DataFile) -> pa.Table:
        """The content of a data file: see ``arrow_table``."""
        return self._columns.rows(file)

    def add(
        self,
        file: DataFile,
        rows: pa.Table,
        size: int,
        vector: DeletionVectorDescriptor | None = None,
        row_ids: RowIds = _NO_ROW_IDS,
    ) -> Add:
        # A file with a deletion vector must have its row count, and its bounds may be wide (PROTOCOL.md, "Writer
        # Requirement for Deletion Vectors").
        has_statistics = vector is not None or file.statistics is not Statistics.NONE
        tight_bounds = None if vector is None else False
        return Add(
            self._path(file),
            self._partition_values(file),
            size,
            self.start + file.modified,
            True,
            _statistics(rows, file.statistics, tight_bounds, self._indexed(file)) if has_statistics else None,
            deletion_vector=vector,
            **row_ids,
        )

    def remove(
        self,
        file: DataFile,
        size: int,
        deleted: int | None,
        vector: DeletionVectorDescriptor | None,
        row_ids: RowIds,
        *,
        bare: bool = False,
    ) -> Remove:
        """``deleted`` in ms from the start; None: without a deletionTimestamp. ``bare``: without what is optional."""
        return Remove(
            self._path(file),
            None if deleted is None else self.start + deleted,
            True,
            extended_file_metadata=None if bare else True,
            partition_values=None if bare else self._partition_values(file),
            size=None if bare else size,
            deletion_vector=vector,
            **row_ids,
        )

    def uri(self, path: str) -> str:
        """The URI of a path from the root, in Java's spelling: Delta treats a file that is spelled otherwise as unreferenced."""
        return self.uris + encode(absolute(self.root, path).as_posix())

    def _indexed(self, file: DataFile) -> Indexed:
        """The columns with statistics; of a file from before the table was altered, those without its properties."""
        table = self.table
        if table.has(Feature.ALTERED, Feature.WIDENED) and file.id in table.early_files:
            return Indexed()
        if table.indexed_columns:
            return Indexed(-1, frozenset(physical_name(table, name) for name in table.indexed_columns))
        return Indexed() if table.indexed_leaves is None else Indexed(table.indexed_leaves)

    def _path(self, file: DataFile) -> str:
        path = file_path(self.table, file)
        return encode(path) if file.reference is Reference.RELATIVE else self.uri(path)

    def _partition_values(self, file: DataFile) -> dict[str, str | None]:
        names = (physical_name(self.table, name) for name in self.table.partition_by)
        return dict(zip(names, partition_texts(self.table, file)))


def absolute(root: Path, path: str) -> Path:
    """The absolute path of a path from the root, with ``..`` resolved lexically."""
    return Path(os.path.normpath(root / path))


def arrow_table(table: Table, file: DataFile) -> pa.Table:
    """The content of a data file: the data columns under their physical names, without the partition columns.

    That of a file from before the table was changed has the columns and types of then.
    """
    return StoredColumns.of(table).rows(file)


@dataclass(frozen=True)
class StoredColumns:
    """The columns of a table's data files; ``first`` are those of the files from before the table was changed."""

    fields: tuple[Field, ...]
    first: tuple[Field, ...]
    early_files: frozenset[int]
    narrow: Mapping[str, AnyType]  # the types that columns had in the files from before, if not their own
    chars: frozenset[int]  # the places of those that were declared as CHAR(n)

    @classmethod
    def of(cls, table: Table) -> StoredColumns:
        fields, widened = stored_fields(table), table.widened_column
        narrow = None if widened is None else table.narrower_type(widened)
        types = {widened.name: narrow} if widened is not None and narrow is not None else {}
        chars = frozenset(place for place, field in enumerate(fields) if char_length(field) is not None)
        return cls(fields, first_fields(table, fields), table.early_files, types, chars)

    def rows(self, file: DataFile) -> pa.Table:
        """See ``arrow_table``."""
        dropped = (7,) if self.fields and self.fields[-1].name == DROPPED_COLUMN else ()
        rows = [(*self._unpadded(row), *dropped) for row in file.rows]
        if file.id not in self.early_files:
            return to_table(self.fields, rows)
        return to_table(self.first, [tuple(self._first(row)) for row in rows])

    def _unpadded(self, row: Row) -> Row:
        """The values of a CHAR without the spaces at their end, as Delta on Spark writes them."""
        if not self.chars:
            return row
        return tuple(
            value.rstrip(" ") if place in self.chars and isinstance(value, str) else value
            for place, value in enumerate(row)
        )

    def _first(self, row: Row) -> Iterator[Value]:
        """The values of a row as a file from before the table was changed stores them."""
        for place, narrow in self._kept:
            yield row[place] if narrow is None else narrow_value(row[place], narrow)

    @cached_property
    def _kept(self) -> list[tuple[int, AnyType | None]]:
        names = {one.name for one in self.first}
        return [(place, self.narrow.get(one.name)) for place, one in enumerate(self.fields) if one.name in names]


def content_of(rows: pa.Table, file: DataFile) -> bytes:
    """The bytes of a data file with these rows."""
    return parquet_bytes(rows, group_rows=file.group_rows)


def stored(table: Table, file: DataFile, content: bytes) -> bytes | None:
    """What is on storage of a data file with this content, or instead of it; None: nothing."""
    if table.has(Feature.UNREADABLE_FILES):
        return bytes(len(content))
    if file.damage is Damage.LAST_GROUP:
        return without_last_group(content)
    if file.damage is Damage.TRUNCATED:
        return content[: len(content) // 2]
    return None if file.damage is Damage.MISSING else content


#: The time zone of Statistics.ZONED.
_ZONE = timezone(-timedelta(hours=8))


def _statistics(content: pa.Table, kind: Statistics, tight_bounds: bool | None, indexed: Indexed) -> str:
    if kind is Statistics.COUNT:
        return count_statistics(content, tight_bounds=tight_bounds)
    zone = _ZONE if kind is Statistics.ZONED else timezone.utc
    return full_statistics(content, tight_bounds=tight_bounds, zone=zone, indexed=indexed)
