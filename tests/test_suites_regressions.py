"""The cases that every run judges."""

from __future__ import annotations

from pathlib import Path

import pytest

import suites.clauses  # noqa: F401 - fills the catalogue
from model.codec import CorruptCase
from proof.model_engine import ModelEngine
from reports.deviations import read_deviations
from runner.plugin import ROOT
from suites.campaigns import REGRESSIONS, shards
from suites.clause import CATALOGUE
from suites.drawing import fixed_cases
from suites.judge import Judge
from suites.profiles import PROFILES, Profile
from suites.regressions import FOLDER, kept_cases


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_every_run_judges_them(profile: Profile) -> None:
    shard, *_ = shards(profile, ())
    assert shard.campaign is REGRESSIONS
    assert fixed_cases(shard, 1) == fixed_cases(shard, 2) == list(kept_cases())
    assert len(kept_cases()) == len(list(FOLDER.glob("*.json"))) > 0


def test_they_meet_the_deviations_that_are_drawn_seldom(tmp_path: Path) -> None:
    """So that none is found stale by a small budget."""
    judge = Judge(ModelEngine(), list(CATALOGUE.values()), tmp_path)
    judged = [judge.judge(case) for case in kept_cases()]
    assert [case.failure for case in judged] == [None] * len(judged)
    listed = {deviation.clause for deviation in read_deviations(ROOT / "deviations" / "spark.toml")}
    assert listed - {"DEL-REM-1C"} <= {id for case in judged for id, tally in case.tallies.items() if tally.met}


def test_one_that_is_no_case_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CorruptCase):
        kept_cases(tmp_path)
