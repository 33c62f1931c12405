"""Whole cases: each reads back, is short, and meets the conditions that its campaign is for."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

from model import codec
from model.case import Case
from model.evaluate import evaluate
from model.predicate import Constant, columns_of
from model.steps import Delete, Read, SetClock, Vacuum
from model.table import Kind
from strategies import cases
from strategies.tables import live_files

#: Each strategy, with the least and the most runs of the engine in a case.
ALL: dict[str, tuple[Callable[[], SearchStrategy[Case]], int, int]] = {
    "partition_deletes": (cases.partition_deletes, 2, 5),
    "row_deletes": (cases.row_deletes, 2, 5),
    "vacuum_retentions": (cases.vacuum_retentions, 4, 7),
    "vacuum_strays": (cases.vacuum_strays, 4, 6),
    "vacuum_commands": (cases.vacuum_commands, 5, 5),
    "programs": (cases.programs, 1, 6),
}

quiet = settings(max_examples=50, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def drawn(name: str) -> tuple[Case, ...]:
    """Four hundred cases out of eight seeds, the same ones on every run.

    Hypothesis varies each case some five times before it draws a new one, so the cases of one seed are much alike: of a
    hundred, none or twenty may meet a condition that a tenth should meet. Bounds are a third of the usual share.
    """
    return tuple(case for number in range(8) for case in drawn_by(name, number))


def drawn_by(name: str, number: int) -> list[Case]:
    """Fifty cases of one seed."""
    found: list[Case] = []
    strategy, _, _ = ALL[name]

    @seed(number)
    @quiet
    @given(strategy())
    def draw(case: Case) -> None:
        found.append(case)

    draw()
    return found


def shares(cases: tuple[Case, ...], conditions: Callable[[Case], dict[str, bool]]) -> dict[str, int]:
    """The share of the cases that meet each condition, in percent."""
    seen: Counter[str] = Counter()
    for case in cases:
        seen.update({name: int(met) for name, met in conditions(case).items()})
    return {name: round(100 * count / len(cases)) for name, count in seen.items()}


def check(found: dict[str, int], least: dict[str, int]) -> None:
    assert set(found) == set(least), "every condition has a bound"
    assert {name: share for name, share in found.items() if share < least[name]} == {}, found


@pytest.mark.parametrize("name", ALL)
def test_cases_read_back_and_are_short(name: str) -> None:
    strategy, least, most = ALL[name]

    @quiet
    @given(strategy())
    def draw(case: Case) -> None:
        assert codec.from_json(codec.to_json(case)) == case
        assert codec.loads(codec.dumps(case)) == case
        assert least <= sum(isinstance(step, (Delete, Vacuum, Read)) for step in case.steps) <= most
        assert isinstance(case.steps[-1], Read)

    draw()


@pytest.mark.parametrize("name", ALL)
def test_the_same_seed_draws_the_same_cases(name: str) -> None:
    first = [codec.case_id(case) for case in drawn_by(name, 9)]
    assert first == [codec.case_id(case) for case in drawn_by(name, 9)]
    assert len(set(first)) >= 30, "most cases are different ones"


def matches(case: Case, step: Delete) -> list[list[bool]]:
    """For each live file of the initial table with rows: which of them the DELETE means."""
    table = case.table
    names = [column.name for column in table.columns]
    where = Constant(True) if step.where is None else step.where
    return [
        [evaluate(where, dict(zip(names, table.row(file.partition, row)))) is True for row in file.rows]
        for file in live_files(table)
        if file.rows
    ]


def test_partition_deletes_meet_their_conditions() -> None:
    def conditions(case: Case) -> dict[str, bool]:
        first = case.steps[0]
        assert isinstance(first, Delete)
        assert case.table.partition_by
        found = matches(case, first)
        wheres = [step.where for step in case.steps if isinstance(step, Delete)]
        assert all(columns_of(where) <= set(case.table.partition_by) for where in wheres if where is not None)
        return {
            "some files go, some stay": any(all(file) for file in found) and not all(all(file) for file in found),
            "nothing goes": not any(any(file) for file in found),
            "all goes": bool(found) and all(all(file) for file in found),
            "no condition": None in wheres,
            "a constant": any(isinstance(where, Constant) for where in wheres),
            "two deletes": len(wheres) == 2,
            "a read of the past": any(isinstance(step, Read) and step.before_step is not None for step in case.steps),
            **{f"features {features}": case.table.features == features for features in cases.FEATURE_SETS},
        }

    least = {
        "some files go, some stay": 6,
        "nothing goes": 10,
        "all goes": 17,
        "no condition": 4,
        "a constant": 4,
        "two deletes": 8,
        "a read of the past": 8,
        **{f"features {features}": 6 for features in cases.FEATURE_SETS},
    }
    check(shares(drawn("partition_deletes"), conditions), least)


def test_row_deletes_meet_their_conditions() -> None:
    def conditions(case: Case) -> dict[str, bool]:
        first = case.steps[0]
        assert isinstance(first, Delete)
        assert first.where is not None
        assert case.table.features == ()
        assert columns_of(first.where) - set(case.table.partition_by), "a data column is needed to look into files"
        found = matches(case, first)
        return {
            "nothing goes": not any(any(file) for file in found),
            "a file is rewritten": any(any(file) and not all(file) for file in found),
            "a file goes whole": any(all(file) for file in found),
            "a file is untouched": any(any(file) for file in found) and any(not any(file) for file in found),
            "partition and data conditions": bool(columns_of(first.where) & set(case.table.partition_by)),
        }

    least = {
        "nothing goes": 8,
        "a file is rewritten": 16,
        "a file goes whole": 13,
        "a file is untouched": 8,
        "partition and data conditions": 8,
    }
    check(shares(drawn("row_deletes"), conditions), least)


def vacuum_conditions(case: Case) -> dict[str, bool]:
    """What matters under the first clock that the case sets, for the table's own retention."""
    table = case.table
    clock = next((step.to for step in case.steps if isinstance(step, SetClock)), None)
    stamped = clock is not None and clock.removed_by_step is not None
    cutoff = (0 if clock is None else clock.offset) - table.retention
    removals = [removal for commit in table.commits for removal in commit.removes]
    ages = {file.id: file.modified for file in table.files}
    return {
        "two tombstones": len(removals) >= 2,
        "tombstone expired, file old": any(r.deleted < cutoff and ages[r.file] < cutoff for r in removals),
        "tombstone expired, file young": any(r.deleted < cutoff <= ages[r.file] for r in removals),
        "tombstone inside, file old": any(r.deleted >= cutoff > ages[r.file] for r in removals),
        "tombstone on the cutoff": any(r.deleted == cutoff for r in removals),
        "tombstone 1 ms older": any(r.deleted == cutoff - 1 for r in removals),
        "tombstone 1 ms younger": any(r.deleted == cutoff + 1 for r in removals),
        "live file": bool(live_files(table)),
        "live file, old": any(file.modified < cutoff for file in live_files(table)),
        "two strays": len(table.strays) >= 2,
        "stray on the cutoff": any(stray.modified == cutoff for stray in table.strays),
        "stray 1 ms older": any(stray.modified == cutoff - 1 for stray in table.strays),
        "stray in the future": any(stray.modified > 0 for stray in table.strays),
        "empty directory": any(stray.kind is Kind.DIRECTORY for stray in table.strays),
        "cutoff on a stamp": stamped,
        "clock at the start": clock is None,
        "logging off": any(isinstance(step, Vacuum) and not step.logging for step in case.steps),
    }


