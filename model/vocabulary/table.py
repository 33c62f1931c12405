"""The initial table of a case: schema, data files, commits, and stray files.

Times are whole milliseconds relative to the start of the case (negative: before it). The start becomes a wall-clock time
only when the case is run, so a case means the same on any day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Annotated

from model.vocabulary.limits import AT_LEAST_ONE, ONCE, Limit, Names, Natural, PathNearby, Positive, RetentionHours
from model.vocabulary.predicate import Predicate
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import AnyType, Row, Type, Value
from model.vocabulary.widening import DoesNotFit, can_widen, keeps_texts, narrow_value

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

#: The default of delta.deletedFileRetentionDuration: "interval 1 week" (docs/delta.md 1.6).
DEFAULT_RETENTION = WEEK

#: The default of delta.logRetentionDuration: "interval 30 days" (docs/delta.md 1.6).
DEFAULT_LOG_RETENTION = 30 * DAY

#: The units of the property delta.deletedFileRetentionDuration, the largest first.
_UNITS = {"week": WEEK, "day": DAY, "hour": HOUR, "minute": MINUTE, "second": SECOND}

#: Those that a retention may have; of microseconds only thousands count.
_LENGTHS = {**_UNITS, "millisecond": 1, "microsecond": 0.001}

_PART = re.compile(rf"([0-9]{{1,9}}) +({'|'.join(_LENGTHS)})s?", re.ASCII)


def retention_text(hours: float) -> str:
    """The value of delta.deletedFileRetentionDuration, in the largest unit that fits, at least seconds. Raises ValueError if
    negative.

    >>> retention_text(1.5)
    'interval 90 minutes'
    """
    if hours < 0:
        raise ValueError(f"a retention cannot be {hours} hours")
    seconds = round(hours * HOUR / SECOND) * SECOND
    unit, length = next(((unit, ms) for unit, ms in _UNITS.items() if seconds and not seconds % ms), ("hour", HOUR))
    count = seconds // length
    return f"interval {count} {unit}{'' if count == 1 else 's'}"


def retention_of(text: str) -> int:
    """The retention in ms that a property says: an interval of weeks, days and smaller units, such as one by ``retention_text``.
    Raises ValueError for any other text.
    """
    plain = re.sub(r"^\s*interval\s+", "", text.lower()).strip()
    if not re.fullmatch(rf"{_PART.pattern}(?:\s+{_PART.pattern})*", plain):
        raise ValueError(f"{text!r} is not a retention, such as 'interval 1 week'")
    return int(sum(int(count) * _LENGTHS[unit] for count, unit in _PART.findall(plain)))


Declared = Annotated[
    str, Limit("pattern", r"^(var)?char\([1-9][0-9]{0,3}\)$", "must be char(n) or varchar(n), with n below 10,000")
]


@dataclass(frozen=True)
class Column:
    """A column. ``default``, ``identity`` and ``generated_from`` are rules for writers, which the rows of a case follow."""

    name: str
    type: AnyType
    nullable: bool = True
    default: bool = False  # has a default: NULL (PROTOCOL.md, "Default Columns")
    identity: bool = False  # GENERATED ALWAYS AS IDENTITY; a LONG
    generated_from: str | None = None  # GENERATED ALWAYS AS (that column), of the same type
    declared: Declared | None = None  # of a STRING: char(5), whose values in a case have 5 characters, or varchar(5)
    # With column mapping, its name in files where that does not follow from its place: of tables whose columns a command changed.
    physical_name: str | None = None


class ColumnRule(str, Enum):
    """A rule for writers that a column or the table can have (PROTOCOL.md, "Writer Requirements" of each)."""

    CHECK = "check"
    GENERATED = "generated"
    DEFAULT = "default"
    IDENTITY = "identity"


class Statistics(str, Enum):
    """The statistics of an add action (PROTOCOL.md, "Per-file Statistics")."""

    NONE = "none"
    COUNT = "count"  # numRecords only
    FULL = "full"  # numRecords, minValues, maxValues, nullCount; long strings are cut as Delta cuts them
    ZONED = "zoned"  # ... with TIMESTAMPs in another time zone than UTC, as Delta wrote them before 4.0


class Reference(str, Enum):
    """Where a data file is, and how actions name it (PROTOCOL.md, "Add File and Remove File")."""

    RELATIVE = "relative"  # below the root, by its relative path
    ABSOLUTE = "absolute"  # below the root, by its URI
    OUTSIDE = "outside"  # in a directory beside the root, by its URI, as in a shallow clone


class Damage(str, Enum):
    """What storage has instead of a data file that its actions describe whole."""

    LAST_GROUP = (
        "last row group"  # zeros instead of the last of several row groups; the others and the footer are whole
    )
    TRUNCATED = "truncated"  # its first half
    MISSING = "missing"  # nothing


@dataclass(frozen=True, slots=True)  # there may be 100,000
class DataFile:
    """A data file. ``id`` is unique in the case; its path is derived from it (``model.text.layout``)."""

    id: Natural
    partition: Row  # one value for each column of Table.partition_by
    rows: tuple[Row, ...]  # one value for each column of Table.data_columns
    modified: int  # ms from the start of the case
    statistics: Statistics = Statistics.FULL
    group_rows: Positive | None = None  # rows per row group of the Parquet file; None: one group
    reference: Reference = Reference.RELATIVE
    trimmed: bool = False  # DECIMAL partition values have no trailing zeros in the log: 1.5 instead of 1.50
    empty_nulls: bool = False  # NULL partition values are "" in the log, instead of null
    damage: Damage | None = None

    @property
    def readable_rows(self) -> tuple[Row, ...]:
        """The rows that can be read: of a damaged file those before the row group that is damaged."""
        if self.damage is None:
            return self.rows
        size = self.group_rows if self.damage is Damage.LAST_GROUP else None
        return () if size is None else self.rows[: (len(self.rows) - 1) // size * size]


@dataclass(frozen=True, slots=True)  # there may be 100,000
class Removal:
    """A remove action (a tombstone) of a file. ``deleted`` is its deletionTimestamp in ms from the start of the case.

    A missing one (None) counts as 1970 (docs/delta.md 1.2, step 8). ``bare``: without extended file metadata, that is without
    partition values and size (PROTOCOL.md, "Add File and Remove File").
    """

    file: Natural
    deleted: int | None
    bare: bool = False


class VectorStorage(str, Enum):
    """Where a deletion vector is stored (PROTOCOL.md, "Deletion Vector Descriptor Schema")."""

    INLINE = "i"
    RELATIVE = "u"  # in a file below the root; the vectors of one commit share it
    ABSOLUTE = "p"  # in the same file, by its absolute path


@dataclass(frozen=True)
class DeletionVector:
    """A deletion vector: from this commit on, exactly these rows of a live file (indexes from 0) are hidden.

    A later one of the same file hides these rows and more. In the log it is an add of the same path with the vector, and
    a remove of the old entry with the deletionTimestamp ``deleted`` (ms from the start of the case).
    """

    file: Natural
    rows: Annotated[tuple[Natural, ...], AT_LEAST_ONE]  # ascending
    deleted: int
    storage: VectorStorage = VectorStorage.RELATIVE


@dataclass(frozen=True)
class Commit:
    """One version, ``at`` ms from the start of the case; ``checkpoint``: whether a checkpoint of it is written.

    Deletion vectors of the commit that are not inline share one file, in the directory ``vector_prefix`` below the root
    (empty: the root; PROTOCOL.md, "Derived Fields"). ``parts`` is the number of files of a classic checkpoint.
    """

    at: int
    adds: tuple[Natural, ...] = ()
    removes: tuple[Removal, ...] = ()
    deletion_vectors: tuple[DeletionVector, ...] = ()  # of live files, neither added nor removed in this commit
    checkpoint: bool = False
    parts: Positive = 1
    vector_prefix: Annotated[str, Limit("pattern", "^[^/]*$", "must be one directory")] = ""


class Kind(str, Enum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"  # a symbolic link


@dataclass(frozen=True)
class StrayFile:
    """Something in or beside the table's directory that no action refers to.

    ``path`` is relative to the root, as on storage; beside the root it begins with ``../`` and a name other than the root's.
    ``target`` of a link has the same form; the target need not exist.
    """

    path: PathNearby
    kind: Kind = Kind.FILE
    modified: int = 0  # ms from the start of the case; a link's own
    size: Natural = 1  # bytes; 0 for a directory or a link
    target: PathNearby | None = None  # of a link


@dataclass(frozen=True)
class Table:
    """An initial table. Version n is ``commits[n]``."""

    columns: tuple[Column, ...]
    partition_by: Names
    files: tuple[DataFile, ...]
    commits: Annotated[tuple[Commit, ...], AT_LEAST_ONE]
    stray_files: tuple[StrayFile, ...] = ()
    retention_hours: RetentionHours | None = None  # delta.deletedFileRetentionDuration; None: not set
    features: Annotated[tuple[FeatureName, ...], ONCE] = ()
    checks: tuple[Predicate, ...] = ()  # CHECK constraints, TRUE for every row
    pruned: Natural = 0  # the log lacks commits and checkpoints below this version; if not 0, it has a checkpoint
    root: TableRoot = TableRoot.PLAIN  # the name of its directory
    widened_from: AnyType | None = None  # the type that ``widened_column`` had; None: the next narrower whole number
    indexed_leaves: Annotated[int, Limit("minimum", -1)] | None = (
        None  # delta.dataSkippingNumIndexedCols; -1: all; None: not set
    )
    indexed_columns: Names = ()  # delta.dataSkippingStatsColumns, which comes first; empty: not set

    @property
    def data_columns(self) -> tuple[Column, ...]:
        """The columns stored in data files, in schema order."""
        return tuple(column for column in self.columns if column.name not in self.partition_by)

    @property
    def partition_columns(self) -> tuple[Column, ...]:
        """The partition columns, in the order of ``partition_by``."""
        by_name = {column.name: column for column in self.columns}
        return tuple(by_name[name] for name in self.partition_by)

    def has(self, *features: Feature) -> bool:
        """Whether the table has any of these features."""
        return any(feature.value in self.features for feature in features)

    @cached_property
    def early_files(self) -> frozenset[int]:
        """The ids of the files that a commit before the last one adds."""
        return frozenset(id for commit in self.commits[:-1] for id in commit.adds)

    @cached_property
    def damaged_files(self) -> tuple[DataFile, ...]:
        """The files that nobody can read whole."""
        return tuple(file for file in self.files if file.damage is not None or self.has(Feature.UNREADABLE_FILES))

    @cached_property
    def added_column(self) -> Column | None:
        """The column that the last commit of an altered table adds: files of earlier commits lack it, so it is NULL there.

        It is the last data column without rules that has no other value there; the first data column is none.
        """
        if not self.has(Feature.ALTERED):
            return None
        early, sources = self.early_files, {column.generated_from for column in self.columns}
        for place, column in reversed(list(enumerate(self.data_columns))[1:]):
            free = column == Column(column.name, column.type) and column.name not in sources
            if free and all(row[place] is None for file in self.files if file.id in early for row in file.rows):
                return column
        return None

    @cached_property
    def widened_column(self) -> Column | None:
        """The column whose type the last commit widens: files of earlier commits store it in the narrower type.

        It is the last data column without rules whose type can have been the narrower one, and whose values there fit; not
        the added one. Without such a data column it is such a partition column, if ``widened_from`` says so.
        """
        if not self.has(Feature.WIDENED):
            return None
        early = [file for file in self.files if file.id in self.early_files]
        for place, column in reversed(list(enumerate(self.data_columns))):
            narrow = self.narrower_type(column)
            if (
                narrow is not None
                and self._is_free(column)
                and _fit((row[place] for f in early for row in f.rows), narrow)
            ):
                return column
        for place, column in reversed(list(enumerate(self.partition_columns))):
            narrow = self.narrower_type(column) if keeps_texts(self.widened_from) else None
            if narrow is not None and self._is_free(column) and _fit((f.partition[place] for f in early), narrow):
                return column
        return None

    def _is_free(self, column: Column) -> bool:
        """True for a plain column: no rule uses it, and it was not added later."""
        sources = {other.generated_from for other in self.columns}
        plain = Column(column.name, column.type, column.nullable)
        return column == plain and column.name not in sources and column != self.added_column

    def narrower_type(self, column: Column) -> AnyType | None:
        """The type that this column had if its type was widened; None if it cannot have been."""
        if self.widened_from is None:
            return NARROWER.get(column.type) if isinstance(column.type, Type) else None
        return self.widened_from if can_widen(self.widened_from, column.type) else None

    @property
    def checkpointed(self) -> int | None:
        """The version of the newest checkpoint; None without one."""
        return max((version for version, commit in enumerate(self.commits) if commit.checkpoint), default=None)

    @property
    def maps_columns(self) -> bool:
        """Whether files and actions use physical column names (PROTOCOL.md, "Column Mapping")."""
        return self.has(Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID)

    def version_before(self, place: int) -> int:
        """The version before a commit that is counted from the end: the last one is -1."""
        return len(self.commits) - 1 + place

    @property
    def retention(self) -> int:
        """How long the table keeps removed files, in ms."""
        return DEFAULT_RETENTION if self.retention_hours is None else round(self.retention_hours * HOUR)

    def row(self, partition: Row, data: Row) -> Row:
        """The full row, in schema order, from a file's partition values and one of its stored rows."""
        values: dict[str, Value] = dict(zip(self.partition_by, partition))
        values.update(zip((column.name for column in self.data_columns), data))
        return tuple(values[column.name] for column in self.columns)

    def partition_of(self, row: Row) -> Row:
        """The partition of a full row."""
        values = dict(zip((column.name for column in self.columns), row))
        return tuple(values[name] for name in self.partition_by)


