"""Making failing cases smaller: what comes out is valid and still fails, the way there is bounded and always the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model.case import Case
from model.codec import dumps, from_json, to_json
from model.predicate import And, Compare, IsNull, Not, Op, Or
from model.steps import Append, Delete, Litter, Moment, Read, SetClock, Step, Vacuum
from model.table import DAY, HOUR, Column, Commit, DataFile, Kind, Removal, Stray, Table
from model.values import Type
from strategies import cases
from suites.reduction import candidates, reduce, truncated, without_step

TABLE = Table(
    columns=(Column("v", Type.INTEGER), Column("p", Type.STRING)),
    partition_by=("p",),
    files=tuple(DataFile(id, ("a",), ((id,), (id + 10,), (None,)), -DAY) for id in range(6)),
    commits=(
        Commit(-9 * HOUR, adds=(0, 1, 2)),
        Commit(-8 * HOUR, adds=(3, 4, 5), removes=(Removal(0, -8 * HOUR),), checkpoint=True),
        Commit(-7 * HOUR),
    ),
    strays=tuple(Stray(f"stray-{number}") for number in range(8)),
    features=("changeDataFeed",),
)
EQ = Compare("v", Op.EQ, 2, Type.INTEGER)
STEPS: tuple[Step, ...] = (
    Delete(And(Or(EQ, IsNull("p")), Not(IsNull("v")))),
    Read(),
    Litter((Stray("late"), Stray("later"), Stray("latest", kind=Kind.DIRECTORY, size=0))),
    SetClock(Moment(5, removed_by_step=0)),
    Append((DataFile(6, ("b",), (), 0), DataFile(7, ("b",), (), 0))),
    Vacuum(),
    Read(before_step=5),
)
CASE = Case(TABLE, STEPS)
MANY = 10_000


def holds_file(id: int) -> Callable[[Case], bool]:
    return lambda case: any(file.id == id for file in case.table.files)


def test_the_case_is_valid_to_begin_with() -> None:
    assert from_json(to_json(CASE)) == CASE


def test_what_always_fails_gets_as_small_as_a_case_can_be() -> None:
    smallest = reduce(CASE, lambda case: True, tries=MANY)
    assert len(smallest.steps) == 1
    assert not smallest.table.files and not smallest.table.strays and not smallest.table.features
    assert len(smallest.table.commits) == 1


def test_what_matters_is_kept_and_all_else_goes() -> None:
    smallest = reduce(CASE, holds_file(4), tries=MANY)
    assert [file.id for file in smallest.table.files] == [4]
    assert smallest.table.files[0].rows == ()
    assert [commit.adds for commit in smallest.table.commits] == [(), (4,)]
    assert not any(commit.checkpoint or commit.removes for commit in smallest.table.commits)


def test_rows_go_one_by_one() -> None:
    smallest = reduce(CASE, lambda case: any((12,) in file.rows for file in case.table.files), tries=MANY)
    assert [file.rows for file in smallest.table.files] == [((12,),)]


def test_conditions_lose_their_parts() -> None:
    def fails(case: Case) -> bool:
        return any(isinstance(step, Delete) and repr(EQ) in repr(step.where) for step in case.steps)

    smallest = reduce(CASE, fails, tries=MANY)
    assert smallest.steps == (Delete(EQ),)


def test_strays_and_appends_of_a_step_go_too() -> None:
    def fails(case: Case) -> bool:
        littered = any(isinstance(step, Litter) and Stray("later") in step.strays for step in case.steps)
        appended = any(isinstance(step, Append) and any(file.id == 7 for file in step.files) for step in case.steps)
        return littered and appended

    smallest = reduce(CASE, fails, tries=MANY)
    assert smallest.steps == (Litter((Stray("later"),)), Append((DataFile(7, ("b",), (), 0),)))


def test_a_clock_that_follows_a_step_keeps_it() -> None:
    def fails(case: Case) -> bool:
        return any(isinstance(step, SetClock) and step.to.removed_by_step is not None for step in case.steps)

    smallest = reduce(CASE, fails, tries=MANY)
    assert [type(step) for step in smallest.steps] == [Delete, SetClock]
    assert smallest.steps[1] == SetClock(Moment(5, removed_by_step=0))


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (0, None),  # the clock speaks of it
        (1, (STEPS[0], STEPS[2], SetClock(Moment(5, 0)), STEPS[4], STEPS[5], Read(before_step=4))),
        (5, (*STEPS[:5], Read(before_step=5))),
        (6, STEPS[:6]),
    ],
)
def test_references_move_with_their_steps(index: int, expected: tuple[Step, ...] | None) -> None:
    assert without_step(STEPS, index) == expected


def test_the_last_step_is_never_taken() -> None:
    assert without_step((Read(),), 0) is None


def test_a_case_is_cut_after_a_step() -> None:
    assert truncated(CASE, 2).steps == STEPS[:3]
    assert truncated(CASE, 99) == CASE


@pytest.mark.parametrize("tries", [0, 1, 5, 20])
def test_the_number_of_tries_is_a_limit(tries: int) -> None:
    tried: list[Case] = []

    def fails(case: Case) -> bool:
        tried.append(case)
        return len(tried) % 2 == 0

    reduce(CASE, fails, tries=tries)
    assert len(tried) == tries


def test_what_never_fails_again_stays_as_it_is() -> None:
    assert reduce(CASE, lambda case: False, tries=MANY) == CASE


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(cases.programs(), cases.vacuum_strays(), cases.row_deletes()), st.data())
def test_any_way_of_failing_leads_to_a_smaller_valid_case(case: Case, data: st.DataObject) -> None:
    """What fails is decided by the text alone, so as good as at random; the reduction must cope with any answer."""
    salt, share = data.draw(st.integers(0, 9)), data.draw(st.integers(2, 5))
    tried: list[Case] = []

    def fails(candidate: Case) -> bool:
        tried.append(candidate)
        return (sum(dumps(candidate).encode()) + salt) % share == 0

    smallest = reduce(case, fails, tries=60)
    assert len(tried) <= 60
    assert all(from_json(to_json(one)) == one for one in tried), "only valid cases are tried"
    assert smallest == case or fails(smallest)
    assert len(dumps(smallest)) <= len(dumps(case))
    first, tried = list(tried), []
    assert reduce(case, fails, tries=60) == smallest, "the way down is always the same"
    assert tried == first[: len(tried)]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(cases.programs(), cases.vacuum_retentions()))
def test_every_candidate_is_another_case_and_no_larger(case: Case) -> None:
    for candidate in candidates(case):
        assert candidate != case
        assert len(candidate.steps) <= len(case.steps)
        assert len(candidate.table.files) <= len(case.table.files)
        assert len(candidate.table.strays) <= len(case.table.strays)
        assert len(dumps(candidate)) < len(dumps(case))
