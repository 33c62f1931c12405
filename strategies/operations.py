"""The steps of an operation (``model.vocabulary.operations``) that may follow a program.

Each uses the ids and instants before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

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
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumMistake,
)
from model.vocabulary.table import DAY, HOUR, Commit, DataFile, Feature, StrayFile, Table
from strategies.clocks import clocks, stamped_clocks
from strategies.paths import joined
from strategies.predicates import Over, constants, picks, predicates
from strategies.stray_files import stray_files
from strategies.tables import data_files, live_files, partitions_of
from strategies.vacuum_steps import LISTED_MODES, LITE_MODES, RETAIN_CLAUSES, supports_inventories, vacuums
from strategies.weights import odds, one_in, weighted

#: No case runs this long (ms): this long after a DELETE's timestamp is after all timestamps of the program.
_LONGER_THAN_A_CASE = DAY

_OTHER_COLUMNS: tuple[Over, ...] = ("mixed", "any", "partition")

#: The forms that take a condition.
CONDITIONAL_FORMS = tuple(form for form in Form if form is not Form.TRUNCATE)
ANY_FORM_SOMETIMES = odds((3 * len(CONDITIONAL_FORMS), Form.SQL_PATH), *((1, form) for form in CONDITIONAL_FORMS))

_INVENTORY_MODES = st.sampled_from((Mode.INVENTORY_QUERY, Mode.INVENTORY_TABLE))


class Program:
    """A program being drawn, by a strategy or a state machine: its steps, its table with appends, and its clock."""

    def __init__(self, table: Table, *, engine_steps: int) -> None:
        self.initial = table
        self.engine_steps = engine_steps  # how many more the program may have
        self.steps: list[Step] = []
        self.table = table  # DELETEs are not applied: predicates may use values that were deleted
        self.clock = 0  # ms from the start; relative to a DELETE's timestamp, the least that it can be
        self.stamp: int | None = None  # the DELETE step that the clock is relative to

    def take(self, step: Step) -> bool:
        """Add a step, and return whether it was: the engine's only while the program may have more of them."""
        if isinstance(step, SetClock):
            self.clock, self.stamp = step.to.offset, step.to.removed_by_step
        elif isinstance(step, AddStrayFiles):
            self.table = replace(self.table, stray_files=self.table.stray_files + step.stray_files)
        elif isinstance(step, Append):
            commit = Commit(at=self.clock, adds=tuple(file.id for file in step.files))
            self.table = replace(self.table, files=self.table.files + step.files, commits=(*self.table.commits, commit))
        elif self.engine_steps > 0:
            self.engine_steps -= 1
        else:
            return False
        self.steps.append(step)
        return True


def allows(program: Program, operation: Operation) -> bool:
    """Whether the operation can follow the program. What happens without the engine does not happen twice in a row."""
    if operation in _WITHOUT_ENGINE and program.steps and operation_of(program.steps[-1]) is operation:
        return False
    condition = _CONDITIONS.get(operation)
    return condition is None or condition(program)


def operations(program: Program, operation: Operation) -> SearchStrategy[tuple[Step, ...]]:
    """The steps of an operation that the program allows: one or more, the last of which is of this operation."""
    return _STEPS[operation](program)


# Conditions ---------------------------------------------------------------------------------------------------------------


def _has_no_stamps_in_the_log(program: Program) -> bool:
    """Another writer's commit is written without reading the log, which has the next row id and in-commit timestamp."""
    return not program.table.has(Feature.ROW_TRACKING, Feature.IN_COMMIT_TIMESTAMPS)


def _feeds_changes(program: Program) -> bool:
    """Whether the changes of a DELETE can be read now: its version is inside retention, and the log has the one before."""
    table = program.table
    inside = program.stamp is None and program.clock < table.retention
    return inside and table.has(Feature.CHANGE_DATA_FEED) and not table.pruned


def _readable_changes(program: Program) -> list[int]:
    """The DELETEs whose files no VACUUM may have deleted."""
    vacuumed = [place for place, step in enumerate(program.steps) if isinstance(step, Vacuum) and not step.dry_run]
    first = max(vacuumed, default=-1)
    return [place for place, step in enumerate(program.steps) if isinstance(step, Delete) and place > first]


