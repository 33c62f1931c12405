"""Two engines in turn on one table: healthy ones are never accused, and what a known-bad one leaves is noticed by the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engines.deltalake.capabilities import capabilities_of as of_delta_rs
from engines.spark.releases import capabilities_of as of_spark
from engines.spark.releases import rules_of
from faults import FAULTS, KnownBadEngine
from harness.campaigns.corpus import corpus_cases
from harness.campaigns.drawing import kept_cases
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.observing.steps.expected_versions import ExpectedVersions
from harness.turns.questions import questions_about
from harness.turns.turn_judge import PATTERNS, TurnCase, TurnJudge
from harness.turns.turn_run import TurnRun
from model.codec import case_id, from_json
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Delete, OpenSession, Read, Vacuum
from model.vocabulary.table import HOUR, Column, Commit, DataFile, Table
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from suites.campaigns import CORPUS, REGRESSIONS
from suites.catalogue import CATALOGUE, promised
from tests.find_witnesses import WITNESSES
from tests.slow import all_slow
from tests.smoke_shows import shown_by

TABLE = Table(
    columns=(Column("p", Type.INTEGER), Column("d", Type.DATE), Column("v", Type.INTEGER)),
    partition_by=("p",),
    files=(DataFile(0, (1,), ((None, 1), (None, 2)), -HOUR), DataFile(1, (2,), ((None, 3),), -HOUR)),
    commits=(Commit(-HOUR, adds=(0, 1)),),
)


#: Where the names of the second engine's files begin.
SECOND = 50_000


def delta(version: str, *, own_clock: bool = True, first: int = 0) -> ReferenceEngine:
    rules = replace(rules_of(version), own_clock=own_clock)
    return ReferenceEngine(rules=rules, capabilities=of_spark(version), version=version, first=first)


def delta_rs(version: str, *, first: int = 0) -> ReferenceEngine:
    return ReferenceEngine(rules=DELTA_RS, capabilities=of_delta_rs(version), version="4.4.0", first=first)


PAIRS: dict[str, tuple[Callable[[], ReferenceEngine], Callable[[], ReferenceEngine]]] = {
    "3.3.2 and 4.4.0": (lambda: delta("3.3.2"), lambda: delta("4.4.0", first=SECOND)),
    "4.4.0 and delta-rs": (lambda: delta("4.4.0", own_clock=False), lambda: delta_rs("1.6.6", first=SECOND)),
    "two of delta-rs": (lambda: delta_rs("1.5.1"), lambda: delta_rs("1.6.6", first=SECOND)),
}

#: Faults that leave the rows of a table as they must be, and what the other engine then meets.
LEFT = {
    "accepts-unknown-features": "DEL-INFO-1A",
    "vacuums-in-spite-of-unknown-features": "DEL-INFO-1A",
    "insert-deletes-a-removed-file": "DEL-TT-2",
    "crash-loses-an-earlier-file": "DEL-TT-2",
    "crash-leaves-half-a-checkpoint": "CRASH-3",
    "clone-loses-a-file": "LIFE-4A",
    "clone-forgets-vectors": "LIFE-4A",
    "adds-without-base-row-id": "DEL-REM-1F",
    "update-deletes-what-it-removed": "DEL-TT-2",
    "optimize-deletes-what-it-removed": "DEL-TT-2",
    "vacuum-truncates-earlier-versions": "DEL-TT-2",
}


def side(engine: ReferenceEngine | KnownBadEngine, name: str, *, excuses: Excuses | None = None) -> Side:
    return Side(engine, promised(engine), excuses or Excuses(), name)


def in_turn(case: Case, directory: Path) -> list[TurnCase]:
    judge = TurnJudge(side(ReferenceEngine(), "A"), side(ReferenceEngine(first=SECOND), "B"), directory)
    return list(judge.judge(case))


@pytest.mark.long
@pytest.mark.parametrize("pair", PAIRS)
def test_healthy_engines_are_never_accused(pair: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Each pair on one smoke case in sixteen, no two on the same; with ``--slow`` on every one."""
    a, b = (make() for make in PAIRS[pair])
    shared = a.capabilities.shared(b.capabilities)
    kept = [*kept_cases(REGRESSIONS, shared), *kept_cases(CORPUS.of(corpus_cases("smoke")), shared)]
    if not all_slow(pytestconfig):
        kept = kept[list(PAIRS).index(pair) :: 16]
    judge = TurnJudge(side(a, "A"), side(b, "B"), tmp_path)
    found = [one for case in kept for one in judge.judge(case)]
    assert not [(case_id(one.case), one.pattern, one.failure) for one in found if one.failure]
    assert not [(case_id(one.case), one.pattern, one.violation.message) for many in found for one in many.news]
    assert sum(taken.aside for one in found for taken in one.taken) > len(kept)


