"""What pytest collects in ``suites/`` for a profile, and the message of a failing test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.campaign import campaign_of
from runner.plugin import ROOT
from suites.campaigns import CAMPAIGNS, EXPLORATION, REGRESSIONS, Shard, selected, shards
from suites.profiles import PROFILES


def pytest_suites(*arguments: str) -> tuple[int, list[str]]:
    """The exit code and the lines of ``pytest suites``."""
    command = [sys.executable, "-m", "pytest", "suites", "--engine=deltalake", "--profile=smoke", *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    return ended.returncode, (ended.stdout + ended.stderr).splitlines()


def test_ids_name_what_is_tested() -> None:
    code, lines = pytest_suites("--collect-only", "-q")
    ids = [line for line in lines if "::" in line]
    assert code == 0
    assert ids[0] == "suites/test_regressions.py::test_regressions[0]", "the kept cases are judged first"
    names = {"suites/test_delete.py::test_row_deletes[1]", "suites/test_vacuum.py::test_vacuum_stray_files[0]"}
    assert names < set(ids)
    assert len(ids) == len(set(ids)) == len(shards(PROFILES["smoke"], ()))
    assert not any("replay" in id for id in ids)


def test_a_failing_test_names_the_clause_and_only_campaigns_of_selected_clauses_run(tmp_path: Path) -> None:
    options = ["--known-bad=removes-without-time", "--deviations=deviations/none.toml", "--report-dir", str(tmp_path)]
    code, lines = pytest_suites(*options, "--clause=DEL-REM", "--budget=0.1", "-v")
    assert code == 1
    failed = [line for line in lines if line.startswith("FAILED suites/test_delete.py::test_")]
    assert any(" DEL-REM-1A (data" in line for line in failed) and all(" DEL-REM-" in line for line in failed)
    assert not any("test_vacuum.py" in line for line in lines)


def test_every_test_of_the_suites_is_a_campaign() -> None:
    assert len({campaign.name for campaign in CAMPAIGNS}) == len(CAMPAIGNS)
    assert campaign_of(test_every_test_of_the_suites_is_a_campaign) is None
    assert REGRESSIONS.kept is not None and EXPLORATION.machine is not None and EXPLORATION in CAMPAIGNS
    assert {chapter for campaign in CAMPAIGNS for chapter in campaign.chapters} == {"DEL", "VAC"}
    assert {campaign.chapters for campaign in selected(["DEL-ROW"])} == {("DEL",), ("DEL", "VAC")}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_a_profile_draws_all_its_cases_in_shards(profile: object) -> None:
    assert isinstance(profile, type(PROFILES["gate"]))
    found = shards(profile, ())
    for campaign in CAMPAIGNS:
        sizes = [shard.cases for shard in found if shard.campaign is campaign]
        assert sum(sizes) == profile.cases[campaign.name] and max(sizes) <= profile.shard


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("row-deletes", 1565744679269299982),
        ("delete-forms", 12327152494806444918),
        ("vacuum-stray-files", 12601758408934768263),
        ("vacuum-io-faults", 17651681258503867691),
    ],
)
def test_a_shard_keeps_its_seed(name: str, seed: int) -> None:
    """Whatever a test is called later: the seed decides which cases it draws, and their ids."""
    campaign = next(campaign for campaign in CAMPAIGNS if campaign.name == name)
    assert Shard(campaign, 1, 5).seed(4) == seed