_WITHOUT_ENGINE = (Operation.APPEND, Operation.STRAY_FILES, Operation.CLOCK)
_CONDITIONS: Mapping[Operation, Callable[[Program], bool]] = {
    Operation.INVENTORY: lambda program: supports_inventories(program.table),
    Operation.READ_BEFORE: lambda program: bool(program.steps),
    Operation.READ_CHANGES: _feeds_changes,
    Operation.APPEND: _has_no_stamps_in_the_log,
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
    return weighted((14, condition), (2, constants()), (4, st.none())).map(Delete)


@st.composite
def deletes_in_any_form(draw: DrawFn, program: Program) -> tuple[Delete]:
    """DELETEs, a quarter in another form than SQL by path; half select rows of one file. Shrinks to SQL by path."""
    picked: SearchStrategy[Predicate] = picks(program.table)
    step = draw(weighted((1, deletes(program.table)), (1, picked.map(Delete))))
    truncates = step.where is None and draw(one_in(4))
    return (replace(step, form=Form.TRUNCATE if truncates else draw(ANY_FORM_SOMETIMES)),)


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
def _invalid_vacuums(draw: DrawFn, program: Program) -> tuple[InvalidVacuum]:
    partitioned = program.table.partition_by and live_files(program.initial)
    mistakes = [one for one in VacuumMistake if one is not VacuumMistake.PARTITION_DIRECTORY or partitioned]
    return (InvalidVacuum(draw(st.sampled_from(mistakes)), dry_run=draw(st.booleans())),)


# Reads, other writers and the clock ----------------------------------------------------------------------------------------


@st.composite
def next_clocks(draw: DrawFn, program: Program) -> SetClock:
    """A setting that is never before the current one, whenever the DELETEs of the program run."""
    retention = program.table.retention
    stamped = [index for index, step in enumerate(program.steps) if isinstance(step, Delete)]
    # A DELETE's timestamp is after the start, so a clock relative to one is at least at retention - 1 ms. After it, only
    # two settings are certainly later: a larger offset from the same timestamp, and an instant beyond all timestamps.
    if stamped and program.stamp is None and program.clock < retention and draw(odds((3, True), (1, False))):
        return draw(stamped_clocks(retention=retention, removed_by_step=draw(st.sampled_from(stamped))))
    if program.stamp is not None and program.clock <= retention and draw(odds((3, True), (1, False))):
        return SetClock(Moment(program.clock + 1, program.stamp))
    least = program.clock if program.stamp is None else program.clock + _LONGER_THAN_A_CASE
    return draw(clocks(program.table, retention=retention, not_before=least))


@st.composite
def appends(draw: DrawFn, program: Program) -> tuple[DataFile, ...]:
    """One or two new files, at most an hour old, in existing or new partitions."""
    table = program.table
    existing = [file.partition for file in live_files(table)]
    places = weighted((2 if existing else 0, st.sampled_from(existing or [()])), (1, partitions_of(table)))
    written = st.sampled_from([program.clock, max(program.clock - 1, 0), max(program.clock - HOUR, 0)])
    first = max((file.id for file in table.files), default=-1) + 1
    count = draw(odds((2, 1), (1, 2)))
    return tuple(
        draw(data_files(table, id=id, partitions=places, modified=written)) for id in range(first, first + count)
    )


@st.composite
def _inserts(draw: DrawFn, program: Program) -> tuple[Insert]:
    """The rows of one or two files, in existing or new partitions."""
    files = draw(appends(program).filter(lambda files: any(file.rows for file in files)))
    return (Insert(tuple(program.table.row(file.partition, row) for file in files for row in file.rows)),)


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


_STEPS: Mapping[Operation, Callable[[Program], SearchStrategy[tuple[Step, ...]]]] = {
    Operation.DELETE: deletes_in_any_form,
    Operation.INVALID_DELETE: _invalid_deletes,
    Operation.VACUUM: _listing_vacuums,
    Operation.RETAIN: _retaining_vacuums,
    Operation.LITE: lambda program: LITE_MODES.flatmap(lambda mode: st.tuples(vacuums(mode=mode))),
    Operation.INVENTORY: lambda program: _INVENTORY_MODES.flatmap(lambda mode: st.tuples(vacuums(mode=mode))),
    Operation.DRY_RUN: _dry_runs,
    Operation.IO_FAULT: _faulty_vacuums,
    Operation.INVALID_VACUUM: _invalid_vacuums,
    Operation.READ: lambda program: st.just((Read(),)),
    Operation.READ_BEFORE: _reads_before,
    Operation.READ_CHANGES: _reads_of_changes,
    Operation.INSERT: _inserts,
    Operation.APPEND: lambda program: st.tuples(appends(program).map(Append)),
    Operation.STRAY_FILES: _new_stray_files,
    Operation.CLOCK: lambda program: st.tuples(next_clocks(program)),
}
