"""The steps of an operation (``model.vocabulary.operations``) that may follow a program.

Each uses the ids and instants before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.vocabulary.commands import Command
from model.vocabulary.operations import Operation, operation_of
from model.vocabulary.predicate import Predicate
from model.vocabulary.steps import (
    AddStrayFiles,
    Append,
    Delete,
    DeleteMistake,
    Form,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    IOFault,
    Mode,
    Moment,
    OtherCommand,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import DAY, Feature, StrayFile, Table
from strategies.conditions.literals import conditional_deletes
from strategies.conditions.predicates import Over, constants, picks, predicates
from strategies.steps.clocks import clocks, stamped_clocks
from strategies.steps.commands import COMMAND_CONDITIONS, COMMANDS, optimizes_of_several
from strategies.steps.crash_points import OF_CHECKPOINTS, OF_COMMITS, OF_FILES, OF_VACUUMS
from strategies.steps.new_rows import new_files, new_rows
from strategies.steps.program_state import LONGER_THAN_A_CASE, Program
from strategies.steps.vacuums import LISTED_MODES, LITE_MODES, RETAIN_CLAUSES, supports_inventories, vacuums
from strategies.tables.initial_tables import live_files
from strategies.tables.paths import joined
from strategies.tables.stray_files import stray_files
from strategies.weights import odds, one_in, weighted

_OTHER_COLUMNS: tuple[Over, ...] = ("mixed", "any", "partition")

#: The forms that take a condition.
CONDITIONAL_FORMS = tuple(form for form in Form if form is not Form.TRUNCATE)
ANY_FORM_SOMETIMES = odds((3 * len(CONDITIONAL_FORMS), Form.SQL_PATH), *((1, form) for form in CONDITIONAL_FORMS))

_INVENTORY_MODES = st.sampled_from((Mode.INVENTORY_QUERY, Mode.INVENTORY_TABLE))


def allows(program: Program, operation: Operation) -> bool:
    """Whether the operation can follow the program. What happens without the engine does not happen twice in a row."""
    if operation in _WITHOUT_ENGINE and program.steps and operation_of(program.steps[-1]) is operation:
        return False
    condition = _CONDITIONS.get(operation)
    return condition is None or condition(program)


def operations(program: Program, operation: Operation) -> SearchStrategy[tuple[Step, ...]]:
    """The steps of an operation that the program allows: one or more; the last is the operation itself."""
    return _STEPS[operation](program)


# Conditions ---------------------------------------------------------------------------------------------------------------


def _has_no_stamps_in_the_log(program: Program) -> bool:
    """Another writer's commit is written without reading the log, which has the next row id and in-commit timestamp; its files
    have the columns that the table had at first."""
    stamped = any(table.has(Feature.ROW_TRACKING, Feature.IN_COMMIT_TIMESTAMPS) for table in program.tables)
    return not stamped and program.table.columns == program.initial.columns


def _feeds_changes(program: Program) -> bool:
    """Whether the changes of a DELETE can be read now: its version is inside retention, and the log has the one before."""
    table = program.table
    inside = program.stamp is None and program.clock < table.retention
    return inside and table.has(Feature.CHANGE_DATA_FEED) and not table.pruned


def _readable_changes(program: Program) -> list[int]:
    """The DELETEs whose files no VACUUM may have deleted, with the columns and the change feed that the table has now."""
    vacuumed = [place for place, step in enumerate(program.steps) if isinstance(step, Vacuum) and not step.dry_run]
    first = max(vacuumed, default=-1)
    return [place for place in program.deletes() if place > first and _fed_changes(program, program.tables[place])]


def _fed_changes(program: Program, then: Table) -> bool:
    return then.has(Feature.CHANGE_DATA_FEED) and then.columns == program.table.columns


_WITHOUT_ENGINE = (Operation.APPEND, Operation.STRAY_FILES, Operation.CLOCK)
_CONDITIONS: Mapping[Operation, Callable[[Program], bool]] = {
    Operation.INVENTORY: lambda program: supports_inventories(program.table),
    Operation.READ_BEFORE: lambda program: bool(program.steps),
    Operation.READ_CHANGES: _feeds_changes,
    Operation.APPEND: _has_no_stamps_in_the_log,
    **COMMAND_CONDITIONS,
}


# DELETE -------------------------------------------------------------------------------------------------------------------


def deletes(table: Table, *, metadata_only: bool = False) -> SearchStrategy[Delete]:
    """DELETE steps: one in ten has a constant as its condition, one in five none, the others a predicate.

    ``metadata_only`` restricts predicates to partition columns. Shrinks to a predicate of one test.
    """
    if not metadata_only:
        condition = predicates(table, over="data")
        if table.partition_by:
            condition = weighted((1, condition), *((1, predicates(table, over=over)) for over in _OTHER_COLUMNS))
    elif table.partition_by:
        condition = predicates(table, over="partition")
    else:
        condition = constants()
    return conditional_deletes(weighted((14, condition), (2, constants()), (4, st.none())))


@st.composite
def deletes_in_any_form(draw: DrawFn, program: Program) -> tuple[Delete]:
    """DELETEs, a quarter in another form than SQL by path; half select rows of one file. Shrinks to SQL by path."""
    picked: SearchStrategy[Predicate] = picks(program.table)
    step = draw(weighted((1, deletes(program.table)), (1, conditional_deletes(picked))))
    truncates = step.where is None and draw(one_in(4))
    return (replace(step, form=Form.TRUNCATE if truncates else draw(ANY_FORM_SOMETIMES)),)


@st.composite
def _killed_deletes(draw: DrawFn, program: Program) -> tuple[Delete]:
    """Three in four select rows of one file: a DELETE that finds no row is not killed."""
    crash = draw(st.sampled_from(OF_FILES + OF_COMMITS + OF_CHECKPOINTS))
    picked: SearchStrategy[Predicate] = picks(program.table)
    step = draw(weighted((1, deletes(program.table)), (3, conditional_deletes(picked))))
    return (replace(step, crash=crash),)


@st.composite
def _invalid_deletes(draw: DrawFn, program: Program) -> tuple[InvalidDelete]:
    partitioned = program.table.partition_by and live_files(program.initial)
    mistakes = [one for one in DeleteMistake if one is not DeleteMistake.PARTITION_DIRECTORY or partitioned]
    return (InvalidDelete(draw(st.sampled_from(mistakes))),)


# VACUUM -------------------------------------------------------------------------------------------------------------------


@st.composite
def _listing_vacuums(draw: DrawFn, program: Program) -> tuple[Vacuum, ...]:
    """One VACUUM, or two in a row: the second deletes what the first left empty."""
    return tuple(draw(vacuums(mode=draw(LISTED_MODES))) for _ in range(draw(odds((3, 1), (1, 2)))))


@st.composite
def _any_modes(draw: DrawFn, program: Program) -> Mode:
    mode = draw(odds((8, Mode.DEFAULT), *((1, mode) for mode in Mode)))
    return Mode.DEFAULT if mode.inventory and not supports_inventories(program.table) else mode


@st.composite
def _retaining_vacuums(draw: DrawFn, program: Program) -> tuple[Vacuum]:
    return (draw(vacuums(mode=draw(_any_modes(program)), retain=draw(st.sampled_from(RETAIN_CLAUSES)))),)


@st.composite
def _dry_runs(draw: DrawFn, program: Program) -> tuple[Vacuum]:
    """A DRY RUN; one in four has a RETAIN clause."""
    retain = draw(st.sampled_from(RETAIN_CLAUSES)) if draw(one_in(4)) else None
    return (draw(vacuums(mode=draw(_any_modes(program)), dry_run=True, retain=retain)),)


@st.composite
def _faulty_vacuums(draw: DrawFn, program: Program) -> tuple[AddStrayFiles, Vacuum]:
    """New stray files, all old, and a VACUUM with an I/O fault of one of them or of their directory."""
    directory = f"fault {len(program.steps)}"
    modified = min(program.clock - program.table.retention - DAY, 0)
    files = tuple(StrayFile(joined(directory, name), modified=modified) for name in ("a.parquet", "b%20.parquet"))
    io_fault = draw(st.sampled_from(tuple(IOFault)))
    path = draw(st.sampled_from(files)).path if io_fault.of_deletion else directory
    return AddStrayFiles(files), replace(draw(vacuums(mode=draw(LISTED_MODES))), io_fault=io_fault, faulty_path=path)


@st.composite
def _killed_vacuums(draw: DrawFn, program: Program) -> tuple[Vacuum]:
    crash = draw(st.sampled_from(OF_VACUUMS + OF_CHECKPOINTS))
    mode = draw(weighted((2, LISTED_MODES), (1, LITE_MODES)))
    whole = draw(vacuums(mode=mode, forms=(VacuumForm.SQL_PATH,)))
    return (replace(whole, parallel=False, logging=True, crash=crash),)


@st.composite
def _invalid_vacuums(draw: DrawFn, program: Program) -> tuple[InvalidVacuum]:
    partitioned = program.table.partition_by and live_files(program.initial)
    mistakes = [one for one in VacuumMistake if one is not VacuumMistake.PARTITION_DIRECTORY or partitioned]
    return (InvalidVacuum(draw(st.sampled_from(mistakes)), dry_run=draw(st.booleans())),)


# Reads, other writers and the clock ----------------------------------------------------------------------------------------


@st.composite
def next_clocks(draw: DrawFn, program: Program) -> SetClock:
    """A setting that is never before the current one, whenever the DELETEs of the program run."""
    retention = program.table.retention
    stamped = program.deletes()
    # A DELETE's timestamp is after the start, so a clock relative to one is at least at retention - 1 ms. After it, only
    # two settings are certainly later: a larger offset from the same timestamp, and an instant beyond all timestamps.
    if stamped and program.stamp is None and program.clock < retention and draw(odds((3, True), (1, False))):
        return draw(stamped_clocks(retention=retention, removed_by_step=draw(st.sampled_from(stamped))))
    if program.stamp is not None and program.clock <= retention and draw(odds((3, True), (1, False))):
        return SetClock(Moment(program.clock + 1, program.stamp))
    least = program.clock if program.stamp is None else program.clock + LONGER_THAN_A_CASE
    return draw(clocks(program.table, retention=retention, not_before=least))


def _new_stray_files(program: Program) -> SearchStrategy[tuple[Step, ...]]:
    age = program.table.retention - program.clock
    found = stray_files(program.table, cutoff_age=age, min_size=1, max_size=4)
    return found.map(lambda stray_files: (AddStrayFiles(stray_files),) if stray_files else ())


def _reads_before(program: Program) -> SearchStrategy[tuple[Read]]:
    return st.integers(0, len(program.steps) - 1).map(lambda place: (Read(before_step=place),))


@st.composite
def _reads_of_changes(draw: DrawFn, program: Program) -> tuple[Step, ...]:
    """The changes of an earlier DELETE, or of a new one if there is none whose changes can be read."""
    readable = _readable_changes(program)
    if readable:
        return (ReadChanges(of_step=draw(st.sampled_from(readable))),)
    return (*draw(deletes_in_any_form(program)), ReadChanges(of_step=len(program.steps)))


def _commands(
    drawn: Callable[[Program], SearchStrategy[Command]], program: Program
) -> SearchStrategy[tuple[OtherCommand]]:
    return st.tuples(drawn(program).map(OtherCommand))


_STEPS: Mapping[Operation, Callable[[Program], SearchStrategy[tuple[Step, ...]]]] = {
    Operation.DELETE: deletes_in_any_form,
    Operation.KILLED_DELETE: _killed_deletes,
    Operation.INVALID_DELETE: _invalid_deletes,
    Operation.VACUUM: _listing_vacuums,
    Operation.RETAIN: _retaining_vacuums,
    Operation.LITE: lambda program: LITE_MODES.flatmap(lambda mode: st.tuples(vacuums(mode=mode))),
    Operation.INVENTORY: lambda program: _INVENTORY_MODES.flatmap(lambda mode: st.tuples(vacuums(mode=mode))),
    Operation.DRY_RUN: _dry_runs,
    Operation.IO_FAULT: _faulty_vacuums,
    Operation.KILLED_VACUUM: _killed_vacuums,
    Operation.INVALID_VACUUM: _invalid_vacuums,
    Operation.READ: lambda program: st.just((Read(),)),
    Operation.READ_BEFORE: _reads_before,
    Operation.READ_CHANGES: _reads_of_changes,
    Operation.INSERT: lambda program: st.tuples(new_rows(program).map(Insert)),
    Operation.APPEND: lambda program: st.tuples(new_files(program).map(Append)),
    Operation.STRAY_FILES: _new_stray_files,
    Operation.CLOCK: lambda program: st.tuples(next_clocks(program)),
    **{operation: partial(_commands, drawn) for operation, drawn in COMMANDS.items()},
    Operation.OPTIMIZE: optimizes_of_several,
}
