"""Pairs of commands: their names, and which steps are the first of one."""

from __future__ import annotations

import pytest

from model.vocabulary.commands import (
    Checkpoint,
    Command,
    DropFeature,
    Optimize,
    SetRetention,
    Switch,
)
from model.vocabulary.pairs import DROPPABLE, FIRSTS, Pair, Second, first_of, firsts
from model.vocabulary.steps import (
    Append,
    Crash,
    CrashPoint,
    Delete,
    Insert,
    IOFault,
    Mode,
    Moment,
    OtherCommand,
    Read,
    SetClock,
    Step,
    Vacuum,
)
from model.vocabulary.table import Feature

CRASH = Crash(CrashPoint.COMMITTED)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (Delete(), "DELETE"),
        (Delete(crash=CRASH), None),
        (Vacuum(), "VACUUM"),
        (Vacuum(mode=Mode.LITE), "VACUUM LITE"),
        (Vacuum(dry_run=True), None),
        (Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="x"), None),
        (Insert(((1,),)), "append by the engine"),
        (Append(()), "append by another writer"),
        (Read(), None),
        (SetClock(Moment(1)), None),
        (OtherCommand(Optimize()), "OPTIMIZE"),
        (OtherCommand(SetRetention(1)), "retention of files set"),
        (OtherCommand(SetRetention(1, of_log=True)), "retention of the log set"),
        (OtherCommand(Switch(Feature.ROW_TRACKING, on=False)), "rowTracking switched off"),
        (OtherCommand(DropFeature(Feature.DELETION_VECTORS)), "DROP FEATURE deletionVectors"),
    ],
)
def test_the_name_of_a_step(step: Step, name: str | None) -> None:
    assert first_of(step) == name
    assert name is None or name in FIRSTS


def test_what_another_command_did_is_seen_by_all_after_it() -> None:
    steps = (OtherCommand(Optimize()), OtherCommand(Checkpoint()), Read(), Delete(), Vacuum(dry_run=True))
    assert firsts(steps) == [(1, "checkpoint"), (3, "DELETE")]
    assert firsts(steps[:2]) == [(1, "checkpoint")] and firsts(steps[2:]) == [(1, "DELETE")] and firsts(()) == []


def test_each_command_has_its_names_once() -> None:
    assert len(set(FIRSTS)) == len(FIRSTS)
    assert {first_of(OtherCommand(DropFeature(feature))) for feature in DROPPABLE} <= set(FIRSTS)
    assert str(Pair("DELETE", Second.LITE)) == "DELETE, then VACUUM LITE"
    assert str(Pair("DELETE", Second.LITE, earlier=True)).endswith("of a session that opened the table before")


def test_only_commands_without_options_have_their_kind_as_a_name() -> None:
    command: Command = Optimize(zorder_by=("a",))
    assert first_of(OtherCommand(command)) == "OPTIMIZE"
