"""The initial table of a case: its schema, its files, its history, and what else lies in its directory.

Every instant is a whole number of milliseconds relative to the start of the case: negative is before it. The
start becomes a wall-clock instant only when the case is run, so the same case means the same on any day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from model.predicate import Predicate
from model.values import AnyType, Row, Value

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

#: The retention of removed files where the table sets none: "interval 1 week" (docs/delta.md 1.6).
DEFAULT_RETENTION = WEEK

#: The units in which a table's property says its retention, the largest first.
_UNITS = {"week": WEEK, "day": DAY, "hour": HOUR}


def retention_text(hours: int) -> str:
    """A retention as the property delta.deletedFileRetentionDuration has it, in the largest unit that fits: interval 1 week.

    Raises ValueError for less than none.
    """
    if hours < 0:
        raise ValueError(f"a retention cannot be {hours} hours")
    unit, length = next(((unit, ms) for unit, ms in _UNITS.items() if hours and not hours * HOUR % ms), ("hour", HOUR))
    count = hours * HOUR // length
    return f"interval {count} {unit}{'' if count == 1 else 's'}"


def retention_of(text: str) -> int:
    """The retention in ms that such a text says. Raises ValueError for a text of another form."""
    found = re.fullmatch(r"interval ([0-9]+) (week|day|hour)s?", text)
    if found is None:
        raise ValueError(f"{text!r} is no retention in whole weeks, days or hours, such as 'interval 1 week'")
    return int(found[1]) * _UNITS[found[2]]


@dataclass(frozen=True)
class Column:
    """A column. ``default``, ``identity`` and ``generated_from`` are rules for writers; the rows of a case keep to them."""

    name: str
    type: AnyType
    nullable: bool = True
    default: bool = False  # has a default: NULL (PROTOCOL.md, "Default Columns")
    identity: bool = False  # GENERATED ALWAYS AS IDENTITY; a LONG
    generated_from: str | None = None  # GENERATED ALWAYS AS (that column), of the same type


class Statistics(str, Enum):
    """How much an add action says of its file (PROTOCOL.md, "Per-file Statistics")."""

    NONE = "none"
    COUNT = "count"  # numRecords only
    FULL = "full"  # numRecords, minValues, maxValues, nullCount; long strings are cut as Delta cuts them


class Reference(str, Enum):
    """Where a data file lies, and how actions name it (PROTOCOL.md, "Add File and Remove File": a path or a URI)."""

    RELATIVE = "relative"  # below the root, by its path from there
    ABSOLUTE = "absolute"  # below the root, by its URI
    OUTSIDE = "outside"  # in another directory beside the root, by its URI, as in a shallow clone


@dataclass(frozen=True)
class DataFile:
    """A data file. ``id`` is unique in the case; names and paths follow from it (``model.layout``)."""

    id: int
    partition: Row  # one value for each column of Table.partition_by
    rows: tuple[Row, ...]  # one value for each column of Table.data_columns
    modified: int  # ms from the start of the case
    statistics: Statistics = Statistics.FULL
    group_rows: int | None = None  # rows in each row group of the Parquet file; None: all in one
    reference: Reference = Reference.RELATIVE


@dataclass(frozen=True)
class Removal:
    """A remove action (a tombstone): which file, and its deletionTimestamp in ms from the start of the case.

    Without one (``deleted`` None) it counts as removed in 1970 (docs/delta.md 1.2, step 8). ``bare`` removes have no extended
    file metadata: neither partition values nor size (PROTOCOL.md, "Add File and Remove File").
    """

    file: int
    deleted: int | None
    bare: bool = False


class VectorStorage(str, Enum):
    """Where a deletion vector lies (PROTOCOL.md, "Deletion Vector Descriptor Schema")."""

    INLINE = "i"
    RELATIVE = "u"  # in a file below the root; the vectors of one commit share it
    ABSOLUTE = "p"  # in the same file, by its absolute path


@dataclass(frozen=True)
class DeletionVector:
    """A deletion vector: from this commit on, exactly these rows of a live file (indexes from 0) are hidden.

    A later mask of the same file hides these rows and more. In the log it is a remove of the file as it was, stamped
    ``deleted`` (ms from the start of the case), and an add of the same path with the vector.
    """

    file: int
    rows: tuple[int, ...]  # ascending, at least one
    deleted: int
    storage: VectorStorage = VectorStorage.RELATIVE


@dataclass(frozen=True)
class Commit:
    """One version: its time in ms from the start, the files added, removed and masked, and whether a checkpoint follows.

    Vectors of the commit that are not inline share one file, in the directory ``vector_prefix`` below the root (empty:
    the root itself; PROTOCOL.md, "Derived Fields"). ``parts`` is the number of files of a classic checkpoint.
    """

    at: int
    adds: tuple[int, ...] = ()
    removes: tuple[Removal, ...] = ()
    deletion_vectors: tuple[
        DeletionVector, ...
    ] = ()  # of files that are live, and neither added nor removed in this commit
    checkpoint: bool = False
    parts: int = 1
    vector_prefix: str = ""


class Kind(str, Enum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"  # a symbolic link


@dataclass(frozen=True)
class StrayFile:
    """Something in or beside the table's directory that no action refers to.

    ``path`` is relative to the root, as it is on storage; beside the root it begins with ``../`` and goes on with a name
    other than the root's. A link leads to ``target``, a path of the same form; there may be nothing at it.
    """

    path: str
    kind: Kind = Kind.FILE
    modified: int = 0  # ms from the start of the case; a link's own
    size: int = 1  # bytes; 0 for a directory or a link
    target: str | None = None  # of a link


@dataclass(frozen=True)
class Table:
    """An initial table. Version n is ``commits[n]``; there is at least one commit."""

    columns: tuple[Column, ...]
    partition_by: tuple[str, ...]
    files: tuple[DataFile, ...]
    commits: tuple[Commit, ...]
    stray_files: tuple[StrayFile, ...] = ()
    retention_hours: int | None = None  # delta.deletedFileRetentionDuration; None where the table does not set it
    features: tuple[str, ...] = ()  # names out of FEATURES
    checks: tuple[Predicate, ...] = ()  # CHECK constraints, TRUE for every row
    pruned: int = 0  # the log has no commits and no checkpoints below this version; if not 0, a checkpoint is at it

    @property
    def data_columns(self) -> tuple[Column, ...]:
        """The columns that are stored in the data files, in schema order."""
        return tuple(column for column in self.columns if column.name not in self.partition_by)

    @property
    def partition_columns(self) -> tuple[Column, ...]:
        """The partition columns, in the order of ``partition_by``."""
        by_name = {column.name: column for column in self.columns}
        return tuple(by_name[name] for name in self.partition_by)

    def has(self, *features: Feature) -> bool:
        """Whether the table has one of these features at least."""
        return any(feature.value in self.features for feature in features)

    @property
    def maps_columns(self) -> bool:
        """Whether files and actions name columns by their physical names (PROTOCOL.md, "Column Mapping")."""
        return self.has(Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID)

    @property
    def retention(self) -> int:
        """How long the table keeps removed files, in ms."""
        return DEFAULT_RETENTION if self.retention_hours is None else self.retention_hours * HOUR

    def row(self, partition: Row, data: Row) -> Row:
        """The full row, in schema order, of a file's partition values and one of its stored rows."""
        values: dict[str, Value] = dict(zip(self.partition_by, partition))
        values.update(zip((column.name for column in self.data_columns), data))
        return tuple(values[column.name] for column in self.columns)


