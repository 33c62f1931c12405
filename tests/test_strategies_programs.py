"""Programs: they refer to what exists, the clock never goes back, and operations meet in pairs."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from model import codec
from model.case import Case
from model.predicate import Constant, columns_of
from model.steps import Append, Delete, AddStrayFiles, Read, SetClock, Step, Vacuum
from model.table import DAY, Table
from strategies.programs import deletes, programs
from strategies.tables import tables

measured = settings(max_examples=50, database=None, deadline=None, suppress_health_check=list(HealthCheck))

DRAWN = st.data()


def draw_program(data: st.DataObject, **arguments: int) -> tuple[Table, tuple[Step, ...]]:
    table = data.draw(tables(retentions=st.sampled_from([None, 24])))
    return table, data.draw(programs(table, **arguments))  # type: ignore[arg-type]


@given(DRAWN)
def test_programs_refer_to_what_exists(data: st.DataObject) -> None:
    table, steps = draw_program(data)
    case = Case(table, steps)
    assert codec.from_json(codec.to_json(case)) == case
    assert isinstance(steps[-1], Read)
    assert 1 <= sum(isinstance(step, (Delete, Vacuum, Read)) for step in steps) <= 6
    added = [file.id for step in steps if isinstance(step, Append) for file in step.files]
    assert added == list(range(len(table.files), len(table.files) + len(added)))


@given(DRAWN)
def test_the_length_and_the_engine_steps_are_bounded(data: st.DataObject) -> None:
    _, steps = draw_program(data, length=3, engine_steps=2)
    assert sum(isinstance(step, (Delete, Vacuum, Read)) for step in steps) <= 2
    # Three operations, of which a VACUUM may be two steps, and the last read.
    assert len(steps) <= 7


@given(DRAWN)
def test_the_clock_never_goes_back(data: st.DataObject) -> None:
    _, steps = draw_program(data, length=12, engine_steps=9)
    # Stamps are made in order, all after the start and within a day; a step that removed nothing stands for the start.
    # The worst stamps are tried: none at all, and as late as can be.
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


@given(DRAWN)
def test_appended_files_are_as_young_as_the_clock(data: st.DataObject) -> None:
    _, steps = draw_program(data, length=12)
    clock = 0
    for step in steps:
        if isinstance(step, SetClock):
            clock = step.to.offset
        elif isinstance(step, Append):
            assert all(0 <= file.modified <= clock for file in step.files)


def test_operations_meet() -> None:
    seen: Counter[str] = Counter()

    @measured
    @given(DRAWN)
    def draw(data: st.DataObject) -> None:
        table, steps = draw_program(data)
        kinds = [type(step) for step in steps]

        def follows(first: type, second: type) -> bool:
            return first in kinds and second in kinds[kinds.index(first) + 1 :]

        stamped = [step.to for step in steps if isinstance(step, SetClock) and step.to.removed_by_step is not None]
        conditions = {
            "delete, then vacuum": follows(Delete, Vacuum),
            "delete, clock, vacuum": any(
                Delete in kinds[:i] and Vacuum in kinds[i:] for i, kind in enumerate(kinds) if kind is SetClock
            ),
            "append, then delete": follows(Append, Delete),
            "append, then vacuum": follows(Append, Vacuum),
            "litter, then vacuum": follows(AddStrayFiles, Vacuum),
            "vacuum, then delete": follows(Vacuum, Delete),
            "vacuum twice": kinds.count(Vacuum) >= 2,
            "dry run": any(isinstance(step, Vacuum) and step.dry_run for step in steps),
            "read before a step": any(isinstance(step, Read) and step.before_step is not None for step in steps),
            "clock after a stamp": bool(stamped),
            "cutoff on a stamp": any(moment.offset == table.retention for moment in stamped),
        }
        seen["all"] += 1
        seen.update({name: int(met) for name, met in conditions.items()})

    for number in range(8):
        seed(number)(draw)()
    rare = {"cutoff on a stamp": 4, "append, then delete": 6, "append, then vacuum": 8, "litter, then vacuum": 8}
    found = {name: round(100 * count / seen["all"]) for name, count in seen.items()}
    assert {name: share for name, share in found.items() if share < rare.get(name, 10)} == {}, found


@given(DRAWN)
def test_metadata_only_deletes_keep_to_partitions(data: st.DataObject) -> None:
    table = data.draw(tables())
    step = data.draw(deletes(table, metadata_only=True))
    if step.where is not None:
        assert columns_of(step.where) <= set(table.partition_by)
        assert table.partition_by or isinstance(step.where, Constant)
