"""The cases that every run judges."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from harness.clause import NOT_EXERCISED, Clause, Judgement
from harness.conditions import CONDITIONS
from harness.drawing import fixed_cases
from harness.judge import Judge
from harness.observation import Observation
from harness.regressions import FOLDER, kept_cases
from model.codec import InvalidCase
from reports.deviations import in_force, read_deviations
from runner.plugin import ROOT
from selfcheck.reference_engine import ReferenceEngine
from suites.campaigns import REGRESSIONS, shards
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES, Profile


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_every_run_judges_them(profile: Profile) -> None:
    shard, *_ = shards(profile, ())
    assert shard.campaign is REGRESSIONS
    assert fixed_cases(shard, 1) == fixed_cases(shard, 2) == list(kept_cases())
    assert len(kept_cases()) == len(list(FOLDER.glob("*.json"))) > 0


def test_they_meet_the_deviations_that_are_drawn_seldom(tmp_path: Path) -> None:
    """So that none is found stale by a small budget: neither those of the newest release, nor those with a condition."""
    met: set[str] = set()

    def listen(seen: Observation) -> Judgement:
        met.update(name for name, holds in CONDITIONS.items() if holds(seen))
        return NOT_EXERCISED

    clauses: list[Clause[Any]] = [*CATALOGUE.values(), Clause("VAC-KEPT-1", "It hears all.", (), Observation, listen)]
    judge = Judge(ReferenceEngine(), clauses, tmp_path)
    judged = [judge.judge(case) for case in kept_cases()]
    assert [case.failure for case in judged] == [None] * len(judged)
    listed = read_deviations(ROOT / "deviations" / "spark.toml")
    in_it = in_force(listed, version="4.4.0", today=date.today())
    everywhere = {one.clause for one in in_it if one.when is None}
    assert everywhere - {"DEL-REM-1C"} <= {id for case in judged for id, tally in case.tallies.items() if tally.met}
    assert {one.when for one in listed if one.when is not None} <= met


def test_one_that_is_no_case_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidCase):
        kept_cases(tmp_path)
