"""What the fixed profiles can show, counted on the engine of our own: it takes seconds instead of minutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import suites.clauses  # noqa: F401 - fills the catalogue
from engines.known_bad import FAULTS, Fault, KnownBadEngine
from model.case import Case
from model.steps import Mode
from model.vacuum import Reason
from proof.model_engine import ModelEngine
from runner.controller import FIXED_SEED
from suites.campaigns import shards
from suites.clause import CATALOGUE, unsupported
from suites.drawing import fixed_cases
from suites.features import PAIRED, features_of
from suites.judge import Judge, JudgedCase
from suites.occasions import SHORT_NAMES
from suites.profiles import PROFILES

pytestmark = pytest.mark.xdist_group("judge")

#: What the design asks of the gate: clauses and boundaries, paths of a reason, ways to say how much is retained.
LEAST_TIMES = 20
LEAST_PATHS = 50
LEAST_WAYS = 3

#: What an engine is known to delete all the same: drawn in a part of the tables, so met less often.
SELDOM = (Reason.ABSOLUTE_VECTOR, Reason.BEHIND_LINK, Reason.HIDDEN_DEEPER)

#: The reasons to go; those of what may do either are counted by no goal.
GOES = (
    Reason.EXPIRED,
    Reason.EXPIRED_VECTOR,
    Reason.ORPHAN_VECTOR,
    Reason.ORPHAN,
    Reason.CHANGE_FILE,
    Reason.EMPTY,
)
STAYS = (
    Reason.LIVE,
    Reason.LIVE_BY_URI,
    Reason.LIVE_VECTOR,
    Reason.RETAINED,
    Reason.RETAINED_VECTOR,
    *SELDOM,
    Reason.HIDDEN_FILE,
    Reason.HIDDEN_DIRECTORY,
    Reason.INSIDE_HIDDEN,
    Reason.NOT_SCANNED,
    Reason.YOUNG,
    Reason.HOLDS,
)
RETENTIONS = (
    *(f"table's {unit}" for unit in ("default", "weeks", "days", "hours", "zero")),
    *(
        f"RETAIN {kind}, check {check}"
        for kind in ("whole", "fraction", "zero", "negative", "huge")
        for check in ("on", "off")
    ),
)


@cache
def cases(profile: str) -> tuple[Case, ...]:
    return tuple(case for shard in shards(PROFILES[profile], ()) for case in fixed_cases(shard, FIXED_SEED))


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profiles")


def judged(case: Case, directory: Path) -> JudgedCase:
    found = Judge(ModelEngine(), list(CATALOGUE.values()), directory).judge(case)
    assert found.failure is None, found.failure
    return found


def met(case: Case, directory: Path) -> Counter[str]:
    """How many steps of the case met each clause."""
    return Counter({id: tally.met for id, tally in judged(case, directory).tallies.items()})


@cache
def totals(profile: str, directory: Path) -> tuple[Counter[str], Counter[str]]:
    """How often the profile meets each clause, and what its VACUUMs meet."""
    clauses, occasions = Counter[str](), Counter[str]()
    for case in cases(profile):
        found = judged(case, directory)
        clauses.update({id: tally.met for id, tally in found.tallies.items()})
        occasions.update(found.occasions)
    return clauses, occasions


def lacking(met: Counter[str], wanted: Iterable[str], least: int) -> dict[str, int]:
    return {name: met[name] for name in wanted if met[name] < least}


@pytest.mark.parametrize(("profile", "least"), [("smoke", 1), ("gate", LEAST_TIMES)])
def test_the_profile_exercises_every_clause(profile: str, least: int, directory: Path) -> None:
    clauses, _ = totals(profile, directory)
    assert lacking(clauses, CATALOGUE.keys() - unsupported(ModelEngine()).keys(), least) == {}


def test_every_reason_is_counted_by_a_goal() -> None:
    either = {
        Reason.HOLDS_OLD,
        Reason.HOLDS_EMPTY,
        Reason.PARENT,
        Reason.AT_CUTOFF,
        Reason.CHECKSUM,
        Reason.LINK,
        Reason.TROUBLED,
    }
    assert set(GOES) | set(STAYS) | either == set(Reason)


def test_the_gate_meets_every_reason(directory: Path) -> None:
    _, occasions = totals("gate", directory)
    wanted = [f"stay: {SHORT_NAMES[reason]}" for reason in STAYS if reason not in SELDOM]
    wanted += [f"go: {SHORT_NAMES[reason]}" for reason in GOES]
    assert lacking(occasions, [*wanted, "stay: `_`-partition", "stay: outside the root"], LEAST_PATHS) == {}
    assert lacking(occasions, [f"stay: {SHORT_NAMES[reason]}" for reason in SELDOM], LEAST_TIMES) == {}


def test_the_gate_says_every_retention_in_every_mode(directory: Path) -> None:
    _, occasions = totals("gate", directory)
    ways = [f"mode {mode.value} × {retention}" for mode in Mode for retention in RETENTIONS]
    assert lacking(occasions, ways, LEAST_WAYS) == {}


def test_the_gate_meets_every_boundary_from_all_sides(directory: Path) -> None:
    _, occasions = totals("gate", directory)
    sides = [f"boundary: {instant} {side}" for instant in ("tombstone", "file", "commit") for side in ("-1", "0", "+1")]
    assert lacking(occasions, sides, LEAST_TIMES) == {}


def test_the_gate_draws_every_pair_of_features_together() -> None:
    pairs = Counter(pair for case in cases("gate") for pair in combinations(features_of(case.table), 2))
    assert {pair: pairs[pair] for pair in combinations(sorted(PAIRED), 2) if pairs[pair] < 3} == {}


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
    judge = Judge(KnownBadEngine(ModelEngine(), fault), list(CATALOGUE.values()), tmp_path)
    wanted = set(fault.caught_by)
    assert any(wanted & set(judge.judge(case).violated) for case, ids in met_in_smoke(directory) if wanted & ids)


def test_a_fixed_profile_draws_the_same_cases_again() -> None:
    shard = next(shard for shard in shards(PROFILES["smoke"], ()) if shard.campaign.kept is None)
    assert fixed_cases(shard, FIXED_SEED) == fixed_cases(shard, FIXED_SEED)
    assert fixed_cases(shard, FIXED_SEED) != fixed_cases(shard, FIXED_SEED + 1)
