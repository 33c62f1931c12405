"""A run in parts: every test item is in one of them, on every machine in the same, and they take about the same time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.provider import kind_of
from harness.campaigns.campaign import Batch, Campaign
from harness.campaigns.costs import seconds_of
from harness.campaigns.division import digest_of, divided
from harness.campaigns.drawing import kept_cases
from runner.run.plan import plan_of
from runner.run.plan import seconds_of as planned_seconds
from suites.campaigns import batches
from suites.profiles import PROFILES
from tests.runner.test_options import chosen

DRAWN = Campaign("row-deletes", ("DEL",))


def drawn(*sizes: int) -> list[Batch]:
    """Items of a campaign that draws so many cases in each."""
    return [Batch(DRAWN, number, size) for number, size in enumerate(sizes)]


@given(st.lists(st.integers(1, 50), max_size=20), st.integers(1, 8))
def test_each_item_is_in_one_part_in_the_order_of_the_run(sizes: list[int], number: int) -> None:
    items = drawn(*sizes)
    parts = divided(items, number)
    assert len(parts) == number
    assert sorted((item for part in parts for item in part), key=lambda item: item.number) == items
    assert all([item.number for item in part] == sorted(item.number for item in part) for part in parts)
    times = [sum(item.cases for item in part) for part in parts]
    assert max(times) - min(times) <= max(sizes, default=0), "no part has a whole item too many"


def test_there_may_be_more_parts_than_items() -> None:
    assert list(map(len, divided(drawn(5, 5), 4))) == [1, 1, 0, 0]
    assert divided([], 2) == ((), ())


@pytest.mark.long
def test_the_parts_of_the_gate_take_about_the_same_time() -> None:
    for number in (2, 5, 8):
        parts = divided(batches(PROFILES["gate"], ()), number)
        times = [sum(seconds_of(case) for item in part for case in kept_cases(item.campaign)) for part in parts]
        assert max(times) < 1.1 * min(times), times


@pytest.mark.long
def test_the_digest_is_of_the_cases_and_of_who_judges_them() -> None:
    whole = batches(PROFILES["smoke"], ())
    digests = [
        digest_of(divided(whole, 2)),
        digest_of(divided(whole, 3)),
        digest_of(divided(whole[1:], 2)),
        digest_of(divided(batches(PROFILES["smoke"], ["DEL"]), 2)),
        digest_of(divided(drawn(5, 5), 2)),
        digest_of(divided(drawn(5, 4), 2)),
    ]
    assert len(set(digests)) == len(digests)
    assert digest_of(divided(batches(PROFILES["smoke"], ()), 2)) == digests[0]


@pytest.mark.long
def test_the_plans_of_the_parts_are_the_plan_of_the_run() -> None:
    for options in (
        ("--profile=smoke", "--draw=60"),
        ("--profile=gate", "--budget=3m"),
        ("--profile=nightly", "--seed=7"),
    ):
        command = ("--engine=deltalake", *options)
        whole = plan_of(chosen(*command))
        parts = [plan_of(chosen(*command, f"--shard={number}/3")) for number in (1, 2, 3)]
        names = [item.name for part in parts for item in part.batches]
        assert sorted(names) == sorted(item.name for item in whole.batches) and len(names) == len(set(names))
        assert all((part.profile, part.left_out) == (whole.profile, whole.left_out) for part in parts)
        numbered = [(part.part.number, part.part.of) for part in parts if part.part is not None]
        assert numbered == [(1, 3), (2, 3), (3, 3)] and whole.part is None
        assert len({part.part.plan for part in parts if part.part is not None}) == 1


def test_a_run_is_estimated_by_the_costs_of_what_it_judges() -> None:
    """On two cores smoke took some 4 minutes on Spark, and a part of it as much less as it has cases."""
    whole, part = (
        planned_seconds(plan_of(chosen("--engine=deltalake", "--profile=smoke", f"--budget={budget}")), "spark")
        for budget in ("1", "0.02")
    )
    assert 120 < whole < 480 and 0.1 < part / whole < 0.5
    faster = planned_seconds(plan_of(chosen("--engine=deltalake", "--profile=smoke")), "deltalake")
    assert faster == whole / 30


@pytest.mark.parametrize(
    ("engine", "budget", "options"),
    [
        ("spark", 180, ("--profile=gate",)),
        ("spark", 120, ("--profile=smoke", "--draw=10")),
        ("spark", 600, ("--profile=nightly",)),
        ("deltalake", 10, ("--profile=gate",)),
    ],
)
def test_start_up_and_regression_cases_are_part_of_a_budget(
    engine: str, budget: int, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.run.plan.installed_version", lambda _: None)
    plan = plan_of(chosen(f"--engine={engine}", f"--budget={budget}s", *options))
    estimated = kind_of(engine).costs.start + planned_seconds(plan, engine)
    assert 0.9 * budget < estimated <= 1.02 * budget


def test_a_budget_that_is_used_up_before_still_judges_the_regression_cases() -> None:
    plan = plan_of(chosen("--engine=deltalake", "--profile=gate", "--budget=3s"))
    assert sum(item.cases for item in plan.batches if item.name.startswith("regressions")) > 60 and plan.left_out > 300