def _fit(values: Iterable[Value], narrow: AnyType) -> bool:
    """Whether all are values of the narrower type."""
    try:
        for value in values:
            narrow_value(value, narrow)
    except DoesNotFit:
        return False
    return True


class Feature(str, Enum):
    """A table feature or property that a case's table may have, beyond those that its columns require."""

    DELETION_VECTORS = "deletionVectors"  # supported, and new ones are written
    DELETION_VECTORS_OFF = "deletionVectorsOff"  # supported, but no new ones are written
    CHANGE_DATA_FEED = "changeDataFeed"
    COLUMN_MAPPING_NAME = "columnMappingName"
    COLUMN_MAPPING_ID = "columnMappingId"
    DROPPED_COLUMN = "droppedColumn"  # data files have a column that the schema lacks; needs column mapping
    ROW_TRACKING = "rowTracking"
    IN_COMMIT_TIMESTAMPS = "inCommitTimestamps"
    V2_CHECKPOINTS = "v2Checkpoints"
    CHECKSUMS = "checksums"  # a version checksum file for every commit
    APPEND_ONLY = "appendOnly"
    FREQUENT_CHECKPOINTS = "frequentCheckpoints"  # the engine writes a checkpoint every second version
    BROKEN_LAST_CHECKPOINT = "brokenLastCheckpoint"  # _last_checkpoint is truncated
    VACUUM_PROTOCOL_CHECK = "vacuumProtocolCheck"  # PROTOCOL.md, "VACUUM Protocol Check"
    UNKNOWN_WRITER = "unknownWriter"  # the protocol requires a writer feature that no engine has; reading works
    UNKNOWN_READER = "unknownReader"  # ... a reader and writer feature
    ALTERED = "altered"  # the last commit sets the table's properties, and adds ``Table.added_column``
    UNREADABLE_FILES = "unreadableFiles"  # the initial data files hold zeros, as many as they had bytes
    WIDENED = "widened"  # the last commit widens the type of ``Table.widened_column``
    STRUCT_STATISTICS = "structStatistics"  # checkpoints hold statistics as a struct only
    # The newest checkpoint is truncated, as a writer leaves it that is killed: _last_checkpoint is as it was before it, ...
    HALF_CHECKPOINT = "halfCheckpoint"
    HALF_CHECKPOINT_NAMED = "halfCheckpointNamed"  # ... or names it


#: The names that ``Table.features`` may contain.
FEATURES = tuple(feature.value for feature in Feature)

FeatureName = Annotated[str, Limit("enum", FEATURES)]

#: A table has at most one of each of these.
EXCLUSIVE = (
    (Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF),
    (Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID),
    (Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER),
    (Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED),
)

#: The type from which a table's column was widened if it does not say so (PROTOCOL.md, "Type Widening").
NARROWER = {Type.SHORT: Type.BYTE, Type.INTEGER: Type.SHORT, Type.LONG: Type.INTEGER}

#: The type to which a command widens each.
WIDER = {**{narrow: wide for wide, narrow in NARROWER.items()}, Type.FLOAT: Type.DOUBLE}
