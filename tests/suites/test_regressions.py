"""The cases that every run judges."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from harness.campaigns.campaign import Profile
from harness.campaigns.corpus import corpus_cases
from harness.campaigns.drawing import fixed_cases
from harness.campaigns.regressions import FOLDER, files, kept_cases
from harness.judging.excusing.conditions import CONDITIONS
from harness.observing.steps.observation import Observation
from harness.running.judge import Judge
from known_faults.entries import holding_on, in_force, read_known_faults
from model.codec import InvalidCase, case_id
from reference_engine import ReferenceEngine
from runner.plugin import ROOT
from suites.campaigns import REGRESSIONS, batches
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES, on
from tests.builders.observations import listener


@pytest.mark.long
@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_every_run_judges_them(profile: Profile) -> None:
    planned = batches(profile, ())
    first = [batch for batch in planned if batch.campaign.name == REGRESSIONS.name]
    assert planned[: len(first)] == first
    assert [case for batch in first for case in fixed_cases(batch, 1)] == (
        list(kept_cases()) if profile.regressions else []
    )
    assert len(kept_cases()) == len(list(FOLDER.rglob("*.json"))) > 0


def test_no_case_is_kept_twice() -> None:
    ids = Counter(case_id(case) for case in (*kept_cases(), *corpus_cases("smoke"), *corpus_cases("gate")))
    assert [id for id, times in ids.items() if times > 1] == []


def test_smoke_leaves_out_what_only_other_engines_get_wrong() -> None:
    def judged(*engines: str, profile: str = "smoke") -> set[Path]:
        return set(files(without=on(PROFILES[profile], *engines).without))

    of_delta_rs = set((FOLDER / "deltalake").iterdir())
    of_others = set(files()) - set(FOLDER.glob("*.json")) - of_delta_rs
    assert of_delta_rs and of_others
    assert set(files()) - judged("spark") == of_delta_rs | of_others
    assert set(files()) - judged("deltalake") == set(files()) - judged("spark", "deltalake") == of_others
    assert judged("examples.sail_engine:ENGINE") == judged("spark", profile="gate") == set(files())
    smoke = batches(on(PROFILES["smoke"], "spark"), ())
    first = [batch for batch in smoke if batch.campaign.name == REGRESSIONS.name]
    assert sum(batch.cases for batch in first) == len(judged("spark"))


@pytest.mark.long
def test_they_exercise_the_known_faults_that_are_drawn_rarely(tmp_path: Path) -> None:
    """So that a small budget reports none as stale: those of the newest release, and those with a condition."""
    conditions: set[str] = set()

    def listen(observation: Observation) -> None:
        conditions.update(name for name, one in CONDITIONS.items() if one.holds(observation))

    judge = Judge(ReferenceEngine(), [*CATALOGUE.values(), listener(listen)], tmp_path)
    judged = [judge.judge(case) for case in kept_cases()]
    assert [case.failure for case in judged] == [None] * len(judged)
    exercised = {id for case in judged for id, tally in case.tallies.items() if tally.met}
    known = holding_on((), read_known_faults(ROOT / "known_faults" / "spark.toml"))
    active = in_force(known, version="4.4.0", today=date.today())
    assert {known_fault.clause for known_fault in active if known_fault.when is None} - {"DEL-REM-1C"} <= exercised
    assert {known_fault.when for known_fault in known} - {None} <= conditions


def test_a_file_that_is_no_case_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidCase):
        kept_cases(tmp_path)
