"""The fixed profiles on the reference engine: a healthy one violates no clause, and every fault violates its clauses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import TypeVar

import pytest

from engines.spark.releases import capabilities_of, rules_of
from faults import FAULTS, Fault
from harness.campaigns.campaign import Batch, Campaign
from harness.campaigns.drawing import fixed_cases
from harness.running.coverage import Cell
from harness.running.judge import Judge, JudgedCase
from model.codec import case_id
from model.vocabulary.case import Case
from model.vocabulary.steps import ENGINE_STEPS, InvalidVacuum, Vacuum
from reference_engine import ReferenceEngine, ReferenceOptions
from runner.run.controller import FIXED_SEED
from selfcheck.corpus.facets import SMOKE
from suites.campaigns import CAMPAIGNS, batches
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES, drawing
from tests.find_witnesses import OF_SPARK
from tests.smoke_shows import showing, shows

#: The tests share judged cases, so one worker of pytest-xdist runs them all.
pytestmark = pytest.mark.xdist_group("judge")

HABITS = [ReferenceOptions(*choices) for choices in product((False, True), repeat=4)]

What = TypeVar("What")


@cache
def cases_by_batch(profile: str) -> tuple[tuple[Batch, Case], ...]:
    return tuple((batch, case) for batch in batches(PROFILES[profile], ()) for case in fixed_cases(batch, FIXED_SEED))


def judge_healthy(
    profile: str, directory: Path, habits: Sequence[ReferenceOptions] = HABITS
) -> Iterator[tuple[Batch, JudgedCase]]:
    """The cases of a profile, judged on healthy engines: one of each of these habits in turn."""
    clauses = list(CATALOGUE.values())
    judges = [Judge(ReferenceEngine(some), clauses, directory / str(n)) for n, some in enumerate(habits)]
    for number, (batch, case) in enumerate(cases_by_batch(profile)):
        judged = judges[number % len(judges)].judge(case)
        assert judged.failure is None, judged.failure
        yield batch, judged


def totals(judged: Iterable[tuple[Batch, JudgedCase]]) -> tuple[Counter[str], Counter[Cell]]:
    """How many steps exercise each clause, and what the VACUUMs cover."""
    clauses, coverage = Counter[str](), Counter[Cell]()
    for _, case in judged:
        clauses.update({id: tally.met for id, tally in case.tallies.items()})
        coverage.update(case.coverage)
    return clauses, coverage


def lacking(counts: Counter[What], wanted: Iterable[What], least: int) -> dict[What, int]:
    return {name: counts[name] for name in wanted if counts[name] < least}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profiles")


@cache
def smoke(directory: Path) -> tuple[tuple[Batch, JudgedCase], ...]:
    return tuple(judge_healthy("smoke", directory))


def test_a_healthy_engine_violates_no_clause(directory: Path) -> None:
    for _, judged in smoke(directory):
        _is_clean(judged)


@pytest.mark.parametrize("campaign", CAMPAIGNS, ids=lambda campaign: campaign.name)
def test_a_healthy_engine_violates_no_clause_in_drawn_cases(campaign: Campaign, directory: Path) -> None:
    judges = [Judge(ReferenceEngine(habits), list(CATALOGUE.values()), directory / "drawn") for habits in HABITS]
    cases = fixed_cases(Batch(campaign, 0, 12), FIXED_SEED)
    judged = [judges[number % len(judges)].judge(case) for number, case in enumerate(cases)]
    assert len(judged) >= 3
    for one in judged:
        _is_clean(one)
    assert set(campaign.chapters) <= {id.split("-")[0] for one in judged for id in one.tallies}


def _is_clean(judged: JudgedCase) -> None:
    assert judged.failure is None, judged.failure
    assert not judged.violated, (judged.case, {id: judged.tallies[id].violations for id in judged.violated})
    engine_steps = [step for step in judged.case.steps if isinstance(step, ENGINE_STEPS)]
    if any(file.damage for file in judged.case.table.files):
        return  # what an engine could not read of it may be left: nothing more is known of the table then
    assert len(judged.steps) == len(engine_steps), "a case without a violation runs to its end"


def test_the_smoke_profile_exercises_every_clause(directory: Path) -> None:
    """If not, clauses have outgrown the corpus: `tox -e corpus` chooses it again, by the engine that is asked here."""
    clauses, _ = totals(judge_healthy("smoke", directory / "plain", [ReferenceOptions()]))
    assert lacking(clauses, CATALOGUE.keys() - unsupported(ReferenceEngine()).keys(), SMOKE["clause"]) == {}


@pytest.mark.parametrize("version", ["2.4.0", "3.0.0", "3.2.1"])
def test_the_smoke_profile_exercises_every_clause_of_an_older_release(version: str, directory: Path) -> None:
    """If not, `tox -e gate-version` says nothing about it: the clause may need what the release cannot be asked for."""
    capabilities = capabilities_of(version)
    engine = ReferenceEngine(rules=rules_of(version), capabilities=capabilities, version=version)
    promised = CATALOGUE.keys() - unsupported(engine).keys()
    judge = Judge(engine, [CATALOGUE[id] for id in promised], directory / version)
    counts = Counter[str]()
    for batch in batches(PROFILES["smoke"], ()):
        for case in fixed_cases(batch, FIXED_SEED, capabilities):
            counts.update({id: tally.met for id, tally in judge.judge(case).tallies.items()})
    assert lacking(counts, promised, 1) == {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "fault" in metafunc.fixturenames:
        # Every tenth fault of VACUUM by default: tests/faults/test_known_bad_vacuums.py has all of them on smaller cases.
        everything = metafunc.config.getoption("--slow")
        of_vacuum = [name for name, fault in FAULTS.items() if fault.on in (Vacuum, InvalidVacuum)]
        left_out = set() if everything else set(of_vacuum) - set(of_vacuum[::10])
        names = [name for name in OF_SPARK if name not in left_out]
        metafunc.parametrize("fault", [FAULTS[name] for name in names], ids=names)


def test_the_smoke_profile_shows_the_fault(fault: Fault, directory: Path) -> None:
    """A fault of DELETE by each of its clauses, one of VACUUM by one of them."""
    healthy, first = [judged for _, judged in smoke(directory)], set(shows().get(fault.name, ()))
    ordered = sorted(healthy, key=lambda judged: case_id(judged.case) not in first)
    found, missing = showing(fault, ordered, directory / fault.name)
    assert not missing, f"no case of the smoke profile violates {sorted(missing)}"
    for judged in found:
        for clause in set(fault.caught_by) & set(judged.violated):
            violation = judged.tallies[clause].violations[0]
            assert 0 <= violation.step < len(judged.case.steps)
            assert violation.message.endswith(".") and violation.subject and violation.evidence


def test_a_fixed_profile_draws_the_same_cases_again() -> None:
    batch = next(batch for batch in batches(drawing(PROFILES["smoke"], 60), ()) if batch.campaign.kept is None)
    assert fixed_cases(batch, FIXED_SEED) == fixed_cases(batch, FIXED_SEED)
    assert fixed_cases(batch, FIXED_SEED) != fixed_cases(batch, FIXED_SEED + 1)
