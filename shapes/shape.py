"""A table's shape, and the document with the shapes of many. Nothing in it is a name, a value or a path that a user chose.

Each text is a word of this project, of Delta, or a number. A size is a size class: the greatest power of ten that is not
above it. ``shapes.schema`` makes the JSON schema of these classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class ProtocolShape:
    """The versions, and the features that writers must support, those that a legacy version implies too.

    ``unknown_features`` counts those that this release does not know."""

    reader: int
    writer: int
    features: tuple[str, ...]
    unknown_features: int


@dataclass(frozen=True)
class Properties:
    """The table properties that Delta knows. A flag, a whole number, a duration or a word of Delta is as given; a number that
    tells one table from another is a size class; of anything else there is only that it is ``set``, or ``other`` than Delta
    allows. ``constraints`` are CHECK constraints; ``unknown`` counts the properties that this release does not know."""

    known: Mapping[str, str]
    constraints: int
    unknown: int


@dataclass(frozen=True)
class ColumnKind:
    """A type, and whether columns of it may be NULL. Of a DECIMAL it says the greatest precision that is stored alike (9, 18,
    38); of a nested type only ``struct``, ``array`` or ``map``."""

    type: str
    nullable: bool


@dataclass(frozen=True)
class ColumnShapes:
    """``kinds`` are those of the columns that are stored in data files, ``partition`` those of the partition columns in their
    order, ``nested`` those of fields, elements, keys and values at any depth. ``count`` is a size class, ``depth`` the greatest
    number of types around a type. ``marks``: what the metadata of columns has."""

    count: int
    kinds: tuple[ColumnKind, ...]
    partition: tuple[ColumnKind, ...]
    nested: tuple[ColumnKind, ...]
    depth: int
    marks: tuple[str, ...]


@dataclass(frozen=True)
class Names:
    """What may matter in names: of stored columns, partition columns, nested fields, and the table's directory."""

    columns: tuple[str, ...]
    partition: tuple[str, ...]
    nested: tuple[str, ...]
    table: tuple[str, ...]


@dataclass(frozen=True)
class Sizes:
    """Size classes of the latest version; ``applications`` are those with a transaction identifier."""

    files: int
    bytes: int
    tombstones: int
    partitions: int
    applications: int


VectorKind = Literal["absolute", "inline", "relative", "other"]


@dataclass(frozen=True)
class Vectors:
    """The deletion vectors of the latest version. ``files`` is how many files have one, ``rows`` and ``bytes`` are those of the
    largest: size classes. ``packed``: a file has several vectors."""

    kinds: tuple[VectorKind, ...]
    files: int
    rows: int
    bytes: int
    packed: bool


@dataclass(frozen=True)
class PathShape:
    """How the paths of files and tombstones are written. ``depth`` is the greatest number of directories below the root."""

    forms: tuple[
        Literal["absolute", "encoded", "hidden", "hive", "outside", "relative", "uri"],
        ...,
    ]
    schemes: tuple[str, ...]
    depth: int


@dataclass(frozen=True)
class StatisticsForms:
    """A form of statistics that files have: none, the JSON text, the struct of a checkpoint; and which members are in it."""

    form: Literal["json", "none", "struct", "struct-and-json"]
    members: tuple[str, ...]


@dataclass(frozen=True)
class VacuumRun:
    """A VACUUM in the history: RETAIN in ms as given, null without one, and whether the retention was checked."""

    retain_ms: int | None
    checked: bool | None


@dataclass(frozen=True)
class HistoryShape:
    """What the commits that are there say: writers by name and version, and how many commits (size class) each operation made.
    Commits without commitInfo count as ``none``, unknown writers and operations as ``other``."""

    writers: tuple[str, ...]
    operations: Mapping[str, int]
    vacuums: tuple[VacuumRun, ...]


#: V2 checkpoints have a UUID in their name, unless they are written as classic ones.
CheckpointForm = Literal["none", "classic", "parts", "uuid-json", "uuid-parquet"]


@dataclass(frozen=True)
class LogFiles:
    """``versions``, ``commits`` (those there), ``since_checkpoint`` and ``sidecars`` are size classes. ``cleaned``: the commit of
    version 0 is gone. ``gap``: a commit between others is. ``checkpoint`` is the form of the newest complete one that can be
    read; ``damaged_checkpoint``: a newer one cannot. ``others``: what else is in ``_delta_log``."""

    versions: int
    commits: int
    cleaned: bool
    gap: bool
    checkpoint: CheckpointForm
    sidecars: int
    since_checkpoint: int
    damaged_checkpoint: bool
    others: tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """What lies in the table's directory beside its log, size classes; ``depth`` is the greatest number of directories around a
    file, ``hidden`` whether a directory's name begins with ``_`` or ``.``."""

    files: int
    bytes: int
    directories: int
    depth: int
    hidden: bool


@dataclass(frozen=True)
class Shape:
    """The shape of a table. ``domains`` are its metadata domains. ``listing`` is there only where it was asked for."""

    protocol: ProtocolShape
    properties: Properties
    columns: ColumnShapes
    names: Names
    sizes: Sizes
    vectors: Vectors
    paths: PathShape
    statistics: tuple[StatisticsForms, ...]
    domains: tuple[str, ...]
    history: HistoryShape
    log: LogFiles
    listing: Listing | None = None


@dataclass(frozen=True)
class KeptNames:
    """A table with its path and its names, for the eyes of who asked for them."""

    table: str
    columns: tuple[str, ...]
    partition_columns: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class Counted:
    """A shape, and how many tables have it. ``id`` is its digest. ``named`` are the tables, with ``--keep-names``."""

    id: str
    count: int
    shape: Shape
    named: tuple[KeptNames, ...] = ()


@dataclass(frozen=True)
class Unreadable:
    """Why tables could not be read, and how many. ``named`` are their paths, with ``--keep-names``."""

    reason: Literal[
        "damaged-checkpoint",
        "damaged-commit",
        "incomplete",
        "missing-commit",
        "no-access",
        "no-log",
        "not-reachable",
        "unknown-form",
    ]
    count: int
    named: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shapes:
    """The shapes of ``tables`` tables, the most frequent first, and of those that could not be read the reasons."""

    schema_version: Literal[1]
    suite: str
    tables: int
    shapes: tuple[Counted, ...]
    unreadable: tuple[Unreadable, ...]