@pytest.mark.long
@pytest.mark.parametrize("letter", "AB")
@pytest.mark.parametrize("fault", LEFT)
def test_the_other_engine_notices_what_a_known_bad_one_leaves(fault: str, letter: str, tmp_path: Path) -> None:
    """All that the known-bad engine does wrong is known of it: what is new is the other's."""
    bad = side(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), letter, excuses=Excuses(CATALOGUE))
    healthy = side(ReferenceEngine(first=SECOND), "AB".replace(letter, ""))
    judge = TurnJudge(*((bad, healthy) if letter == "A" else (healthy, bad)), tmp_path)
    witness = from_json(json.loads((WITNESSES / f"{fault}.json").read_text(encoding="utf-8")))
    found = [one for case in (witness, *shown_by(fault)) for judged in judge.judge(case) for one in judged.news]
    assert LEFT[fault] in {one.violation.clause for one in found if one.side == healthy.name}


def test_steps_go_in_turn_and_the_other_side_reads_after_each_change(tmp_path: Path) -> None:
    steps = (Delete(Compare("v", Op.EQ, 1, Type.INTEGER)), Read(), Vacuum())
    ab, ba = in_turn(Case(TABLE, steps), tmp_path)
    assert (ab.pattern, ba.pattern) == PATTERNS
    taken = [(one.side, type(one.step).__name__, one.aside, one.index) for one in ab.taken]
    assert taken[:5] == [
        ("A", "Delete", False, 0),
        ("B", "Read", True, 0),
        ("B", "Read", False, 1),
        ("A", "Vacuum", False, 2),
        ("B", "Read", True, 2),
    ]
    assert [(side, kind) for side, kind, _, _ in taken[5:]] == [("B", "Delete"), ("A", "Delete")][: len(taken) - 5]
    assert ba.taken[0].side == "B"


def test_a_step_by_an_earlier_session_stays_with_who_opened_it(tmp_path: Path) -> None:
    ab, _ = in_turn(Case(TABLE, (OpenSession(), Delete(by_earlier=True))), tmp_path)
    assert [one.side for one in ab.taken if not one.aside][:2] == ["A", "A"]


def test_a_question_is_about_a_value_that_the_table_has_dates_first() -> None:
    dated = replace(TABLE, files=(replace(TABLE.files[0], rows=((20, 1), (30, 2))), TABLE.files[1]))
    asked = [one.where for one in questions_about(ExpectedVersions(dated, start=0))]
    assert asked == [
        Compare("d", Op.EQ, 20, Type.DATE),
        Compare("d", Op.EQ, 30, Type.DATE),
        Compare("v", Op.EQ, 1, Type.INTEGER),
        Compare("v", Op.EQ, 3, Type.INTEGER),
        Compare("p", Op.EQ, 1, Type.INTEGER),
        Compare("p", Op.EQ, 2, Type.INTEGER),
    ]


def test_alone_a_side_writes_the_table_itself_first(tmp_path: Path) -> None:
    """Else what it does wrong on files of the other's would count as its own."""
    sides = side(ReferenceEngine(), "A"), side(ReferenceEngine(first=SECOND), "B")
    for pattern, writer in (("AB", "A"), ("BA", "A"), ("A", "A"), ("B", "B")):
        run = TurnRun(sides, TABLE, tmp_path / pattern / "table", pattern)
        assert not run.begin()
        assert {one.side for one in run.taken} == {writer}
