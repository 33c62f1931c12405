"""What the fixed profiles exercise and find, on the reference engine: it takes seconds instead of minutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

from harness.coverage import Cell
from harness.drawing import fixed_cases
from harness.judge import Judge, JudgedCase
from model.case import Case
from runner.controller import FIXED_SEED
from selfcheck.faults import FAULTS, Fault, KnownBadEngine
from selfcheck.reference_engine import ReferenceEngine
from suites.campaigns import shards
from suites.catalogue import CATALOGUE, unsupported
from suites.profiles import PROFILES

pytestmark = pytest.mark.xdist_group("judge")

What = TypeVar("What")


@cache
def cases(profile: str) -> tuple[Case, ...]:
    return tuple(case for shard in shards(PROFILES[profile], ()) for case in fixed_cases(shard, FIXED_SEED))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profiles")


def judged(case: Case, directory: Path) -> JudgedCase:
    found = Judge(ReferenceEngine(), list(CATALOGUE.values()), directory).judge(case)
    assert found.failure is None, found.failure
    return found


def met(case: Case, directory: Path) -> Counter[str]:
    """How many steps of the case met each clause."""
    return Counter({id: tally.met for id, tally in judged(case, directory).tallies.items()})


@cache
def totals(profile: str, directory: Path) -> tuple[Counter[str], Counter[Cell]]:
    """How often the profile meets each clause, and what its VACUUMs meet."""
    clauses, coverage = Counter[str](), Counter[Cell]()
    for case in cases(profile):
        found = judged(case, directory)
        clauses.update({id: tally.met for id, tally in found.tallies.items()})
        coverage.update(found.coverage)
    return clauses, coverage


def lacking(met: Counter[What], wanted: Iterable[What], least: int) -> dict[What, int]:
    return {name: met[name] for name in wanted if met[name] < least}


def test_the_smoke_profile_exercises_every_clause(directory: Path) -> None:
    clauses, _ = totals("smoke", directory)
    assert lacking(clauses, CATALOGUE.keys() - unsupported(ReferenceEngine()).keys(), 1) == {}


@cache
def met_in_smoke(directory: Path) -> tuple[tuple[Case, frozenset[str]], ...]:
    """The smoke profile's cases, each with the clauses that it meets."""
    return tuple((case, frozenset(met(case, directory))) for case in cases("smoke"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "fault" in metafunc.fixturenames:
        # Every tenth where not all are asked for: on small cases of their own all are shown by test_known_bad_vacuums.py
        # and test_judge.py.
        names = list(FAULTS) if metafunc.config.getoption("--every-fault") else list(FAULTS)[::10]
        metafunc.parametrize("fault", [FAULTS[name] for name in names], ids=names)


def test_the_smoke_profile_shows_the_fault(fault: Fault, directory: Path, tmp_path: Path) -> None:
    judge = Judge(KnownBadEngine(ReferenceEngine(), fault), list(CATALOGUE.values()), tmp_path)
    wanted = set(fault.caught_by)
    assert any(wanted & set(judge.judge(case).violated) for case, ids in met_in_smoke(directory) if wanted & ids)


def test_a_fixed_profile_draws_the_same_cases_again() -> None:
    shard = next(shard for shard in shards(PROFILES["smoke"], ()) if shard.campaign.kept is None)
    assert fixed_cases(shard, FIXED_SEED) == fixed_cases(shard, FIXED_SEED)
    assert fixed_cases(shard, FIXED_SEED) != fixed_cases(shard, FIXED_SEED + 1)