class Feature(str, Enum):
    """What a hand-made table may be born with, beyond what its columns ask for."""

    DELETION_VECTORS = "deletionVectors"  # supported, and new ones may be written
    DELETION_VECTORS_OFF = "deletionVectorsOff"  # supported, and no new ones may be written
    CHANGE_DATA_FEED = "changeDataFeed"
    COLUMN_MAPPING_NAME = "columnMappingName"
    COLUMN_MAPPING_ID = "columnMappingId"
    DROPPED_COLUMN = "droppedColumn"  # the files hold a column that the schema no longer has; with column mapping only
    ROW_TRACKING = "rowTracking"
    IN_COMMIT_TIMESTAMPS = "inCommitTimestamps"
    V2_CHECKPOINTS = "v2Checkpoints"
    CHECKSUMS = "checksums"  # a version checksum file beside every commit
    APPEND_ONLY = "appendOnly"
    FREQUENT_CHECKPOINTS = "frequentCheckpoints"  # the engine writes a checkpoint at every other version
    BROKEN_LAST_CHECKPOINT = "brokenLastCheckpoint"  # _last_checkpoint is cut off in the middle
    VACUUM_PROTOCOL_CHECK = (
        "vacuumProtocolCheck"  # the table feature of that name (PROTOCOL.md, "VACUUM Protocol Check")
    )
    UNKNOWN_WRITER = "unknownWriter"  # the protocol asks writers for a feature that no engine has; it may be read
    UNKNOWN_READER = "unknownReader"  # the same, of readers too


#: Their names, as ``Table.features`` has them.
FEATURES = tuple(feature.value for feature in Feature)

#: Of each of these sets a table has one at most.
EXCLUSIVE = (
    (Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF),
    (Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
    (Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER),
)
