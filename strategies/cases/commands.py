"""Cases of commands other than DELETE and VACUUM."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.semantics.definitions import VECTORS
from model.vocabulary.case import Case
from model.vocabulary.commands import Checkpoint, CleanUpLog, Command, Restore, SetRetention
from model.vocabulary.operations import Operation
from model.vocabulary.steps import Delete, Moment, OtherCommand, Read, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, FEATURES, HOUR, Feature, Table
from strategies.steps.commands import log_compactions
from strategies.steps.operations import operations
from strategies.steps.program_state import Program
from strategies.steps.programs import command_programs, everyday_programs
from strategies.tables.program_tables import program_tables
from strategies.tables.vacuum_tables import checkpointed
from strategies.weights import odds, one_in


@st.composite
def command_cases(draw: DrawFn) -> Case:
    """Programs of commands (``steps.programs.command_programs``) on ``command_tables``; one in eight is a log clean-up.

    2 to 9 engine steps. Shrinks operation by operation.
    """
    if draw(one_in(8)):
        return draw(log_cleanups())
    table = draw(command_tables())
    return Case(table, draw(command_programs(table)))


@st.composite
def everyday_cases(draw: DrawFn) -> Case:
    """Programs of ordinary work (``steps.programs.everyday_programs``) on tables that the engine writes to first. 9 to 16 engine
    steps. Shrinks operation by operation."""
    table = draw(command_tables())
    return Case(table, draw(everyday_programs(table)))


@st.composite
def command_tables(draw: DrawFn) -> Table:
    """The tables of programs, more of them with deletion vectors and with column mapping: one in three gets each if it can."""
    table = draw(program_tables())
    names = {column.name for column in table.columns}
    has_vectors = (
        table.has(*VECTORS) or "_metadata" in names
    )  # Delta cannot delete rows of such a table (docs/findings.md)
    more = {Feature.DELETION_VECTORS.value} if not has_vectors and draw(one_in(3)) else set()
    more |= {Feature.COLUMN_MAPPING_NAME.value} if not table.maps_columns and draw(one_in(3)) else set()
    return replace(table, features=tuple(name for name in FEATURES if name in {*table.features, *more}))


@st.composite
def log_cleanups(draw: DrawFn) -> Case:
    """Clean-ups of a log with versions older than its retention and versions inside it, which must stay readable.

    The table's own versions are old, in one of three tables except for the last. The engine makes two or three more, writes a
    checkpoint (two in three), and cleans up; then a version of its own is read, and in half of the cases restored. The
    retention of the log is seven to thirty days, that of deleted files not longer. 7 to 9 engine steps. Shrinks to a week.
    """
    hours = draw(st.sampled_from((168, 240, 720)))
    table = draw(checkpointed(draw(command_tables()), pruned=False))
    table = _aged(table, hours, last_is_young=draw(one_in(3)))
    program = Program(table, engine_steps=9)
    if hours != 720 or draw(st.booleans()):
        program.take(OtherCommand(SetRetention(hours, of_log=True)))
    made = len(program.steps)
    for _ in range(draw(odds((1, 2), (1, 3)))):
        for step in draw(operations(program, draw(_CHANGES))):
            program.take(step)
    between = draw(st.integers(made + 1, len(program.steps)))
    if draw(one_in(3)):
        program.take(SetClock(Moment(draw(st.sampled_from((HOUR, table.retention // 2))))))
    commands: list[Command] = [draw(log_compactions())] if draw(one_in(4)) else []
    commands += [Checkpoint()] if draw(odds((2, True), (1, False))) else []
    for command in (*commands, CleanUpLog()):
        program.take(OtherCommand(command))
    steps: list[Step] = [Read(before_step=between)]
    if draw(st.booleans()):
        steps.append(OtherCommand(Restore(between)))
    steps.append(draw(_LAST))
    return Case(table, (*program.steps, *steps))


_LAST: st.SearchStrategy[Step] = st.sampled_from((Read(), Delete(), Vacuum()))

#: What makes versions inside the retention of the log.
_CHANGES = odds((2, Operation.INSERT), (2, Operation.DELETE), (1, Operation.OPTIMIZE), (1, Operation.UPDATE))


def _aged(table: Table, hours: int, *, last_is_young: bool) -> Table:
    """The table with its commits before the cutoff of a log clean-up, which is rounded down to a day, in their order."""
    count = len(table.commits)
    commits = tuple(
        replace(commit, at=-hours * HOUR - (2 + count - version) * DAY) for version, commit in enumerate(table.commits)
    )
    if last_is_young:
        commits = (*commits[:-1], replace(commits[-1], at=-HOUR))
    kept = min(table.retention // HOUR, hours)
    return replace(table, commits=commits, retention_hours=kept)
