"""Programs: references are valid, the clock never goes back, and pairs of operations are frequent."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model import codec
from model.vocabulary.case import Case
from model.vocabulary.operations import COMMANDS, DRAWN, Operation, operation_of
from model.vocabulary.predicate import Constant, columns_of
from model.vocabulary.steps import (
    ENGINE_STEPS,
    AddStrayFiles,
    Append,
    Delete,
    Insert,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
)
from model.vocabulary.table import DAY, Feature, Table
from strategies.steps.operations import allows, deletes, operations
from strategies.steps.program_state import Program
from strategies.steps.programs import programs
from strategies.tables.initial_tables import tables
from strategies.tables.program_tables import program_tables
from tests.sampling import check_shares, fifty, sample

#: What is drawn in campaigns of its own.
_OTHERS = (*COMMANDS, Operation.OPEN_SESSION, Operation.AT_ONCE)

Drawn = tuple[Table, tuple[Step, ...]]


@st.composite
def tables_with_programs(draw: st.DrawFn, /, **arguments: int) -> Drawn:
    table = draw(program_tables())
    return table, draw(programs(table, **arguments))  # type: ignore[arg-type]


@pytest.mark.long
@given(tables_with_programs(length=3, engine_steps=2))
def test_the_length_and_the_engine_steps_are_bounded(program: Drawn) -> None:
    _, steps = program
    assert sum(isinstance(step, ENGINE_STEPS) for step in steps) <= 2
    # Three operations, of which one may be two steps, and the last read.
    assert len(steps) <= 7


@pytest.mark.long
@fifty
@given(tables_with_programs(length=12, engine_steps=9))
def test_the_clock_never_goes_back(program: Drawn) -> None:
    _, steps = program
    # Timestamps increase, all within a day after the start; a step that removed nothing counts as the start. The extremes
    # are none at all, and as late as possible.
    for stamp in (0, DAY - 1):
        now = 0
        for step in steps:
            if isinstance(step, SetClock):
                moment = step.to.offset + (0 if step.to.removed_by_step is None else stamp)
                assert moment >= now
                now = moment
    assert all(
        isinstance(steps[step.to.removed_by_step], Delete)
        for step in steps
        if isinstance(step, SetClock) and step.to.removed_by_step is not None
    )


@st.composite
def of_operations(draw: st.DrawFn, *some: Operation, last: Operation) -> Drawn:
    """A table with up to five of these operations, in any order, and with the last one if it is allowed then."""
    program = Program(draw(program_tables()), engine_steps=99)
    for operation in (*draw(st.lists(st.sampled_from(some), min_size=1, max_size=5)), last):
        for step in draw(operations(program, operation)) if allows(program, operation) else ():
            program.take(step)
    return program.initial, tuple(program.steps)


@pytest.mark.long
def test_appended_files_are_not_newer_than_the_clock() -> None:
    ages: list[tuple[int, int]] = []  # of a file, and of the clock
    others = (Operation.CLOCK, Operation.VACUUM, Operation.APPEND)
    for _, steps in sample(of_operations(*others, last=Operation.APPEND), seeds=range(2)):
        clock = 0
        for step in steps:
            if isinstance(step, SetClock):
                clock = step.to.offset
            elif isinstance(step, Append):
                ages += [(file.modified, clock) for file in step.files]
    assert len(ages) >= 50 and all(0 <= modified <= now for modified, now in ages)


@cache
def sampled() -> list[Drawn]:
    return sample(tables_with_programs())


@pytest.mark.slow
def test_pairs_of_operations_are_frequent() -> None:
    def conditions(program: Drawn) -> dict[str, tuple[float, bool]]:
        table, steps = program
        kinds = [type(step) for step in steps]

        def follows(first: type, second: type) -> bool:
            return first in kinds and second in kinds[kinds.index(first) + 1 :]

        def follows_append(second: type) -> bool:
            return follows(Append, second) or follows(Insert, second)

        stamped = [step.to for step in steps if isinstance(step, SetClock) and step.to.removed_by_step is not None]
        clock_between = any(
            Delete in kinds[:place] and Vacuum in kinds[place:] for place, kind in enumerate(kinds) if kind is SetClock
        )
        return {
            "delete, then vacuum": (10, follows(Delete, Vacuum)),
            "delete, clock, vacuum": (10, clock_between),
            "append, then delete": (6, follows_append(Delete)),
            "append, then vacuum": (8, follows_append(Vacuum)),
            "stray files, then vacuum": (8, follows(AddStrayFiles, Vacuum)),
            "vacuum, then delete": (10, follows(Vacuum, Delete)),
            "vacuum twice": (10, kinds.count(Vacuum) >= 2),
            "dry run": (8, any(isinstance(step, Vacuum) and step.dry_run for step in steps)),
            "read before a step": (8, any(isinstance(s, Read) and s.before_step is not None for s in steps)),
            "clock relative to a timestamp": (10, bool(stamped)),
            "cutoff on a timestamp": (4, any(moment.offset == table.retention for moment in stamped)),
        }

    check_shares(sampled(), conditions)


@given(st.data())
def test_metadata_only_deletes_use_partition_columns_only(data: st.DataObject) -> None:
    table = data.draw(tables())
    step = data.draw(deletes(table, metadata_only=True))
    if step.where is not None:
        assert columns_of(step.where) <= set(table.partition_by)
        assert table.partition_by or isinstance(step.where, Constant)


@pytest.mark.long
@fifty
@given(st.data())
def test_an_operation_ends_with_a_step_of_its_kind(data: st.DataObject) -> None:
    program = Program(data.draw(program_tables()), engine_steps=9)
    for operation in data.draw(
        st.permutations([one for one in DRAWN if one not in (Operation.OPEN_SESSION, Operation.AT_ONCE)])
    ):
        if not allows(program, operation):
            continue
        steps = data.draw(operations(program, operation))
        assert operation is Operation.STRAY_FILES or operation_of(steps[-1]) is operation
        for step in steps:
            program.take(step)
    case = Case(program.initial, tuple(program.steps))
    assert codec.from_json(codec.to_json(case)) == case


@pytest.mark.long
def test_changes_are_read_while_their_files_are_certain() -> None:
    """A VACUUM after the DELETE could delete its change files, and a version beyond retention may be refused."""
    others = (Operation.DELETE, Operation.VACUUM, Operation.DRY_RUN, Operation.CLOCK)
    found = 0
    for table, steps in sample(of_operations(*others, last=Operation.READ_CHANGES), seeds=range(2)):
        for place, read in enumerate(steps):
            if isinstance(read, ReadChanges):
                found += 1
                assert table.has(Feature.CHANGE_DATA_FEED) and isinstance(steps[read.of_step], Delete)
                between = steps[read.of_step : place]
                assert not any(isinstance(one, Vacuum) and not one.dry_run for one in between)
    assert found >= 10


@pytest.mark.slow
def test_every_operation_and_most_features_are_drawn() -> None:
    def conditions(program: Drawn) -> dict[str, tuple[float, bool]]:
        table, steps = program
        drawn = {operation_of(step) for step in steps}
        return {
            **{operation.value: (0.25, operation in drawn) for operation in DRAWN if operation not in _OTHERS},
            "deletion vectors": (10, table.has(Feature.DELETION_VECTORS)),
            "change feed": (10, table.has(Feature.CHANGE_DATA_FEED)),
            "column mapping": (10, table.maps_columns),
            "row tracking": (8, table.has(Feature.ROW_TRACKING)),
            "in-commit timestamps": (8, table.has(Feature.IN_COMMIT_TIMESTAMPS)),
            "partitions": (20, bool(table.partition_by)),
            "checkpoint": (15, any(commit.checkpoint for commit in table.commits)),
            "frequent checkpoints": (8, table.has(Feature.FREQUENT_CHECKPOINTS)),
            "pruned log": (2, table.pruned > 0),
            "no feature": (8, not table.features),
        }

    check_shares(sampled(), conditions)
