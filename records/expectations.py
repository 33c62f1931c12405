"""Expectations as data: what must be true after a step. A violation contains one, and a reproduction script checks it.

Each is about one step: the listing, the log and the result right before and right after it. Paths are relative to the
table's root and not URL-encoded; outside the root they begin with ``../``. No expectation names a file that an engine
wrote, as its name differs in each run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from model.text.layout import ROOT, is_named_by_engine
from model.vocabulary.readings import Reading

ExpectedRows = Sequence[Sequence[Any]]  # JSON values, as in a case file


# Files ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unchanged:
    """A path has the same bytes as before the step, or is absent as before. With ``times``, the same modification time."""

    path: str
    times: bool = False


@dataclass(frozen=True)
class Gone:
    """A path that existed is deleted."""

    path: str


class ForbiddenChange(str, Enum):
    """What may not be changed, or how."""

    ANY = "a path is added, deleted, rewritten or touched"
    OF_FILES = "a file outside _delta_log that existed is deleted, rewritten or touched"
    DELETION = "a path outside _delta_log is deleted"
    DELETION_OF_FILES = "a file outside _delta_log is deleted"
    OF_ROW_IDS = "a row of the table has a row id or row commit version that no row had before"


@dataclass(frozen=True)
class NothingChanged:
    """There is no such change."""

    change: ForbiddenChange = ForbiddenChange.ANY


@dataclass(frozen=True)
class NoFileWritten:
    """There is no new file outside ``_delta_log`` whose path contains this text.

    With ``but_named``, only none with rows that the step's commit does not name.
    """

    containing: str = ""
    but_named: bool = False


# Rows -----------------------------------------------------------------------------------------------------------------


class RowsOf(str, Enum):
    """Which rows."""

    ANSWER = "answer"  # the result of the step
    TABLE = "table"  # the current version after the step, read by the engine
    CHANGES = "changes"  # the change feed of the step's versions: the table's columns and _change_type


@dataclass(frozen=True)
class RowsAre:
    """These rows, in any order."""

    of: RowsOf
    rows: ExpectedRows


@dataclass(frozen=True)
class Answers:
    """Asked for this after the step, the engine answers these rows, in any order; the number of rows by statistics may be less.

    Of Reading.FILTERED: ``columns``, and what is ``sought`` in each, a JSON value as in a case file.
    """

    reading: Reading
    rows: ExpectedRows
    columns: Sequence[str] = ()
    sought: Sequence[Any] = ()


@dataclass(frozen=True)
class Readable:
    """The current version can be read."""


# The log --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operations:
    """The commits that the step wrote have these operations in their commitInfo."""

    names: Sequence[str]


@dataclass(frozen=True)
class NoActions:
    """The step's commits have no action of these kinds, except for the row tracking domain, which writers advance."""

    kinds: Sequence[str]


@dataclass(frozen=True)
class Removes:
    """The step's commit removes exactly these files. Of a ``checkpoint`` or a log ``compaction``: the one that the step wrote
    removes at least these."""

    paths: Sequence[str]
    checkpoint: bool = False
    compaction: bool = False


@dataclass(frozen=True)
class FieldIs:
    """A dotted field of the step's actions of one kind, or of the one for ``path``, has this value (None: absent).

    ``kind`` may also be a file of the log, with an object of JSON: ``_last_vacuum_info``.
    """

    kind: str
    field: str
    value: Any
    path: str | None = None


class Measure(str, Enum):
    """What a field of an action must be, if its value differs from run to run."""

    FILE_SIZE = "the file's size"
    FILE_TIME = "the file's modification time"
    FILE_ROWS = "the number of rows in the file"
    ADD = "the same field of the file's last add"
    OTHERS = "the same field of the step's other actions of the kind"
    CLOCK = "a time between the start and the end of the step"
    DIRECTORY = "the partition values in the names of the file's directories"
    VERSION = "the version of the commit"
    ABOVE = "a greater number"  # than ``limit``, in adds of new files
    NEW_NAME = "a path that no file had before"
    ONCE = "a path that is in one add and one remove at most, and in both with different deletion vectors"


@dataclass(frozen=True)
class FieldMatches:
    """A dotted field of each of the step's actions of one kind is what the measure says."""

    kind: str
    field: str
    measure: Measure
    limit: int | None = None  # of Measure.ABOVE


@dataclass(frozen=True)
class FieldHolds:
    """A dotted field of each of the step's actions of one kind, as JSON text (absent: ``null``), matches a pattern."""

    kind: str
    field: str
    pattern: str
    promised: str  # the pattern in words


@dataclass(frozen=True)
class KeysAre:
    """The keys of an object in each of the step's actions of one kind are these, or some of these."""

    kind: str
    field: str
    keys: Sequence[str]
    all: bool = True


@dataclass(frozen=True)
class ColumnsStored:
    """Each file that the step added stores these columns, and none of the others."""

    names: Sequence[str]
    others: Sequence[str]


@dataclass(frozen=True)
class InfoIs:
    """A dotted field of the commitInfo of the step's commit with this operation (None: its only one)."""

    field: str
    value: Any
    operation: str | None = None


class Total(str, Enum):
    """What a metric must equal, if its value differs from run to run."""

    ADDED_FILES = "files added by the commit"
    ADDED_BYTES = "bytes of the files added by the commit"
    CHANGE_FILES = "change files of the commit"
    DELETED_FILES = "files and directories that the step deleted"
    DELETED_BYTES = "bytes of the files that the step deleted"


@dataclass(frozen=True)
class MetricCounts:
    """An operation metric of the step's commit with this operation (None: its only one) equals a total of this run."""

    metric: str
    total: Total
    operation: str | None = None
    but: Sequence[str] = ()  # paths that another process deleted meanwhile


# Answers --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fails:
    """The engine reports an error; with ``conditions``, one of these error classes or of their subclasses."""

    conditions: Sequence[str] = ()


@dataclass(frozen=True)
class Succeeds:
    """The engine reports no error."""


@dataclass(frozen=True)
class Lists:
    """DRY RUN lists a path, or does not; or a run of delta-rs, which returns what it deleted. ``.`` is the root.

    ``alone``: it is the only row. Without a path: each row is one path below the root, none twice.
    """

    path: str | None = None
    listed: bool = True
    alone: bool = False


@dataclass(frozen=True)
class ByReplay:
    """A short script cannot check it; ``reason`` is part of a sentence."""

    reason: str


Expectation = (
    Unchanged
    | Gone
    | NothingChanged
    | NoFileWritten
    | RowsAre
    | Answers
    | Readable
    | Operations
    | NoActions
    | Removes
    | FieldIs
    | FieldMatches
    | FieldHolds
    | KeysAre
    | ColumnsStored
    | InfoIs
    | MetricCounts
    | Fails
    | Succeeds
    | Lists
    | ByReplay
)


def in_any_table(path: str, root: str) -> str:
    """A path that may contain the table's own, for a table at any place."""
    return path.replace(root, ROOT)


def about(path: str, expectation: Expectation, *, otherwise: Expectation | None = None) -> Expectation:
    """The expectation about a path. If an engine chose the name, which differs in each run: ``otherwise``."""
    if is_named_by_engine(path):
        return otherwise or ByReplay(f"the engine gives {path} a new name in each run")
    return expectation


def kind_of(expectation: type[Expectation]) -> str:
    """The kind as the run stream names it: ``field-is``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", expectation.__name__).lower()
