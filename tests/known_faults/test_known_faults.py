"""Known faults excuse their symptoms only: what else goes wrong in the same cases fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.deltalake.capabilities import NEWEST
from faults import FAULTS, KnownBadEngine
from harness.campaigns.regressions import FOLDER
from model.codec import loads
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Delete
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from tests.builders.observations import full_judge
from tests.find_witnesses import OF_SPARK, known_faults_of
from tests.harness.test_conditions import one_file
from tests.recorded import recorded

#: The faults that Spark itself has: what they show is the symptom of an entry of known_faults/spark.toml.
OF_SPARK_ITSELF = {
    "follows-links",
    "forgets-absolute-vectors",
    "inventory-shows-what-is-hidden-deeper",
    "skips-by-bounds-of-the-narrower-type",
    "rewrites-the-last-file-of-a-batch",
}


def test_a_fault_of_another_kind_is_no_known_fault() -> None:
    """tests/suites/test_recorded.py judges each fault on its witness, with the known faults of Spark."""
    excused = set()
    for bad in OF_SPARK:
        found = recorded("faulty")[bad]
        if not (found["violated"].keys() - set(found["excused"])) & set(FAULTS[bad].caught_by):
            excused.add(bad)
    assert excused == OF_SPARK_ITSELF


#: Cases to which known faults apply, each with a fault of another kind, and the clause that must fail.
BESIDE = (
    ("spark", "inline-vector", "overflows-the-stack-at-inline-vectors", "VAC-LIVE-6"),
    ("spark", "delete-by-a-function-in-python", "keeps-a-match", "DEL-ROW-3"),
    ("spark", "live-files-behind-a-link", "corrupts-a-live-file", "VAC-SAFE-7C"),
    ("spark", "old-vector-by-an-absolute-path", "vacuum-truncates-what-stays", "VAC-SAFE-8C"),
    ("deltalake", "inline-vector", "vacuums-a-live-file", "VAC-SAFE-1"),
    ("deltalake", "vector-by-an-absolute-path", "vacuum-truncates-what-stays", "VAC-SAFE-8C"),
    ("deltalake", "files-outside-the-root", "corrupts-a-live-file", "VAC-SAFE-1B"),
    ("deltalake", "directories-outside-behind-a-link", "vacuums-inside-retention", "VAC-SAFE-2"),
    ("deltalake", "statistics-of-wide-decimals", "adds-with-wrong-statistics", "DEL-ADD-1D"),
)


def healthy(engine: str) -> ReferenceEngine:
    return ReferenceEngine() if engine == "spark" else ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST)


@pytest.mark.parametrize(("engine", "name", "bad", "clause"), BESIDE)
def test_another_fault_in_such_a_case_fails(engine: str, name: str, bad: str, clause: str, tmp_path: Path) -> None:
    listed = known_faults_of(engine, {"spark": "4.4.0", "deltalake": "1.6.6"}[engine])
    assert clause in {one.clause for one in listed} or name == "inline-vector"
    case = loads(next(FOLDER.rglob(f"{name}.json")).read_text(encoding="utf-8"))
    judged = full_judge(KnownBadEngine(healthy(engine), FAULTS[bad]), tmp_path, listed).judge(case)
    assert clause in judged.failed


def test_rows_that_are_lost_are_not_rows_that_are_left(tmp_path: Path) -> None:
    """Spark leaves rows where a condition compares 0.0 with -0.0."""
    case = Case(one_file((-0.0,), (1.0,)), (Delete(Compare("v", Op.EQ, 0.0, Type.DOUBLE)),))
    engine = KnownBadEngine(ReferenceEngine(), FAULTS["loses-a-survivor"])
    judged = full_judge(engine, tmp_path, known_faults_of("spark", "4.4.0")).judge(case)
    assert {"DEL-ROW-3", "DEL-ROW-5B"} <= set(judged.failed)
    wrong, *_ = judged.tallies["DEL-ROW-3"].violations
    assert "zeros of both signs" in wrong.circumstances
