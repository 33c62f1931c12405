"""What the gate's cases exercise, counted on the reference engine. It takes minutes, so only `tox -e faults` runs it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from harness.coverage import SHORT_NAMES, Cell
from harness.features import PAIRED, features_of
from model.steps import Mode
from model.vacuum import Reason
from selfcheck.reference_engine import ReferenceEngine
from suites.catalogue import CATALOGUE, unsupported
from tests.test_profiles import cases, lacking, totals

pytestmark = pytest.mark.xdist_group("judge")

#: What the design asks of the gate: clauses and boundaries, paths of a reason, ways to say how much is retained.
LEAST_TIMES = 20
LEAST_PATHS = 50
LEAST_WAYS = 3

#: What Spark deletes in spite of the protocol: drawn in some tables only, so met less often.
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


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gate")


def test_the_gate_exercises_every_clause(directory: Path) -> None:
    clauses, _ = totals("gate", directory)
    assert lacking(clauses, CATALOGUE.keys() - unsupported(ReferenceEngine()).keys(), LEAST_TIMES) == {}


def test_every_reason_is_counted_by_a_goal() -> None:
    either = {
        Reason.HOLDS_OLD,
        Reason.HOLDS_EMPTY,
        Reason.PARENT,
        Reason.AT_CUTOFF,
        Reason.CHECKSUM,
        Reason.LINK,
        Reason.FAULTY,
    }
    assert set(GOES) | set(STAYS) | either == set(Reason)


def test_the_gate_meets_every_reason(directory: Path) -> None:
    _, coverage = totals("gate", directory)
    wanted = [Cell("paths", SHORT_NAMES[reason], "keep") for reason in STAYS if reason not in SELDOM]
    wanted += [Cell("paths", SHORT_NAMES[reason], "delete") for reason in GOES]
    wanted += [Cell("paths", what, "keep") for what in ("partition with a hidden name", "outside the root")]
    assert lacking(coverage, wanted, LEAST_PATHS) == {}
    seldom = [Cell("paths", SHORT_NAMES[reason], "keep") for reason in SELDOM]
    assert lacking(coverage, seldom, LEAST_TIMES) == {}


def test_the_gate_says_every_retention_in_every_mode(directory: Path) -> None:
    _, coverage = totals("gate", directory)
    ways = [Cell("vacuums", retention, mode.value) for mode in Mode for retention in RETENTIONS]
    assert lacking(coverage, ways, LEAST_WAYS) == {}


def test_the_gate_meets_every_boundary_from_all_sides(directory: Path) -> None:
    _, coverage = totals("gate", directory)
    sides = [Cell("cutoff", of, side) for of in ("tombstone", "file", "commit") for side in ("-1", "0", "+1")]
    assert lacking(coverage, sides, LEAST_TIMES) == {}


def test_the_gate_draws_every_pair_of_features_together() -> None:
    pairs = Counter(pair for case in cases("gate") for pair in combinations(features_of(case.table), 2))
    assert {pair: pairs[pair] for pair in combinations(sorted(PAIRED), 2) if pairs[pair] < 3} == {}
