"""What the fixed profiles can show, counted on the engine of our own: it takes seconds instead of minutes."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import suites.clauses  # noqa: F401 - fills the catalogue
from engines.known_bad import FAULTS, Fault, KnownBadEngine
from model.case import Case
from runner.controller import FIXED_SEED
from suites.campaigns import shards
from suites.clause import CATALOGUE
from suites.drawing import fixed_cases
from suites.features import PAIRED, features_of
from suites.judge import Judge
from suites.profiles import PROFILES
from tests.fake_engine import FakeEngine

pytestmark = pytest.mark.xdist_group("judge")

#: What the design asks of the gate.
LEAST_TIMES = 20


@cache
def cases(profile: str) -> tuple[Case, ...]:
    return tuple(case for shard in shards(PROFILES[profile], ()) for case in fixed_cases(shard, FIXED_SEED))


def met(case: Case, directory: Path) -> Counter[str]:
    """How many steps of the case met each clause."""
    judged = Judge(FakeEngine(), list(CATALOGUE.values()), directory).judge(case)
    assert judged.failure is None, judged.failure
    return Counter({id: tally.met for id, tally in judged.tallies.items()})


@pytest.mark.parametrize(("profile", "least"), [("smoke", 1), ("gate", LEAST_TIMES)])
def test_the_profile_exercises_every_clause(profile: str, least: int, tmp_path: Path) -> None:
    total = sum((met(case, tmp_path) for case in cases(profile)), Counter[str]())
    assert {id: total[id] for id in CATALOGUE if total[id] < least} == {}


def test_the_gate_draws_every_pair_of_features_together() -> None:
    pairs = Counter(pair for case in cases("gate") for pair in combinations(features_of(case.table), 2))
    assert {pair: pairs[pair] for pair in combinations(sorted(PAIRED), 2) if pairs[pair] < 3} == {}


@cache
def met_in_smoke(directory: Path) -> tuple[tuple[Case, frozenset[str]], ...]:
    """The smoke profile's cases, each with the clauses that it meets."""
    return tuple((case, frozenset(met(case, directory))) for case in cases("smoke"))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profiles")


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_the_smoke_profile_shows_the_fault(fault: Fault, directory: Path, tmp_path: Path) -> None:
    judge = Judge(KnownBadEngine(FakeEngine(), fault), list(CATALOGUE.values()), tmp_path)
    wanted = set(fault.caught_by)
    assert any(wanted & set(judge.judge(case).violated) for case, ids in met_in_smoke(directory) if wanted & ids)


def test_a_fixed_profile_draws_the_same_cases_again() -> None:
    shard = shards(PROFILES["smoke"], ())[0]
    assert fixed_cases(shard, FIXED_SEED) == fixed_cases(shard, FIXED_SEED)
    assert fixed_cases(shard, FIXED_SEED) != fixed_cases(shard, FIXED_SEED + 1)