def test_vacuum_retentions_meet_their_conditions() -> None:
    least = {
        "two tombstones": 14,
        "tombstone expired, file old": 18,
        "tombstone expired, file young": 2,
        "tombstone inside, file old": 8,
        "tombstone on the cutoff": 3,
        "tombstone 1 ms older": 3,
        "tombstone 1 ms younger": 1,
        "live file": 29,
        "live file, old": 27,
        "two strays": 11,
        "stray on the cutoff": 1,
        "stray 1 ms older": 1,
        "stray in the future": 5,
        "empty directory": 7,
        "cutoff on a stamp": 13,
        "clock at the start": 5,
        "logging off": 3,
    }
    check(shares(drawn("vacuum_retentions"), vacuum_conditions), least)


def test_vacuum_strays_meet_their_conditions() -> None:
    least = {
        "two tombstones": 23,
        "tombstone expired, file old": 19,
        "tombstone expired, file young": 5,
        "tombstone inside, file old": 14,
        "tombstone on the cutoff": 7,
        "tombstone 1 ms older": 6,
        "tombstone 1 ms younger": 3,
        "live file": 26,
        "live file, old": 23,
        "two strays": 30,
        "stray on the cutoff": 15,
        "stray 1 ms older": 13,
        "stray in the future": 20,
        "empty directory": 24,
        "cutoff on a stamp": 0,
        "clock at the start": 7,
        "logging off": 6,
    }
    check(shares(drawn("vacuum_strays"), vacuum_conditions), least)


def test_stamped_deletes_stamp_something() -> None:
    stamped = [case for case in drawn("vacuum_retentions") if isinstance(case.steps[0], Delete)]
    telling = [case for case in stamped if any(any(file) for file in matches(case, case.steps[0]))]  # type: ignore[arg-type]
    assert len(telling) >= 0.45 * len(stamped), f"{len(telling)} of {len(stamped)}"


def test_vacuum_commands_meet_every_form() -> None:
    found = drawn("vacuum_commands")
    forms = {
        (step.retain_hours, step.safety_check)
        for case in found
        for step in case.steps
        if isinstance(step, Vacuum) and not step.dry_run
    }
    assert forms == set(cases.RETAIN_FORMS)
    assert {case.table.retention_hours for case in found} == {None, 168, 24, 1, 240, 0}
    assert {step.logging for case in found for step in case.steps if isinstance(step, Vacuum)} == {True, False}


def test_drawing_is_fast() -> None:
    # CPU seconds of this process, far above what is usual: this is to catch filters that reject most draws.
    began = time.process_time()
    drawn_by("vacuum_strays", 5)
    assert time.process_time() - began < 8
