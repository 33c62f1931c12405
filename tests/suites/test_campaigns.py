"""What pytest collects in ``suites/`` for a profile, and the message of a failing test."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.campaigns.campaign import campaign_of
from harness.campaigns.drawing import fixed_cases
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from runner.plugin import ROOT
from runner.run.plan import plan_of
from suites.campaigns import CAMPAIGNS, CORPUS, EXPLORATION, REGRESSIONS, Rank, batches, chapters_of, left_out, selected
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


def test_a_small_budget_judges_the_first_cases_of_the_corpus() -> None:
    whole, part = (
        [case for batch in batches(profile, ()) if batch.campaign.name == CORPUS.name for case in fixed_cases(batch, 1)]
        for profile in (PROFILES["gate"], PROFILES["gate"].scaled(0.25))
    )
    assert whole[: len(part)] == part and 0 < len(part) < len(whole) / 2
    assert left_out(PROFILES["gate"].scaled(0.25), ()) == len(whole) - len(part) and left_out(PROFILES["gate"], ()) == 0


def test_a_rank_decides_what_a_budget_takes_and_leaves_nothing_out_without_one() -> None:
    def ranked(share: float, rank: Rank | None) -> list[Case]:
        found = batches(PROFILES["smoke"].scaled(share), (), rank=rank)
        return [case for batch in found if batch.campaign.name == CORPUS.name for case in fixed_cases(batch, 1)]

    def partitioned(case: Case) -> int:
        return len(case.table.partition_by[:1])

    assert ranked(1, partitioned) == ranked(1, None)
    part = ranked(0.2, partitioned)
    assert 0 < len(part) < len(ranked(1, None)) and all(case.table.partition_by for case in part)
    assert not all(case.table.partition_by for case in ranked(0.2, None))


def test_of_the_corpus_only_cases_with_a_command_of_a_selected_chapter_are_judged() -> None:
    planned = [batch for batch in batches(PROFILES["smoke"], ["VAC-SAFE-1"]) if batch.campaign.name == CORPUS.name]
    cases = [case for batch in planned for case in fixed_cases(batch, 1)]
    assert cases and all("VAC" in chapters_of(case) for case in cases)
