"""The operations of programs: what a step does, by the name under which coverage counts it."""

from __future__ import annotations

from enum import Enum

from model.vocabulary.commands import CommandKind, kind_of
from model.vocabulary.steps import (
    AddStrayFiles,
    Append,
    AtOnce,
    Delete,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    Step,
    Vacuum,
)


class Operation(str, Enum):
    DELETE = "DELETE"
    KILLED_DELETE = "DELETE that is killed"
    INVALID_DELETE = "invalid DELETE"
    VACUUM = "VACUUM"  # lists the directory
    RETAIN = "VACUUM RETAIN"
    LITE = "VACUUM LITE"
    INVENTORY = "VACUUM USING INVENTORY"
    DRY_RUN = "VACUUM DRY RUN"
    IO_FAULT = "VACUUM with an I/O fault"
    KILLED_VACUUM = "VACUUM that is killed"
    INVALID_VACUUM = "invalid VACUUM"
    READ = "read"
    READ_BEFORE = "read of an earlier version"
    READ_CHANGES = "read of the change feed"
    INSERT = "append by the engine"
    AT_ONCE = "two at once"
    APPEND = "append by another writer"
    OPEN_SESSION = "another session opens the table"
    STRAY_FILES = "stray files"
    CLOCK = "clock"
    OPTIMIZE = CommandKind.OPTIMIZE.value
    PURGE = CommandKind.PURGE.value
    RESTORE = CommandKind.RESTORE.value
    UPDATE = CommandKind.UPDATE.value
    MERGE = CommandKind.MERGE.value
    OVERWRITE = CommandKind.OVERWRITE.value
    STREAM_APPEND = CommandKind.STREAM_APPEND.value
    CHECKPOINT = CommandKind.CHECKPOINT.value
    COMPACT_LOG = CommandKind.COMPACT_LOG.value
    CLEAN_UP_LOG = CommandKind.CLEAN_UP_LOG.value
    SET_RETENTION = CommandKind.SET_RETENTION.value
    SWITCH = CommandKind.SWITCH.value
    DROP_FEATURE = CommandKind.DROP_FEATURE.value
    ADD_COLUMN = CommandKind.ADD_COLUMN.value
    RENAME_COLUMN = CommandKind.RENAME_COLUMN.value
    DROP_COLUMN = CommandKind.DROP_COLUMN.value
    WIDEN_COLUMN = CommandKind.WIDEN_COLUMN.value
    SHALLOW_CLONE = CommandKind.SHALLOW_CLONE.value
    VACUUM_CLONE = CommandKind.VACUUM_CLONE.value
    AS_WRITTEN = CommandKind.AS_WRITTEN.value


#: The operations that programs draw.
DRAWN = tuple(one for one in Operation if one is not Operation.AS_WRITTEN)

#: Those of them that are commands other than DELETE and VACUUM: of an OtherCommand.
COMMANDS = tuple(Operation(kind.value) for kind in CommandKind if kind is not CommandKind.AS_WRITTEN)

#: The operations of steps that need no closer look.
_OF_STEPS: dict[type, Operation] = {
    Delete: Operation.DELETE,
    InvalidDelete: Operation.INVALID_DELETE,
    InvalidVacuum: Operation.INVALID_VACUUM,
    ReadChanges: Operation.READ_CHANGES,
    Insert: Operation.INSERT,
    AtOnce: Operation.AT_ONCE,
    Append: Operation.APPEND,
    AddStrayFiles: Operation.STRAY_FILES,
    OpenSession: Operation.OPEN_SESSION,
}


def operation_of(step: Step) -> Operation:
    """The operation of a step. Of a VACUUM the first that applies: killed, I/O fault, DRY RUN, RETAIN, then its mode."""
    if isinstance(step, Delete) and step.crash is not None:
        return Operation.KILLED_DELETE
    if isinstance(step, Vacuum):
        return _of_vacuum(step)
    if isinstance(step, OtherCommand):
        return Operation(kind_of(step.command).value)
    if isinstance(step, Read):
        return Operation.READ if step.before_step is None else Operation.READ_BEFORE
    return _OF_STEPS.get(type(step), Operation.CLOCK)


def _of_vacuum(step: Vacuum) -> Operation:
    if step.crash is not None:
        return Operation.KILLED_VACUUM
    if step.io_fault is not None:
        return Operation.IO_FAULT
    if step.dry_run:
        return Operation.DRY_RUN
    if step.retain_hours is not None:
        return Operation.RETAIN
    if step.mode.lite:
        return Operation.LITE
    return Operation.INVENTORY if step.mode.inventory else Operation.VACUUM
