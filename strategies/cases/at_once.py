"""Two sessions at once: pairs of commands, the first held at a point until the second is done, and what comes after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.commands import Checkpoint, Command, changes_columns
from model.vocabulary.operations import Operation
from model.vocabulary.predicate import And, Compare, IsNull, Op, Predicate
from model.vocabulary.steps import (
    AtOnce,
    CrashPoint,
    Delete,
    Insert,
    Mode,
    Moment,
    OtherCommand,
    Read,
    SessionStep,
    SetClock,
    Vacuum,
)
from model.vocabulary.table import Feature, Table
from model.vocabulary.values import Row
from strategies.conditions.predicates import picks
from strategies.restriction.capabilities import restricted_step
from strategies.steps.clocks import LATER
from strategies.steps.commands import COMMANDS
from strategies.steps.new_rows import new_rows
from strategies.steps.operations import deletes
from strategies.steps.program_state import Program
from strategies.steps.vacuums import vacuums
from strategies.tables.initial_tables import live_files
from strategies.tables.stray_files import stray_files, with_stray_files
from strategies.tables.vacuum_tables import EVENLY_REMOVED, LONG_RETENTIONS, checkpointed, featured_tables, milliseconds
from strategies.weights import odds, one_in, weighted

#: Features that change what a DELETE writes; in one of five tables none.
_FEATURES = odds(
    (4, ()),
    (4, (Feature.DELETION_VECTORS,)),
    (4, (Feature.CHANGE_DATA_FEED,)),
    (2, (Feature.ROW_TRACKING,)),
    (2, (Feature.IN_COMMIT_TIMESTAMPS,)),
    (4, (Feature.FREQUENT_CHECKPOINTS,)),
)

_MODES = st.sampled_from((Mode.DEFAULT, Mode.FULL, Mode.LITE))

_OF_VACUUM = st.sampled_from((CrashPoint.DELETION, CrashPoint.START, CrashPoint.END))
_OF_CHECKPOINT = st.sampled_from((CrashPoint.CHECKPOINT, CrashPoint.POINTER_DELETED))
_OF_COMMIT = odds(
    (8, CrashPoint.COMMITTED), (2, CrashPoint.COMMIT_WRITTEN), (2, CrashPoint.FILE_CREATED), (1, CrashPoint.CHECKSUM)
)

_NO_FUNCTIONS = replace(EVERYTHING, wrappers=frozenset())

_Part = Callable[[Program], SearchStrategy[SessionStep]]


@st.composite
def cases_at_once(draw: DrawFn) -> Case:
    """Two commands at once on a table with tombstones and stray files, a read, a DELETE, a VACUUM beyond the retention, a read.

    Every pair of kinds is equally likely, in both orders; in one of four the two keep to different partitions, if the table
    has them. 5 or 6 engine steps. Shrinks to two DELETEs.
    """
    kinds = draw(_KINDS)
    retention, features = draw(LONG_RETENTIONS), draw(_FEATURES)
    age = milliseconds(retention)
    table = draw(featured_tables(retention=retention, cutoff_age=age, features=features, removed=EVENLY_REMOVED))
    table = draw(with_stray_files(table, stray_files(table, cutoff_age=age, max_size=2, flat=True)))
    if table.has(Feature.FREQUENT_CHECKPOINTS):
        table = draw(checkpointed(table, pruned=False))
    program = Program(table, engine_steps=6)
    if "RESTORE" in kinds:  # to the version before this
        program.take(Insert(draw(new_rows(program))))
    first, second = (draw(PARTS[kind](program)) for kind in kinds)
    if draw(one_in(4)):
        first, second = draw(_apart(table, first, second))
    program.take(AtOnce(first, second, draw(_points(first, table))))
    program.take(Read())
    program.take(Delete(draw(picks(table))))
    program.take(SetClock(Moment(age + LATER)))
    program.take(draw(vacuums()))
    return Case(table, (*program.steps, Read()))


def _points(first: SessionStep, table: Table) -> SearchStrategy[CrashPoint]:
    """Where the first is held."""
    if isinstance(first, Read):
        return st.just(AtOnce.point)
    if isinstance(first, Vacuum):
        return _OF_VACUUM if first.logging else st.just(CrashPoint.DELETION)
    if isinstance(first, OtherCommand) and isinstance(first.command, Checkpoint):
        return _OF_CHECKPOINT
    return weighted((3, _OF_COMMIT), (1, _OF_CHECKPOINT)) if table.has(Feature.FREQUENT_CHECKPOINTS) else _OF_COMMIT


# The parts ------------------------------------------------------------------------------------------------------------


def _command(operation: Operation) -> _Part:
    drawn: Callable[[Program], SearchStrategy[Command]] = COMMANDS[operation]
    return lambda program: drawn(program).filter(lambda one: not changes_columns(one)).map(_without_functions)


def _without_functions(command: Command) -> OtherCommand:
    """The command with no user's function in its condition: two sessions have enough to do with each other."""
    step = restricted_step(OtherCommand(command), capabilities=_NO_FUNCTIONS)
    assert isinstance(step, OtherCommand), "nothing else is left out"
    return step


def _vacuums(program: Program) -> SearchStrategy[SessionStep]:
    return st.builds(Vacuum, mode=_MODES, logging=odds((4, True), (1, False)))


#: By kind: a session's step. A DELETE by partition deletes the whole table if it has no partitions.
PARTS: Mapping[str, _Part] = {
    "DELETE": lambda program: picks(program.table).map(Delete),
    "DELETE by partition": lambda program: deletes(program.table, metadata_only=True),
    "append": lambda program: new_rows(program).map(Insert),
    "UPDATE": _command(Operation.UPDATE),
    "MERGE": _command(Operation.MERGE),
    "overwrite": _command(Operation.OVERWRITE),
    "OPTIMIZE": _command(Operation.OPTIMIZE),
    "RESTORE": _command(Operation.RESTORE),
    "VACUUM": _vacuums,
    "property": lambda program: weighted(
        (1, _command(Operation.SET_RETENTION)(program)), (1, _command(Operation.SWITCH)(program))
    ),
    "checkpoint": lambda program: st.just(OtherCommand(Checkpoint())),
    "read": lambda program: st.just(Read()),
}

#: The kinds of a pair. Two readers are none; two RESTOREs would name two versions, and two checkpoints are one.
_KINDS = st.tuples(st.sampled_from(list(PARTS)), st.sampled_from(list(PARTS))).filter(
    lambda kinds: kinds[0] != kinds[1] or kinds[0] not in ("read", "RESTORE", "checkpoint")
)


# Disjoint partitions ------------------------------------------------------------------------------------------------------


@st.composite
def _apart(draw: DrawFn, table: Table, first: SessionStep, second: SessionStep) -> tuple[SessionStep, SessionStep]:
    """DELETEs that keep to a partition each; other steps as they are."""
    partitions = sorted({file.partition for file in live_files(table)}, key=repr)
    if len(partitions) < 2 or not (isinstance(first, Delete) and isinstance(second, Delete)):
        return first, second
    one, other = draw(st.permutations(partitions))[:2]
    return _within(table, one, first), _within(table, other, second)


def _within(table: Table, partition: Row, step: Delete) -> Delete:
    """The DELETE of the rows of this partition alone."""
    where = step.where
    for column, value in zip(table.partition_columns, partition):
        test: Predicate = IsNull(column.name) if value is None else Compare(column.name, Op.EQ, value, column.type)
        where = test if where is None else And(test, where)
    return Delete(where)
