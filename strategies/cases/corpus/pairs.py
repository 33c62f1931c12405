"""Pairs of commands (``model.vocabulary.pairs``): each that changes a table, before each kind of DELETE and VACUUM."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.semantics.definitions import VECTORS
from model.vocabulary.case import Case
from model.vocabulary.commands import SWITCHED, DropFeature, Switch
from model.vocabulary.operations import COMMANDS, Operation
from model.vocabulary.pairs import DROPPABLE, Second
from model.vocabulary.predicate import Compare, Constant, Op
from model.vocabulary.steps import Delete, Mode, OpenSession, OtherCommand, Read, Step, Vacuum, VacuumForm
from model.vocabulary.table import FEATURES, Feature, Table
from model.vocabulary.values import is_nested
from strategies.cases.commands import command_tables
from strategies.conditions.predicates import picks, predicates
from strategies.steps.operations import allows, operations
from strategies.steps.program_state import Program
from strategies.steps.vacuums import vacuums
from strategies.tables.column_values import values
from strategies.weights import odds

#: What comes first: each command equally often, and a switch or a removal of a feature once for each feature.
_FIRSTS = st.sampled_from(
    (
        *(Operation.DELETE, Operation.VACUUM, Operation.LITE, Operation.INSERT, Operation.APPEND),
        *COMMANDS,
        *(Operation.SWITCH,) * (2 * len(SWITCHED) - 1),
        *(Operation.DROP_FEATURE,) * (len(DROPPABLE) - 1),
        Operation.SET_RETENTION,
    )
)

#: The commands that need column mapping.
_NEED_MAPPING = (Operation.RENAME_COLUMN, Operation.DROP_COLUMN)

#: In an order in which each leaves something for the next.
_SECONDS = (
    *(Second.DELETE_NOTHING, Second.DELETE_ROWS, Second.DRY_RUN, Second.LITE),
    *(Second.DELETE_FILES, Second.VACUUM, Second.DELETE_ALL),
)


@st.composite
def pairs(draw: DrawFn) -> Case:
    """A command that changes a table, and two to five kinds of DELETE and VACUUM after it.

    In half of the cases a session opens the table before the command, and issues those that the API of a table has. Half of the
    VACUUMs have a RETAIN of zero hours, half of the cases advance the clock before their VACUUMs. A read ends the case.
    4 to 9 engine steps. Shrinks to a DELETE of nothing after a DELETE.
    """
    first = draw(_FIRSTS)
    table = draw(command_tables())
    if first in _NEED_MAPPING and not table.maps_columns:
        table = _with(table, Feature.COLUMN_MAPPING_NAME)
    if first is Operation.DROP_FEATURE and not table.has(*DROPPABLE, *VECTORS):
        table = _with(table, draw(st.sampled_from(DROPPABLE[1:])))
    program = Program(table, engine_steps=8)
    if first is Operation.VACUUM_CLONE and allows(program, Operation.SHALLOW_CLONE):
        _take(draw, program, Operation.SHALLOW_CLONE)
    earlier = draw(st.booleans())
    if earlier:
        program.take(OpenSession())
    opened = program.table.columns
    _take(draw, program, first if allows(program, first) else Operation.DELETE)
    chosen = draw(st.lists(st.sampled_from(_SECONDS), min_size=2, max_size=5, unique=True))
    if any(not second.deletes for second in chosen) and draw(st.booleans()):
        _take(draw, program, Operation.CLOCK)
    for second in sorted(chosen, key=_SECONDS.index):
        keeps = earlier and second is not Second.DRY_RUN and not (second.deletes and program.table.columns != opened)
        program.take(draw(_seconds(program.table, second, by_earlier=keeps)))
    return Case(table, (*program.steps, Read()))


def _take(draw: DrawFn, program: Program, operation: Operation) -> None:
    for step in draw(_firsts(program, operation)):
        program.take(step)


def _firsts(program: Program, operation: Operation) -> SearchStrategy[tuple[Step, ...]]:
    """The steps of an operation: of those that have several kinds each equally often."""
    if operation is Operation.SWITCH:
        return operations(program, operation).filter(lambda steps: _is_change(steps[-1], program.table))
    if operation is Operation.DROP_FEATURE:
        found = [one for one in DROPPABLE if program.table.has(*(VECTORS if one in VECTORS else (one,)))]
        return st.sampled_from(found).map(lambda feature: (OtherCommand(DropFeature(feature)),))
    return operations(program, operation)


def _is_change(step: Step, table: Table) -> bool:
    """Whether a switch makes a difference."""
    assert isinstance(step, OtherCommand) and isinstance(step.command, Switch), "a switch"
    return table.has(step.command.feature) is not step.command.on


def _with(table: Table, feature: Feature) -> Table:
    return replace(table, features=tuple(name for name in FEATURES if name in {*table.features, feature.value}))


def _seconds(table: Table, second: Second, *, by_earlier: bool) -> SearchStrategy[Step]:
    return _deletes(table, second, by_earlier) if second.deletes else _vacuums(second, by_earlier)


@st.composite
def _deletes(draw: DrawFn, table: Table, second: Second, by_earlier: bool) -> Delete:
    columns = [column for column in table.data_columns if not is_nested(column.type)]
    if second is Second.DELETE_ALL:
        return Delete(by_earlier=by_earlier)
    if second is Second.DELETE_FILES and table.partition_by:
        return Delete(draw(predicates(table, over="partition")), by_earlier=by_earlier)
    if second is Second.DELETE_FILES or not columns:
        return Delete(Constant(second is not Second.DELETE_NOTHING), by_earlier=by_earlier)
    if second is Second.DELETE_ROWS:
        return Delete(draw(picks(table)), by_earlier=by_earlier)
    column = draw(st.sampled_from(columns))
    # Seldom a value of the table: what the DELETE finds out is that there is nothing to do.
    return Delete(Compare(column.name, Op.EQ, draw(values(column.type, nulls=0)), column.type), by_earlier=by_earlier)


@st.composite
def _vacuums(draw: DrawFn, second: Second, by_earlier: bool) -> Vacuum:
    mode = Mode.DEFAULT
    if second is Second.LITE:
        mode = Mode.LITE_SETTING if by_earlier else draw(odds((2, Mode.LITE), (1, Mode.LITE_SETTING)))
    retain = ("zero", False) if draw(st.booleans()) else None
    dry_run = second is Second.DRY_RUN
    step = draw(vacuums(mode=mode, dry_run=dry_run, retain=retain, forms=(VacuumForm.SQL_PATH,)))
    if by_earlier:
        kept = Vacuum(step.retain_hours, safety_check=step.safety_check, logging=step.logging, mode=mode)
        return replace(kept, by_earlier=True)
    return step
