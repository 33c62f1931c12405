"""What pytest collects in ``suites/`` for a profile, and the message of a failing test."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.campaigns.campaign import Profile, campaign_of
from harness.campaigns.costs import seconds_of
from harness.campaigns.drawing import fixed_cases
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from runner.plugin import ROOT
from runner.run.plan import plan_of
from suites.campaigns import (
    CAMPAIGNS,
    CORPUS,
    EXPLORATION,
    REGRESSIONS,
    Order,
    batches,
    chapters_of,
    left_out,
    selected,
)
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES
from tests.runner.test_options import chosen


def pytest_suites(*arguments: str) -> tuple[int, list[str]]:
    """The exit code and the lines of ``pytest suites``."""
    command = [sys.executable, "-m", "pytest", "suites", "--engine=deltalake", "--profile=smoke", *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    return ended.returncode, (ended.stdout + ended.stderr).splitlines()


def test_ids_name_what_is_tested() -> None:
    code, lines = pytest_suites("--collect-only", "-q", "--draw=60")
    ids = [line for line in lines if "::" in line]
    assert code == 0
    assert ids[0] == "suites/test_regressions.py::test_regressions[0]", "the kept cases are judged first"
    names = {"suites/test_corpus.py::test_corpus[0]", "suites/test_delete.py::test_feature_deletes[0]"}
    assert names < set(ids)
    assert (
        len(ids) == len(set(ids)) == len(plan_of(chosen("--engine=deltalake", "--profile=smoke", "--draw=60")).batches)
    )
    assert not any("replay" in id for id in ids)


def test_the_answer_names_a_broken_clause_and_only_campaigns_of_selected_clauses_run(tmp_path: Path) -> None:
    options = [
        "--known-bad=removes-without-time",
        "--known-faults=known_faults/none.toml",
        "--report-dir",
        str(tmp_path),
    ]
    code, lines = pytest_suites(*options, "--clause=DEL-REM", "--budget=0.1", "-v")
    assert code == 1
    assert any(line.startswith("suites/test_corpus.py::test_corpus[0] FAIL ") for line in lines)
    assert any(line.startswith("FAIL: deltalake ") and "loses data in " in line for line in lines)
    assert any("(DEL-REM-1A" in line for line in lines)
    assert not any(line.startswith("FAILED ") for line in lines), "pytest does not tell it again"
    assert not any("test_vacuum.py" in line for line in lines)


def test_every_test_of_the_suites_is_a_campaign() -> None:
    assert len({campaign.name for campaign in CAMPAIGNS}) == len(CAMPAIGNS)
    assert campaign_of(test_every_test_of_the_suites_is_a_campaign) is None
    assert REGRESSIONS.kept is not None and EXPLORATION.machine is not None and EXPLORATION in CAMPAIGNS
    chapters = {chapter for campaign in CAMPAIGNS for chapter in campaign.chapters}
    assert chapters == {id.split("-")[0] for id in CATALOGUE}
    assert selected(["DEL-ROW"]) == tuple(campaign for campaign in CAMPAIGNS if "DEL" in campaign.chapters)


def test_an_engine_without_vacuum_gets_the_cases_with_other_commands() -> None:
    deletes = replace(EVERYTHING, vacuum=False)
    assert selected([], deletes) == tuple(campaign for campaign in CAMPAIGNS if campaign.chapters != ("VAC",))
    assert not selected(["VAC"], deletes)
    cases = [case for batch in batches(PROFILES["smoke"], [], deletes) for case in fixed_cases(batch, 1, deletes)]
    assert cases and all(chapters_of(case) and "VAC" not in chapters_of(case) for case in cases)


@pytest.mark.long
@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_a_profile_draws_all_its_cases_in_batches(profile: object) -> None:
    assert isinstance(profile, type(PROFILES["gate"]))
    found = batches(profile, ())
    for campaign in CAMPAIGNS:
        sizes = [batch.cases for batch in found if batch.campaign is campaign]
        assert sum(sizes) == profile.cases[campaign.name] and all(size <= profile.batch for size in sizes)


def test_gate_judges_the_corpus_of_smoke_first() -> None:
    smoke, gate = (
        [
            case
            for batch in batches(PROFILES[name], ())
            if batch.campaign.name == CORPUS.name
            for case in fixed_cases(batch, 1)
        ]
        for name in ("smoke", "gate")
    )
    assert gate[: len(smoke)] == smoke and len(gate) > len(smoke)


@pytest.mark.long
def test_a_small_budget_judges_the_first_cases_of_the_corpus() -> None:
    whole, part = (
        [case for batch in batches(profile, ()) if batch.campaign.name == CORPUS.name for case in fixed_cases(batch, 1)]
        for profile in (PROFILES["gate"], PROFILES["gate"].scaled(0.25))
    )
    assert whole[: len(part)] == part and 0 < len(part) < len(whole) / 2
    assert left_out(PROFILES["gate"].scaled(0.25), ()) == len(whole) - len(part) and left_out(PROFILES["gate"], ()) == 0


def partitioned_first(cases: Sequence[Case]) -> Sequence[Case]:
    return sorted(cases, key=lambda case: not case.table.partition_by)


def of_corpus(profile: Profile, order: Order | None) -> list[Case]:
    found = batches(profile, (), order=order)
    return [case for batch in found if batch.campaign.name == CORPUS.name for case in fixed_cases(batch, 1)]


@pytest.mark.long
def test_an_order_decides_what_a_budget_takes() -> None:
    gate = PROFILES["gate"]
    assert of_corpus(gate, partitioned_first) == of_corpus(gate, None), "without a budget the gate judges all of it"
    part = of_corpus(gate.scaled(0.2), partitioned_first)
    assert 0 < len(part) < len(of_corpus(gate, None)) and all(case.table.partition_by for case in part)
    assert not all(case.table.partition_by for case in of_corpus(gate.scaled(0.2), None))


@pytest.mark.long
def test_smoke_with_an_order_takes_cases_of_the_gate_too() -> None:
    """Without a budget beside its own, for a fifth of the time; with one in their place."""

    def widest_first(cases: Sequence[Case]) -> Sequence[Case]:
        return sorted(cases, key=lambda case: -len(case.table.columns))

    smoke = PROFILES["smoke"]
    own, more = of_corpus(smoke, None), of_corpus(smoke, widest_first)
    nearby = more[len(own) :]
    assert more[: len(own)] == own and len(nearby[0].table.columns) > 4
    whole, added = (sum(map(seconds_of, cases)) for cases in (own, nearby))
    assert 0.15 * whole < added <= 0.2 * whole
    part = of_corpus(smoke.scaled(0.2), widest_first)
    assert sum(map(seconds_of, part)) <= 0.2 * whole
    assert {*part} - {*own} and {*part} & {*own}
    assert left_out(smoke.scaled(0.2), (), order=widest_first) == len({*own} - {*part})
    assert left_out(smoke, (), order=widest_first) == 0


def test_of_the_corpus_only_cases_with_a_command_of_a_selected_chapter_are_judged() -> None:
    planned = [batch for batch in batches(PROFILES["smoke"], ["VAC-SAFE-1"]) if batch.campaign.name == CORPUS.name]
    cases = [case for batch in planned for case in fixed_cases(batch, 1)]
    assert cases and all("VAC" in chapters_of(case) for case in cases)
