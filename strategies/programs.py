"""Programs: fixed-length lists of weighted operations, each aware of the ids and instants drawn before it."""

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
from strategies.vacuum_steps import takes_inventories, vacuums
from strategies.weights import odds, weighted

#: No case takes so long: an instant this far after a DELETE's stamp is after whatever else the program stamps.
_LONGER_THAN_A_CASE = DAY

_OPERATIONS = odds(
    (3, "delete"), (4, "vacuum"), (3, "clock"), (4, "append"), (3, "litter"), (1, "read"), (2, "read before")
)
#: What two of three programs hold in this order, and how many runs of the engine that takes.
_SPINE = ("delete", "clock", "vacuum")
_SPINE_STEPS = 2
_OTHERS: tuple[Over, ...] = ("mixed", "any", "partition")


def deletes(table: Table, *, metadata_only: bool = False) -> SearchStrategy[Delete]:
    """DELETE steps: with a predicate mostly, one in ten with a constant, one in five with none.

    ``metadata_only`` keeps to predicates over partition columns. Shrinks to a predicate of one test.
    """
    if not metadata_only:
        condition = predicates(table, over="data")
        if table.partition_by:
            joined, any_, partition = (predicates(table, over=over) for over in _OTHERS)
            condition = weighted((1, condition), (1, joined), (1, any_), (1, partition))
    elif table.partition_by:
        condition = predicates(table, over="partition")
    else:
        condition = constants()
    return weighted((14, condition), (2, constants()), (4, st.none())).map(Delete)


@st.composite
def programs(
    draw: DrawFn, table: Table, *, length: int = 7, engine_steps: int = 6, metadata_only: bool = False
) -> tuple[Step, ...]:
    """Programs of ``length`` operations on ``table``, and a read at their end, in ``engine_steps`` runs of the engine.

    An operation is an append, a DELETE, a step of the clock, strays that appear, one or two VACUUMs (of any mode and form,
    two in three by a plain listing, without RETAIN and troubles), or a read of the current version or of one before a
    step. What would pass the limit of runs is left out. The list is of fixed length:
    Hypothesis shortens lists that it may, and a short program seldom holds a DELETE before a VACUUM. In two of three
    programs a DELETE, a step of the clock and a VACUUM stand in this order, with anything around and between them. The
    clock never goes back. Shrinks operation by operation.
    """
    spine: dict[int, str] = {}
    if length >= len(_SPINE) and engine_steps > _SPINE_STEPS and draw(odds((2, True), (1, False))):
        places = draw(st.sampled_from(list(combinations(range(length), len(_SPINE)))))
        spine = dict(zip(places, _SPINE))
    # The last read, and the spine, have their runs of the engine whatever else is drawn.
    program = Program(table, engine_steps=engine_steps - 1 - (_SPINE_STEPS if spine else 0))
    for place, operation in enumerate([spine.get(place) or draw(_OPERATIONS) for place in range(length)]):
        if place in spine and operation in ("delete", "vacuum"):
            program.engine_steps += 1
        if operation == "append":
            program.append(draw(appends(program)))
        elif operation == "litter":
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
    """A program under drawing, by a strategy or by a state machine.

    It has its steps, the table as appends and strays have grown it, and where the clock stands.
    """

    def __init__(self, table: Table, *, engine_steps: int) -> None:
        self.initial = table
        self.engine_steps = engine_steps  # how many more runs of the engine there may be
        self.steps: list[Step] = []
        self.table = table  # DELETEs are not applied: predicates may well name values that are gone
        self.clock = 0  # ms from the start; where the clock follows a stamp, the least that it can be
        self.stamp: int | None = None  # the step whose stamp the clock follows, None where it follows none

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
    """A VACUUM of any mode and form; by an inventory only while it can hold the table's strays. Shrinks to a listing."""
    mode = draw(odds((8, Mode.DEFAULT), *((1, mode) for mode in Mode)))
    if mode.inventory and not takes_inventories(program.table):
        mode = Mode.DEFAULT
    return draw(vacuums(mode=mode, dry_run=dry_run))


@st.composite
def next_clocks(draw: DrawFn, program: Program) -> SetClock:
    """A setting that is not before the present one, whenever the program's DELETEs are run within a case's time."""
    retention = program.table.retention
    stamped = [index for index, step in enumerate(program.steps) if isinstance(step, Delete)]
    # A stamp is made after the start, so a clock that follows one is at least at retention - 1 ms. Once a clock follows
    # a stamp, surely later are only the same stamp with a larger offset, and an instant beyond any stamp of the case.
    if stamped and program.stamp is None and program.clock < retention and draw(odds((3, True), (1, False))):
        return draw(stamped_clocks(retention=retention, removed_by_step=draw(st.sampled_from(stamped))))
    if program.stamp is not None and program.clock <= retention and draw(odds((3, True), (1, False))):
        return SetClock(Moment(program.clock + 1, program.stamp))
    least = program.clock if program.stamp is None else program.clock + _LONGER_THAN_A_CASE
    return draw(clocks(program.table, retention=retention, not_before=least))


@st.composite
def appends(draw: DrawFn, program: Program) -> tuple[DataFile, ...]:
    """One or two new files, written just now or up to an hour ago, in partitions that exist or new ones."""
    table = program.table
    existing = [file.partition for file in live_files(table)]
    places = weighted((2 if existing else 0, st.sampled_from(existing or [()])), (1, partitions_of(table)))
    written = st.sampled_from([program.clock, max(program.clock - 1, 0), max(program.clock - HOUR, 0)])
    first = max((file.id for file in table.files), default=-1) + 1
    count = draw(odds((2, 1), (1, 2)))
    return tuple(
        draw(data_files(table, id=id, partitions=places, modified=written)) for id in range(first, first + count)
    )
