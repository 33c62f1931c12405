"""Checks of a step in which two sessions are at work at once."""

from __future__ import annotations

from model.codec.plain import refuse
from model.vocabulary.commands import (
    Checkpoint,
    Merge,
    Optimize,
    Overwrite,
    Purge,
    Restore,
    SetRetention,
    StreamAppend,
    Switch,
    Update,
    changes_columns,
)
from model.vocabulary.steps import AtOnce, Delete, Mode, OtherCommand, Read, SessionStep, Vacuum, named_step
from model.vocabulary.table import Feature, Table

#: The other commands that may run beside another: those that write one version or none, and leave the columns.
_COMMANDS = (Optimize, Purge, Restore, Update, Merge, Overwrite, StreamAppend, Checkpoint, SetRetention, Switch)

#: The modes of a VACUUM that need nothing beside the table.
_MODES = (Mode.DEFAULT, Mode.FULL, Mode.LITE)

#: Features of tables that some commands must refuse, or that not every reader can read.
_UNFIT = (
    *(Feature.APPEND_ONLY, Feature.UNKNOWN_READER, Feature.UNKNOWN_WRITER, Feature.UNREADABLE_FILES),
    *(Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED),
)


def check_at_once(step: AtOnce) -> None:
    """Checks the two steps by themselves. The path of a problem is relative to the step. Raises InvalidCase."""
    for name, one in (("first", step.first), ("second", step.second)):
        if not _is_plain(one):
            refuse("has an option that it cannot have beside another session", name)
        if isinstance(one, OtherCommand) and not isinstance(one.command, _COMMANDS):
            refuse(f"{type(one.command).__name__} cannot be beside another session", f"{name}.command")
        if isinstance(one, OtherCommand) and changes_columns(one.command):
            refuse("a change of columns cannot be beside another session", f"{name}.command")
    if all(isinstance(one, Read) for one in step.steps):
        refuse("reads twice, and must change something", "second")
    if all(named_step(one) is not None for one in step.steps):
        refuse("names an earlier version, and only one of the two may", "second")


def check_table_at_once(table: Table) -> None:
    """Checks that every command may change the table, and every reader read it. Raises InvalidCase."""
    for feature in _UNFIT:
        if table.has(feature):
            refuse(f"the table has the feature {feature.value}, with which no two sessions are tried")
    if table.damaged_files:
        refuse("the table has a damaged file, with which no two sessions are tried")


def _is_plain(step: SessionStep) -> bool:
    if isinstance(step, Delete):
        return step == Delete(step.where, literals=step.literals)
    if isinstance(step, Vacuum):
        return step == Vacuum(mode=step.mode, logging=step.logging) and step.mode in _MODES
    return not isinstance(step, Read) or step == Read(step.before_step)
