"""The initial table of a case: its schema, its files, its history, and what else lies in its directory.

Every instant is a whole number of milliseconds relative to the start of the case: negative is before it. The
start becomes a wall-clock instant only when the case is run, so the same case means the same on any day.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from model.values import Row, Type, Value

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

#: The retention of removed files where the table sets none: "interval 1 week" (facts 1.6).
DEFAULT_RETENTION = WEEK


@dataclass(frozen=True)
class Column:
    """A nullable column."""

    name: str
    type: Type


class Statistics(str, Enum):
    """How much an add action says of its file (PROTOCOL.md, "Per-file Statistics")."""

    NONE = "none"
    COUNT = "count"  # numRecords only
    FULL = "full"  # numRecords, minValues, maxValues, nullCount


@dataclass(frozen=True)
class DataFile:
    """A data file. ``id`` is unique in the case; names and paths follow from it (``model.layout``)."""

    id: int
    partition: Row  # one value for each column of Table.partition_by
    rows: tuple[Row, ...]  # one value for each column of Table.data_columns
    modified: int  # ms from the start of the case
    statistics: Statistics = Statistics.FULL


@dataclass(frozen=True)
class Removal:
    """A remove action (a tombstone): which file, and its deletionTimestamp in ms from the start of the case."""

    file: int
    deleted: int


@dataclass(frozen=True)
class Commit:
    """One version: its time in ms from the start, the files added and removed, and whether a checkpoint follows."""

    at: int
    adds: tuple[int, ...] = ()
    removes: tuple[Removal, ...] = ()
    checkpoint: bool = False


class Kind(str, Enum):
    FILE = "file"
    DIRECTORY = "directory"


@dataclass(frozen=True)
class Stray:
    """Something in the table's directory that no action refers to. ``path`` is relative, as it is on storage."""

    path: str
    kind: Kind = Kind.FILE
    modified: int = 0  # ms from the start of the case
    size: int = 1  # bytes; 0 for a directory


@dataclass(frozen=True)
class Table:
    """An initial table. Version n is ``commits[n]``; there is at least one commit."""

    columns: tuple[Column, ...]
    partition_by: tuple[str, ...]
    files: tuple[DataFile, ...]
    commits: tuple[Commit, ...]
    strays: tuple[Stray, ...] = ()
    retention_hours: int | None = None  # delta.deletedFileRetentionDuration; None where the table does not set it
    features: tuple[str, ...] = ()  # names out of FEATURES

    @property
    def data_columns(self) -> tuple[Column, ...]:
        """The columns that are stored in the data files, in schema order."""
        return tuple(column for column in self.columns if column.name not in self.partition_by)

    @property
    def partition_columns(self) -> tuple[Column, ...]:
        """The partition columns, in the order of ``partition_by``."""
        by_name = {column.name: column for column in self.columns}
        return tuple(by_name[name] for name in self.partition_by)

    @property
    def retention(self) -> int:
        """How long the table keeps removed files, in ms."""
        return DEFAULT_RETENTION if self.retention_hours is None else self.retention_hours * HOUR

    def row(self, partition: Row, data: Row) -> Row:
        """The full row, in schema order, of a file's partition values and one of its stored rows."""
        values: dict[str, Value] = dict(zip(self.partition_by, partition))
        values.update(zip((column.name for column in self.data_columns), data))
        return tuple(values[column.name] for column in self.columns)


#: The table features that a hand-made table may be born with.
FEATURES = ("deletionVectors", "changeDataFeed")
