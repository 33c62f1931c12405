"""Programs: fixed-length lists of weighted operations. Each uses the ids and instants drawn before it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from model.steps import AddStrayFiles, Append, Delete, EngineStep, Mode, Moment, Read, SetClock, Step, Vacuum
from model.table import DAY, HOUR, Commit, DataFile, StrayFile, Table
from strategies.clocks import clocks, stamped_clocks
from strategies.predicates import Over, constants, predicates
from strategies.stray_files import stray_files
from strategies.tables import data_files, live_files, partitions_of
from strategies.vacuum_steps import supports_inventories, vacuums
from strategies.weights import odds, weighted

#: No case runs this long (ms): this long after a DELETE's timestamp is after all timestamps of the program.
_LONGER_THAN_A_CASE = DAY

_OPERATIONS = odds(
    (3, "delete"), (4, "vacuum"), (3, "clock"), (4, "append"), (3, "stray files"), (1, "read"), (2, "read before")
)
#: Two in three programs contain these operations in this order; the engine runs two of them.
_SEQUENCE = ("delete", "clock", "vacuum")
_SEQUENCE_STEPS = 2
_OTHER_COLUMNS: tuple[Over, ...] = ("mixed", "any", "partition")


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
def programs(
    draw: DrawFn, table: Table, *, length: int = 7, engine_steps: int = 6, metadata_only: bool = False
) -> tuple[Step, ...]:
    """Programs of ``length`` operations on ``table`` and a final read: at most ``engine_steps`` steps of the engine.

    An operation is an append, a DELETE, a clock setting, new stray files, one or two VACUUMs (of any mode and form, two
    in three without a keyword; no RETAIN, no I/O fault), or a read of the current or an earlier version. Steps beyond
    ``engine_steps`` are left out. The length is fixed because Hypothesis prefers short lists, and short programs rarely
    have a DELETE before a VACUUM. Two in three programs contain a DELETE, a clock setting and a VACUUM in this order,
    with any operations around them. The clock never goes back. Shrinks operation by operation.

    >>> case = Case(table, draw(programs(table, length=5)))
    """
    sequence: dict[int, str] = {}
    if length >= len(_SEQUENCE) and engine_steps > _SEQUENCE_STEPS and draw(odds((2, True), (1, False))):
        places = draw(st.sampled_from(list(combinations(range(length), len(_SEQUENCE)))))
        sequence = dict(zip(places, _SEQUENCE))
    # Engine steps for the final read and for the sequence are reserved.
    program = Program(table, engine_steps=engine_steps - 1 - (_SEQUENCE_STEPS if sequence else 0))
    for place, operation in enumerate([sequence.get(place) or draw(_OPERATIONS) for place in range(length)]):
        if place in sequence and operation in ("delete", "vacuum"):
            program.engine_steps += 1
        if operation == "append":
            program.append(draw(appends(program)))
        elif operation == "stray files":
            age = table.retention - program.clock
            program.new_stray_files(draw(stray_files(program.table, cutoff_age=age, min_size=1, max_size=4)))
        elif operation == "clock":
            program.set_clock(draw(next_clocks(program)))
        elif operation == "delete":
            program.run(draw(deletes(program.table, metadata_only=metadata_only)))
        elif operation == "vacuum":
            for dry_run in draw(st.sampled_from([(False,), (True, False), (False, False), (True,)])):
                program.run(draw(any_vacuums(program, dry_run=dry_run)))
        elif operation == "read before" and program.steps:
            program.run(Read(before_step=draw(st.integers(0, len(program.steps) - 1))))
        else:
            program.run(Read())
    return (*program.steps, Read())


class Program:
    """A program being drawn, by a strategy or a state machine: its steps, its table with appends, and its clock."""

    def __init__(self, table: Table, *, engine_steps: int) -> None:
        self.initial = table
        self.engine_steps = engine_steps  # how many more the program may have
        self.steps: list[Step] = []
        self.table = table  # DELETEs are not applied: predicates may use values that were deleted
        self.clock = 0  # ms from the start; relative to a DELETE's timestamp, the least that it can be
        self.stamp: int | None = None  # the DELETE step that the clock is relative to

    def run(self, step: EngineStep) -> None:
        if self.engine_steps > 0:
            self.engine_steps -= 1
            self.steps.append(step)

    def append(self, files: tuple[DataFile, ...]) -> None:
        self.steps.append(Append(files))
        commit = Commit(at=self.clock, adds=tuple(file.id for file in files))
        self.table = replace(self.table, files=self.table.files + files, commits=(*self.table.commits, commit))

    def new_stray_files(self, stray_files: tuple[StrayFile, ...]) -> None:
        if stray_files:
            self.steps.append(AddStrayFiles(stray_files))
            self.table = replace(self.table, stray_files=self.table.stray_files + stray_files)

    def set_clock(self, step: SetClock) -> None:
        self.steps.append(step)
        self.clock, self.stamp = step.to.offset, step.to.removed_by_step


@st.composite
def any_vacuums(draw: DrawFn, program: Program, *, dry_run: bool) -> Vacuum:
    """A VACUUM of any mode and form; USING INVENTORY only if ``supports_inventories``. Shrinks to no keyword."""
    mode = draw(odds((8, Mode.DEFAULT), *((1, mode) for mode in Mode)))
    if mode.inventory and not supports_inventories(program.table):
        mode = Mode.DEFAULT
    return draw(vacuums(mode=mode, dry_run=dry_run))


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
