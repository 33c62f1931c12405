"""Two engines in turn on one table: healthy ones are never accused, and what a known-bad one leaves is noticed by the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engines.deltalake.capabilities import capabilities_of as of_delta_rs
from engines.port import Outcome
from engines.spark.releases import capabilities_of as of_spark
from engines.spark.releases import rules_of
from faults import FAULTS, KnownBadEngine
from harness.campaigns.corpus import corpus_cases
from harness.campaigns.drawing import kept_cases
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.observing.steps.expected_versions import ExpectedVersions
from harness.running.judge import JudgedCase
from harness.turns.questions import questions_about, with_questions
from harness.turns.turn_judge import PATTERNS, TurnJudge
from model.codec import case_id, from_json
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import Delete, OpenSession, Read, Request, Vacuum
from model.vocabulary.table import HOUR, Column, Commit, DataFile, Feature, Table
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
    "insert-deletes-a-removed-file": "DEL-TT-2",
    "crash-loses-an-earlier-file": "VAC-SAFE-10F",
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


def in_turn(case: Case, directory: Path) -> JudgedCase:
    return TurnJudge(side(ReferenceEngine(), "A"), side(ReferenceEngine(first=SECOND), "B"), directory).judge(case)


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
    found = [judge.judge(with_questions(case)) for case in kept]
    assert not [(case_id(one.case), one.failure) for one in found if one.failure]
    assert not [(case_id(one.case), one.violated) for one in found if one.violated]
    assert sum(step.aside for one in found for step in one.steps) > 2 * len(kept)


@pytest.mark.long
@pytest.mark.parametrize("letter", "AB")
@pytest.mark.parametrize("fault", LEFT)
def test_the_other_engine_notices_what_a_known_bad_one_leaves(fault: str, letter: str, tmp_path: Path) -> None:
    """All that the known-bad engine does wrong is known of it: what is new is the other's."""
    bad = side(KnownBadEngine(ReferenceEngine(), FAULTS[fault]), letter, excuses=Excuses(CATALOGUE))
    healthy = side(ReferenceEngine(first=SECOND), "AB".replace(letter, ""))
    judge = TurnJudge(*((bad, healthy) if letter == "A" else (healthy, bad)), tmp_path)
    witness = from_json(json.loads((WITNESSES / f"{fault}.json").read_text(encoding="utf-8")))
    judged = [judge.judge(with_questions(case)) for case in (witness, *shown_by(fault))]
    found = [one for each in judged for id in each.failed for one in each.tallies[id].unexcused]
    assert LEFT[fault] in {one.clause for one in found if one.turn and one.turn.side == healthy.name}


def test_steps_go_in_turn_and_the_other_side_reads_after_each_change(tmp_path: Path) -> None:
    steps = (Delete(Compare("v", Op.EQ, 1, Type.INTEGER)), Read(), Vacuum())
    taken = [
        (one.pattern, one.side, one.kind, one.aside, one.index) for one in in_turn(Case(TABLE, steps), tmp_path).steps
    ]
    for pattern in PATTERNS:
        a, b = pattern[0], pattern[1]
        assert [one[1:] for one in taken if one[0] == pattern] == [
            (a, "delete", False, 0),
            (b, "read", True, 0),
            (b, "read", False, 1),
            (a, "vacuum", False, 2),
            (b, "read", True, 2),
        ]


class _OftenWrong(ReferenceEngine):
    """Reads no row, and says of its DELETE of 2 that it deleted nine."""

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = super().run(root, step, clock=clock, version=version)
        if isinstance(step, Read):
            return replace(outcome, rows=())
        return replace(outcome, rows=((9,),)) if step == _SECOND_DELETE else outcome


_SECOND_DELETE = Delete(Compare("v", Op.EQ, 2, Type.INTEGER))


def test_what_a_side_shows_alone_is_known_to_the_end_of_the_case(tmp_path: Path) -> None:
    """Between its DELETEs the other reads in turn; alone, it reads itself, which is wrong too."""
    case = Case(TABLE, (Delete(Compare("v", Op.EQ, 1, Type.INTEGER)), Read(), _SECOND_DELETE))
    a, b = side(ReferenceEngine(), "A"), side(_OftenWrong(first=SECOND), "B")
    judged = TurnJudge(a, b, tmp_path).judge(case)
    assert judged.failure is None and judged.failed == []
    assert [(one.pattern, one.side) for one in judged.steps if one.index == 2 and not one.aside] == [("BA", "B")]


def test_a_step_by_an_earlier_session_stays_with_who_opened_it(tmp_path: Path) -> None:
    judged = in_turn(Case(TABLE, (OpenSession(), Delete(by_earlier=True))), tmp_path)
    assert [one.side for one in judged.steps if not one.aside and one.pattern == "AB"] == ["A", "A"]


def test_a_case_ends_with_questions_about_what_its_own_steps_leave() -> None:
    own = Delete(Compare("v", Op.EQ, 1, Type.INTEGER))
    *_, first, second = with_questions(Case(TABLE, (own,))).steps
    assert [first, second] == [Delete(Compare("v", Op.EQ, value, Type.INTEGER)) for value in (2, 3)]


@pytest.mark.parametrize("feature", [Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER])
def test_a_table_that_no_engine_may_write_is_asked_nothing(feature: Feature) -> None:
    """The DELETEs would be refused, and each engine accused of it."""
    case = Case(replace(TABLE, features=(feature.value,)), (Vacuum(),))
    assert with_questions(case) == case


def test_a_question_is_about_a_value_that_the_table_has_dates_first() -> None:
    dated = replace(TABLE, files=(replace(TABLE.files[0], rows=((20, 1), (30, 2))), TABLE.files[1]))
    asked = [one.where for one in questions_about(dated, ExpectedVersions(dated, start=0).rows)]
    assert asked == [
        Compare("d", Op.EQ, 20, Type.DATE),
        Compare("d", Op.EQ, 30, Type.DATE),
        Compare("v", Op.EQ, 1, Type.INTEGER),
        Compare("v", Op.EQ, 3, Type.INTEGER),
        Compare("p", Op.EQ, 1, Type.INTEGER),
        Compare("p", Op.EQ, 2, Type.INTEGER),
    ]
