"""Cases of other commands: each fits the table that it finds, most are not refused, and all kinds are drawn."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import codec
from model.prediction.commands import may_be_refused
from model.semantics.definitions import definitions
from model.vocabulary.case import Case
from model.vocabulary.commands import CleanUpLog, Merge, Optimize, Purge, Restore, SetRetention, ShallowClone
from model.vocabulary.operations import COMMANDS, Operation, operation_of
from model.vocabulary.steps import ENGINE_STEPS, Append, Delete, OtherCommand, Read, Vacuum
from model.vocabulary.table import DAY, DEFAULT_LOG_RETENTION, HOUR, Feature
from strategies.cases.commands import command_cases, log_cleanups
from strategies.steps.commands import COMMANDS as DRAWN
from strategies.steps.operations import allows, operations
from strategies.steps.program_state import Program
from strategies.tables.program_tables import program_tables
from tests.sampling import check_shares, fifty, sample

pytestmark = pytest.mark.xdist_group("drawn")


def test_each_command_has_a_strategy() -> None:
    assert set(DRAWN) == set(COMMANDS)


@fifty
@given(st.one_of(command_cases(), log_cleanups()))
def test_cases_are_well_formed(case: Case) -> None:
    assert codec.from_json(codec.to_json(case)) == case
    assert any(isinstance(step, OtherCommand) for step in case.steps)
    assert 3 <= sum(isinstance(step, ENGINE_STEPS) for step in case.steps) <= 10


@fifty
@given(command_cases())
def test_the_retention_of_deleted_files_is_never_longer_than_that_of_the_log(case: Case) -> None:
    """Delta refuses that."""
    program = Program(case.table, engine_steps=99)
    for step in case.steps:
        program.take(step)
        assert program.table.retention <= program.log_retention


@st.composite
def restored(draw: st.DrawFn) -> bool | None:
    """Whether a RESTORE to another definition is certain to succeed; None if the table has the definition of that version."""
    program = Program(draw(program_tables()), engine_steps=99)
    before = (Operation.ADD_COLUMN, Operation.SET_RETENTION, Operation.SWITCH, Operation.CLOCK, Operation.VACUUM)
    for operation in draw(st.lists(st.sampled_from(before), min_size=1, max_size=4)):
        for step in draw(operations(program, operation)) if allows(program, operation) else ():
            program.take(step)
    if not allows(program, Operation.RESTORE):
        return None
    (step,) = draw(operations(program, Operation.RESTORE))
    assert isinstance(step, OtherCommand) and isinstance(step.command, Restore)
    place = max(0, step.command.before_step)
    then, now = program.tables[place], program.table
    same = (then.columns, then.features, then.retention) == (now.columns, now.features, now.retention)
    return None if same else program.is_restorable(place)


def test_a_restore_to_another_definition_is_certain_to_succeed() -> None:
    """Later steps could name columns that are not there."""
    certain = [one for one in sample(restored(), seeds=range(2)) if one is not None]
    assert all(certain) and len(certain) >= 10


@fifty
@given(st.data())
def test_what_is_appended_after_a_restore_has_new_ids(data: st.DataObject) -> None:
    program = Program(data.draw(program_tables()), engine_steps=9)
    for operation in (Operation.APPEND, Operation.INSERT, Operation.RESTORE, Operation.APPEND, Operation.APPEND):
        if allows(program, operation):
            for step in data.draw(operations(program, operation)):
                program.take(step)
    ids = [file.id for step in program.steps if isinstance(step, Append) for file in step.files]
    assert len(set(ids)) == len(ids) and not {file.id for file in program.initial.files} & set(ids)


@fifty
@given(log_cleanups())
def test_a_log_is_cleaned_up_between_versions_on_both_sides_of_its_retention(case: Case) -> None:
    program = Program(case.table, engine_steps=99)
    for step in case.steps:
        if step == OtherCommand(CleanUpLog()):
            cutoff = program.clock - program.log_retention - DAY
            assert case.table.commits[0].at <= cutoff and any(commit.checkpoint for commit in case.table.commits)
        program.take(step)
    (read,) = (step.before_step for step in case.steps if isinstance(step, Read) and step.before_step is not None)
    assert any(isinstance(step, ENGINE_STEPS) for step in case.steps[:read]), "a version that the engine made"


@cache
def sampled() -> list[Case]:
    return sample(command_cases(), examples=25, seeds=range(12))


@pytest.mark.slow
def test_every_command_is_drawn_and_what_it_may_break() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        drawn = [operation_of(step) for step in case.steps]
        tables = definitions(case.table, case.steps)
        commands = [
            (place, step.command, tables[place])
            for place, step in enumerate(case.steps)
            if isinstance(step, OtherCommand)
        ]
        vectors = [
            place
            for place, step in enumerate(case.steps)
            if isinstance(step, Delete) and tables[place].has(Feature.DELETION_VECTORS)
        ]
        rewrites = [place for place, one, _ in commands if isinstance(one, (Optimize, Merge, Restore, Purge))]
        clones = [place for place, one, _ in commands if isinstance(one, ShallowClone)]
        short = [
            place
            for place, one, _ in commands
            if isinstance(one, SetRetention) and one.of_log and one.hours * HOUR < DEFAULT_LOG_RETENTION
        ]
        cleans = [place for place, one, _ in commands if isinstance(one, CleanUpLog)]
        vacuums = [place for place, step in enumerate(case.steps) if isinstance(step, Vacuum)]
        deletes = [place for place, step in enumerate(case.steps) if isinstance(step, Delete)]
        return {
            **{operation.value: (0.5, operation in drawn) for operation in COMMANDS},
            "a vector before a rewrite": (7, _in_order(vectors, rewrites)),
            "a command before a DELETE": (25, _in_order([place for place, _, _ in commands], deletes)),
            "a command before a VACUUM": (12, _in_order([place for place, _, _ in commands], vacuums)),
            "a clone before a VACUUM": (2, _in_order(clones, vacuums)),
            "a short retention of the log before a clean-up": (3, _in_order(short, cleans)),
            "not refused": (25, not any(may_be_refused(one, table, ()) for _, one, table in commands)),
        }

    check_shares(sampled(), conditions)


def _in_order(first: list[int], second: list[int]) -> bool:
    return bool(first and second) and min(first) < max(second)
