"""Commands other than DELETE and VACUUM, as steps of a case (``model.vocabulary.steps.OtherCommand``).

What each does to the rows and to the definition of the table is predicted (``model.prediction.commands``); which files it writes
is not: the table that it left is read from its log, and is the one that the next step is predicted from.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Union

from model.vocabulary.limits import AT_LEAST_ONE, Limit, Names, Natural, Positive
from model.vocabulary.predicate import Constant, Predicate
from model.vocabulary.table import Column, Feature
from model.vocabulary.values import AnyType, Row, Value


@dataclass(frozen=True)
class Optimize:
    """``OPTIMIZE t [WHERE where] [ZORDER BY (zorder_by)]``; ``where`` is on partition columns, ``zorder_by`` on others. The files
    that it writes have ``target_size`` bytes at most, about; ``None``: as the engine has it."""

    where: Predicate | None = None
    zorder_by: Names = ()
    target_size: Positive | None = None


@dataclass(frozen=True)
class Purge:
    """``REORG TABLE t APPLY (PURGE)``: rewrites the files that have deletion vectors."""


@dataclass(frozen=True)
class Restore:
    """``RESTORE TABLE t TO VERSION AS OF`` the version before an earlier step.

    The commits of the initial table come before step 0: -1 is its last one, -2 the one before it. With ``by_time`` the command
    names the time of the version, where the log tells the version by it.
    """

    before_step: int
    by_time: bool = False


@dataclass(frozen=True)
class Assignment:
    """``SET column = value``."""

    column: str
    type: AnyType
    value: Value


@dataclass(frozen=True)
class Update:
    """``UPDATE t SET to, *also [WHERE where]``, of different columns."""

    to: Assignment
    where: Predicate | None = None
    also: tuple[Assignment, ...] = ()


class When(str, Enum):
    """The rows that a clause of a MERGE is about: of the table, or NOT MATCHED of the source."""

    MATCHED = "WHEN MATCHED"
    NOT_MATCHED = "WHEN NOT MATCHED"
    BY_SOURCE = "WHEN NOT MATCHED BY SOURCE"


class Then(str, Enum):
    """What a clause of a MERGE does. With ``*`` a row becomes that of the source, or is it."""

    DELETE = "DELETE"
    UPDATE = "UPDATE SET"
    UPDATE_ALL = "UPDATE SET *"
    INSERT = "INSERT *"


@dataclass(frozen=True)
class MergeClause:
    """``WHEN … [AND where] THEN …``. ``where`` is on columns of the table, ``to`` and ``also`` are what UPDATE sets; INSERT has
    none of them, and is what a clause NOT MATCHED does, which it alone does."""

    when: When = When.MATCHED
    then: Then = Then.DELETE
    to: Assignment | None = None
    where: Predicate | None = None
    also: tuple[Assignment, ...] = ()


@dataclass(frozen=True)
class Merge:
    """``MERGE INTO t USING`` a source ``ON on [AND t.key = s.key …]``, with clauses, of which the first that applies counts.

    ``on`` is on columns of the table alone. ``rows`` are those of the source, in schema order, which differ in the ``keys``;
    none: one row that only matches. With ``by_name`` the source has the columns of the table in the reverse order; else under
    other names. With ``by_name`` it may have one more, last in ``rows``, which the MERGE ``adds`` to the table (schema
    evolution): rows that are updated or inserted as a whole have its value.
    """

    on: Predicate
    clauses: Annotated[tuple[MergeClause, ...], AT_LEAST_ONE] = (MergeClause(),)
    keys: Names = ()
    rows: tuple[Row, ...] = ()
    by_name: bool = False
    adds: Column | None = None

    @property
    def conditions(self) -> tuple[Predicate, ...]:
        """That of ON first."""
        return (self.on, *(clause.where for clause in self.clauses if clause.where is not None))

    @property
    def goes_by_keys_alone(self) -> bool:
        """Whether ON has no condition beside the keys."""
        return bool(self.keys) and self.on == Constant(True)

    def can(self, *effects: Then) -> bool:
        """Whether a clause has one of these effects."""
        return any(clause.then in effects for clause in self.clauses)


@dataclass(frozen=True)
class Overwrite:
    """Replaces the rows that satisfy ``where`` (None: all rows) by ``rows``, which satisfy it too; with ``dynamic`` those of the
    partitions that ``rows`` have. Or it changes the schema: the table gets a column that it ``adds``, last in ``rows``."""

    rows: tuple[Row, ...]
    where: Predicate | None = None
    dynamic: bool = False
    adds: Column | None = None


@dataclass(frozen=True)
class StreamAppend:
    """A streaming query appends these rows, in schema order."""

    rows: Annotated[tuple[Row, ...], AT_LEAST_ONE]


@dataclass(frozen=True)
class Checkpoint:
    """Writes a checkpoint of the current version."""


@dataclass(frozen=True)
class CompactLog:
    """Writes a log compaction file (PROTOCOL.md, "Log Compaction Files") of the newest ``commits`` that the log has, at least
    two, or of all (``None``), without the ``but_newest`` of them; nothing if fewer than two are left."""

    commits: Annotated[int, Limit("minimum", 2)] | None = None
    but_newest: Natural = 0


@dataclass(frozen=True)
class CleanUpLog:
    """Deletes the log files that are older than the retention of the log (PROTOCOL.md, "Metadata Cleanup")."""


@dataclass(frozen=True)
class SetRetention:
    """Sets delta.deletedFileRetentionDuration, or with ``of_log`` delta.logRetentionDuration."""

    hours: Natural
    of_log: bool = False


#: The features that a property switches on and off.
SWITCHED = (Feature.DELETION_VECTORS, Feature.CHANGE_DATA_FEED, Feature.ROW_TRACKING, Feature.IN_COMMIT_TIMESTAMPS)

SwitchedFeature = Annotated[Feature, Limit("enum", SWITCHED)]


@dataclass(frozen=True)
class Switch:
    """Sets the property of a feature. Once on, a feature stays in the protocol when it is off."""

    feature: SwitchedFeature
    on: bool


@dataclass(frozen=True)
class DropFeature:
    """``ALTER TABLE t DROP FEATURE``."""

    feature: SwitchedFeature


@dataclass(frozen=True)
class AddColumn:
    """``ALTER TABLE t ADD COLUMN``: the last one, NULL in all rows. It is nullable and has no rule."""

    column: Column


@dataclass(frozen=True)
class RenameColumn:
    """``ALTER TABLE t RENAME COLUMN``; needs column mapping."""

    column: str
    to: str


@dataclass(frozen=True)
class DropColumn:
    """``ALTER TABLE t DROP COLUMN``; needs column mapping."""

    column: str


@dataclass(frozen=True)
class WidenColumn:
    """``ALTER TABLE t ALTER COLUMN column TYPE`` the next wider type in ``WIDER``, with delta.enableTypeWidening."""

    column: str


@dataclass(frozen=True)
class ShallowClone:
    """``CREATE TABLE … SHALLOW CLONE`` the table, beside it. A case has at most one."""


@dataclass(frozen=True)
class VacuumClone:
    """``VACUUM`` of the clone, with ``RETAIN 0 HOURS`` and without the check of the retention."""


@dataclass(frozen=True)
class AsWritten:
    """What is written in the engine's own words: SQL, a statement a line, in which ``{table}`` is the table, or ``python``. It
    keeps the rows, or is refused; what else it makes of the table is not predicted. With ``by_earlier`` the session of the latest
    OpenSession runs it. No strategy draws it (``selfcheck.surface``)."""

    text: str
    python: bool = False
    by_earlier: bool = False


Command = Union[
    Optimize,
    Purge,
    Restore,
    Update,
    Merge,
    Overwrite,
    StreamAppend,
    Checkpoint,
    CompactLog,
    CleanUpLog,
    SetRetention,
    Switch,
    DropFeature,
    AddColumn,
    RenameColumn,
    DropColumn,
    WidenColumn,
    ShallowClone,
    VacuumClone,
    AsWritten,
]


class CommandKind(str, Enum):
    """The kinds of commands, by their names in a case's JSON and in coverage."""

    OPTIMIZE = "OPTIMIZE"
    PURGE = "REORG PURGE"
    RESTORE = "RESTORE"
    UPDATE = "UPDATE"
    MERGE = "MERGE"
    OVERWRITE = "overwrite"
    STREAM_APPEND = "streaming append"
    CHECKPOINT = "checkpoint"
    COMPACT_LOG = "log compaction"
    CLEAN_UP_LOG = "log clean-up"
    SET_RETENTION = "set retention"
    SWITCH = "switch feature"
    DROP_FEATURE = "DROP FEATURE"
    ADD_COLUMN = "ADD COLUMN"
    RENAME_COLUMN = "RENAME COLUMN"
    DROP_COLUMN = "DROP COLUMN"
    WIDEN_COLUMN = "widen column"
    SHALLOW_CLONE = "SHALLOW CLONE"
    VACUUM_CLONE = "VACUUM of a clone"
    AS_WRITTEN = "as written"


