"""The fixed profiles on the reference engine: a healthy one violates no clause, and every fault violates its clauses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import TypeVar

import pytest

from engines.spark.releases import capabilities_of, rules_of
from faults import FAULTS, KnownBadEngine
from harness.campaigns.campaign import Batch, Campaign
from harness.campaigns.drawing import fixed_cases
from harness.running.judge import JudgedCase
from model.vocabulary.steps import ENGINE_STEPS
from reference_engine import ReferenceEngine, ReferenceOptions
from runner.run.controller import FIXED_SEED
from selfcheck.corpus.facets import SMOKE
from suites.campaigns import CAMPAIGNS, batches
from suites.catalogue import promised
from suites.profiles import PROFILES, drawing
from tests.builders.observations import full_judge
from tests.find_witnesses import OF_SPARK, known_faults_of
from tests.slow import all_slow, slow_after, slow_except
from tests.smoke_shows import by_id, by_one_clause, met, on_healthy, shown_by, shows, unexercised

HABITS = [ReferenceOptions(*choices) for choices in product((False, True), repeat=4)]

What = TypeVar("What")

#: The faults that smoke does not show by all of their clauses, and the gate does: `python -m tests.smoke_shows` names them.
LEFT_TO_THE_GATE = {
    "deleted-rows-come-back",
    "empties-directories-of-protected-files",
    "merge-forgets-a-vector",
    "merge-loses-a-source-row",
    "never-settles",
    "reader-sees-half-of-a-version",
    "reads-what-was-compacted",
    "refused-without-a-conflict",
    "restore-leaves-vectors",
    "update-forgets-a-vector",
    "vacuum-deletes-what-is-committed-beside-it",
    "vacuum-of-the-source-breaks-a-clone",
}


def lacking(counts: Counter[What], wanted: Iterable[What], least: int) -> dict[What, int]:
    return {name: counts[name] for name in wanted if counts[name] < least}


@pytest.mark.long
def test_a_healthy_engine_violates_no_clause_and_the_smoke_profile_exercises_every_one(tmp_path: Path) -> None:
    """An engine with other habits for each case; and the one by which the corpus is chosen, for what they do not exercise.

    If a clause is left, clauses have outgrown the corpus: `tox -e selfcheck -- corpus` chooses it again.
    """
    plain, cases = ReferenceEngine(), by_id("smoke").values()
    counts = Counter[str]()
    for judged in on_healthy([ReferenceEngine(habits) for habits in HABITS], cases, tmp_path / "habits"):
        _runs_to_its_end(judged)
        counts += met(judged)
    others, ids = on_healthy([plain], cases, tmp_path / "plain"), [clause.id for clause in promised(plain)]
    while lacking(counts, ids, SMOKE["clause"]) and (one := next(others, None)):
        counts += met(one)
    assert lacking(counts, ids, SMOKE["clause"]) == {}


@pytest.mark.long
@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda campaign: campaign.name)
def test_a_healthy_engine_violates_no_clause_in_drawn_cases(
    campaign: Campaign, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    few = len(campaign.chapters) < 4 and not all_slow(pytestconfig)
    # A command of a program is seldom killed where it comes to.
    number = 30 if "CRASH" in campaign.chapters else 6 if few else 12
    cases = fixed_cases(Batch(campaign, 0, number), FIXED_SEED)
    lacking, judged = set(campaign.chapters), 0
    for one in on_healthy([ReferenceEngine(habits) for habits in HABITS], cases, tmp_path):
        _runs_to_its_end(one)
        lacking, judged = lacking - {id.split("-")[0] for id in one.tallies}, judged + 1
        if judged >= 12 and not lacking:
            break
    assert judged >= 3 and not lacking


def _runs_to_its_end(judged: JudgedCase) -> None:
    engine_steps = [step for step in judged.case.steps if isinstance(step, ENGINE_STEPS)]
    if any(file.damage for file in judged.case.table.files):
        return  # what an engine could not read of it may be left: nothing more is known of the table then
    assert len(judged.steps) == len(engine_steps), "a case without a violation runs to its end"


@pytest.mark.long
@pytest.mark.parametrize("version", slow_after(1, ["3.3.2", "2.4.0", "3.0.0", "3.2.1", "4.0.1"]))
def test_the_smoke_profile_exercises_every_clause_of_an_older_release(version: str, tmp_path: Path) -> None:
    """If not, `tombstone gate` says nothing about it: the clause may need what the release cannot be asked for."""
    engine = ReferenceEngine(rules=rules_of(version), capabilities=capabilities_of(version), version=version)
    assert unexercised(engine, tmp_path, listed=known_faults_of("spark", version)) == set()


def test_the_smoke_profile_shows_every_fault_but_these() -> None:
    assert shows().keys() == set(OF_SPARK)
    assert {name for name, ids in shows().items() if not by_id("smoke").keys() >= set(ids)} == LEFT_TO_THE_GATE


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "fault" in metafunc.fixturenames:  # `tox -e selfcheck -- power` asks the same
        metafunc.parametrize("fault", slow_except(OF_SPARK[::3], OF_SPARK))


def test_the_fixed_profiles_show_the_fault(fault: str, tmp_path: Path) -> None:
    """A fault of DELETE by each of its clauses, one of VACUUM by one of them. The cases are recorded."""
    caught_by = set(FAULTS[fault].caught_by)
    judge, noticed = full_judge(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), tmp_path), set[str]()
    for case in shown_by(fault):
        judged = judge.judge(case)
        assert judged.failure is None, judged.failure
        for clause in caught_by & set(judged.violated):
            violation = judged.tallies[clause].violations[0]
            assert 0 <= violation.step < len(case.steps)
            assert violation.message.endswith(".") and violation.subject and violation.evidence
            noticed.add(clause)
    assert noticed and (noticed == caught_by or by_one_clause(FAULTS[fault])), (
        "python -m tests.smoke_shows searches again"
    )


@pytest.mark.long
def test_a_fixed_profile_draws_the_same_cases_again() -> None:
    batch = next(batch for batch in batches(drawing(PROFILES["smoke"], 60), ()) if batch.campaign.kept is None)
    assert fixed_cases(batch, FIXED_SEED) == fixed_cases(batch, FIXED_SEED)
    assert fixed_cases(batch, FIXED_SEED) != fixed_cases(batch, FIXED_SEED + 1)
