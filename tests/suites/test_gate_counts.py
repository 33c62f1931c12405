"""What the gate's cases exercise, counted on the reference engine. If it is too little, `selfcheck corpus` chooses them again."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from harness.campaigns.features import PAIRED, features_of
from harness.running.coverage import SHORT_NAMES, Cell
from model.prediction.fates import Reason
from model.vocabulary.steps import Mode
from reference_engine import ReferenceEngine
from selfcheck.corpus.facets import GOALS
from suites.catalogue import CATALOGUE, unsupported
from tests.smoke_shows import by_id, met, on_healthy
from tests.suites.test_profiles import lacking

pytestmark = pytest.mark.xdist_group("judge")

#: The gate's goals: for clauses, for the cells of the coverage tables, and for each mode with each way to give the retention.
LEAST_TIMES = GOALS["clause"]
LEAST_CELLS = GOALS["paths"]
LEAST_WAYS = GOALS["vacuums"]

#: What Spark deletes in spite of the protocol, and the directories of files that are gone: drawn in some tables only.
RARELY_KEPT = (Reason.ABSOLUTE_VECTOR, Reason.BEHIND_LINK, Reason.HIDDEN_DEEPER, Reason.PARENT)

#: Paths that may be kept or deleted are counted by no goal.
DELETED = (
    Reason.EXPIRED,
    Reason.EXPIRED_VECTOR,
    Reason.ORPHAN_VECTOR,
    Reason.ORPHAN,
    Reason.CHANGE_FILE,
    Reason.EMPTY,
)
KEPT = (
    Reason.LIVE,
    Reason.LIVE_BY_URI,
    Reason.LIVE_VECTOR,
    Reason.RETAINED,
    Reason.RETAINED_VECTOR,
    Reason.HIDDEN_FILE,
    Reason.HIDDEN_DIRECTORY,
    Reason.INSIDE_HIDDEN,
    Reason.NOT_SCANNED,
    Reason.YOUNG,
    Reason.YOUNG_REMOVED,
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
def counted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Counter[str], Counter[Cell]]:
    clauses, coverage = Counter[str](), Counter[Cell]()
    for judged in on_healthy([ReferenceEngine()], by_id("gate").values(), tmp_path_factory.mktemp("gate")):
        clauses.update(met(judged))
        coverage.update(judged.coverage)
    return clauses, coverage


@pytest.mark.slow
def test_the_gate_exercises_every_clause(counted: tuple[Counter[str], Counter[Cell]]) -> None:
    assert lacking(counted[0], CATALOGUE.keys() - unsupported(ReferenceEngine()).keys(), LEAST_TIMES) == {}


def test_every_reason_is_counted_by_a_goal() -> None:
    unspecified = {
        Reason.HOLDS_OLD,
        Reason.HOLDS_EMPTY,
        Reason.AT_CUTOFF,
        Reason.CHECKSUM,
        Reason.LINK,
        Reason.FAULTY,
        Reason.KEPT_VERSION,  # of deltalake alone
        Reason.KEPT_VERSION_VECTOR,
        Reason.YOUNG_COMMIT,  # of Trino alone
    }
    assert {*DELETED, *KEPT, *RARELY_KEPT} | unspecified == set(Reason)


KEPT_CELLS = [Cell("paths", SHORT_NAMES[reason], "keep") for reason in KEPT]
DELETED_CELLS = [Cell("paths", SHORT_NAMES[reason], "delete") for reason in DELETED]
OTHER_CELLS = [Cell("paths", what, "keep") for what in ("partition with a hidden name", "outside the root")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "least"),
    [
        ([*KEPT_CELLS, *DELETED_CELLS, *OTHER_CELLS], LEAST_CELLS),
        ([Cell("paths", SHORT_NAMES[reason], "keep") for reason in RARELY_KEPT], LEAST_CELLS),
        ([Cell("vacuums", retention, mode.value) for mode in Mode for retention in RETENTIONS], LEAST_WAYS),
        (
            [Cell("cutoff", of, side) for of in ("tombstone", "file", "commit") for side in ("-1", "0", "+1")],
            LEAST_CELLS,
        ),
    ],
    ids=["reasons", "rare reasons", "retentions by mode", "sides of the cutoff"],
)
def test_the_gate_covers(cells: list[Cell], least: int, counted: tuple[Counter[str], Counter[Cell]]) -> None:
    assert lacking(counted[1], cells, least) == {}


def test_the_gate_draws_every_pair_of_features_together() -> None:
    pairs = Counter(pair for case in by_id("gate").values() for pair in combinations(features_of(case.table), 2))
    assert lacking(pairs, combinations(sorted(PAIRED), 2), GOALS["pair"]) == {}