COMMANDS: dict[CommandKind, type[Command]] = {
    CommandKind.OPTIMIZE: Optimize,
    CommandKind.PURGE: Purge,
    CommandKind.RESTORE: Restore,
    CommandKind.UPDATE: Update,
    CommandKind.MERGE: Merge,
    CommandKind.OVERWRITE: Overwrite,
    CommandKind.STREAM_APPEND: StreamAppend,
    CommandKind.CHECKPOINT: Checkpoint,
    CommandKind.COMPACT_LOG: CompactLog,
    CommandKind.CLEAN_UP_LOG: CleanUpLog,
    CommandKind.SET_RETENTION: SetRetention,
    CommandKind.SWITCH: Switch,
    CommandKind.DROP_FEATURE: DropFeature,
    CommandKind.ADD_COLUMN: AddColumn,
    CommandKind.RENAME_COLUMN: RenameColumn,
    CommandKind.DROP_COLUMN: DropColumn,
    CommandKind.WIDEN_COLUMN: WidenColumn,
    CommandKind.SHALLOW_CLONE: ShallowClone,
    CommandKind.VACUUM_CLONE: VacuumClone,
    CommandKind.AS_WRITTEN: AsWritten,
}

#: The commands that change no row of the table.
KEEP_ROWS = (
    *(Optimize, Purge, Checkpoint, CompactLog, CleanUpLog, SetRetention, Switch, DropFeature),
    *(RenameColumn, WidenColumn, ShallowClone, VacuumClone),
)

#: The commands that change the columns of the table.
CHANGE_COLUMNS = (AddColumn, RenameColumn, DropColumn, WidenColumn)


def assignments_of(part: Update | MergeClause) -> tuple[Assignment, ...]:
    """All that it sets, each in another column."""
    return () if part.to is None else (part.to, *part.also)


def added_by(command: Command) -> Column | None:
    """The column that the command puts after the others, with NULL in the rows that it leaves."""
    if isinstance(command, AddColumn):
        return command.column
    return command.adds if isinstance(command, (Merge, Overwrite)) else None


def changes_columns(command: Command) -> bool:
    return isinstance(command, CHANGE_COLUMNS) or added_by(command) is not None


def columns_after(command: Command, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """The columns of the rows that a command writes to a table with these."""
    added = added_by(command)
    return columns if added is None else (*columns, added)


_KINDS = {type: kind for kind, type in COMMANDS.items()}


def kind_of(command: Command) -> CommandKind:
    return _KINDS[type(command)]


def conditions_of(command: Command) -> tuple[Predicate, ...]:
    """The conditions of a command, on rows or on partitions."""
    if isinstance(command, Merge):
        return command.conditions
    where = command.where if isinstance(command, (Optimize, Overwrite, Update)) else None
    return () if where is None else (where,)
