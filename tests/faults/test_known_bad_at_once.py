"""Two sessions at once: how pairs end on the healthy reference engine, and how a known-bad one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.deltalake.capabilities import NEWEST
from engines.port import Engine
from faults import FAULTS, KnownBadEngine
from harness.running.judge import JudgedCase
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS
from model.vocabulary.steps import AtOnce, CrashPoint, Delete
from reference_engine import ReferenceEngine
from reports.counterexamples.explanation import explanation
from reports.counterexamples.script import reproduction
from tests import scripts
from tests.builders.observations import full_judge
from tests.handmade.at_once import BOTH_COMMIT, ENDS, OTHER_PARTITION, pair
from tests.handmade.crashes import ROW


def judged(engine: Engine, case: Case, directory: Path) -> JudgedCase:
    result = full_judge(engine, directory).judge(case)
    assert result.failure is None, result.failure
    return result


@pytest.mark.parametrize(("case", "ends"), ENDS)
def test_a_pair_ends_as_documented(case: Case, ends: str | None, tmp_path: Path) -> None:
    result = judged(ReferenceEngine(), case, tmp_path)
    outcome = result.steps[0].outcome
    assert outcome.second is not None and outcome.second.held and outcome.second.error is None
    assert (outcome.error.exception if outcome.error else None) == ends
    assert result.violated == []


def test_a_conflict_of_delta_rs_has_its_one_exception(tmp_path: Path) -> None:
    engine = ReferenceEngine(rules=DELTA_RS, capabilities=NEWEST)
    outcome = judged(engine, ENDS[1][0], tmp_path).steps[0].outcome
    assert outcome.error is not None and outcome.error.exception == "CommitFailedError"


def test_a_first_that_never_comes_to_its_point_ends_before_the_second(tmp_path: Path) -> None:
    for first, point in ((Delete(ROW.where), CrashPoint.DELETION), (OTHER_PARTITION, CrashPoint.FILE_CREATED)):
        result = judged(ReferenceEngine(), pair(first, ROW, point=point), tmp_path / point.name)
        second = result.steps[0].outcome.second
        assert second is not None and not second.held
        assert result.violated == []


def test_what_happens_is_told_in_words(tmp_path: Path) -> None:
    bad = KnownBadEngine(ReferenceEngine(), FAULTS["lost-update"])
    (violation,) = (one for one in judged(bad, BOTH_COMMIT, tmp_path).tallies["CONC-1A"].violations)
    told = "\n".join(violation.evidence)
    assert "the first, which was held before its point (committed): DELETE FROM t WHERE `id` = 10 succeeded" in told
    assert "the second: DELETE FROM t WHERE `p` = 'b' succeeded" in told
    assert "committed nothing" in told  # the log cannot tell of which of the two the one commit is
    assert "the second, then the first: 3 rows; does not fit" in told
    assert "the first, then the second: 3 rows; does not fit" in told


def test_the_default_point_is_before_the_commit() -> None:
    assert AtOnce(ROW, OTHER_PARTITION).point is CrashPoint.COMMITTED


def test_the_explanation_has_both_sessions_side_by_side_and_the_script_says_why_it_cannot_tell(tmp_path: Path) -> None:
    case = BOTH_COMMIT
    judge = full_judge(KnownBadEngine(ReferenceEngine(), FAULTS["lost-update"]), tmp_path)
    record = scripts.recorded(judge.judge(case))
    violation = next(one for one in record.violations if one.clause == "CONC-1A")
    told = explanation(record, violation, scripts.listed("CONC-1A"), replay="the command", own_clock=True)
    assert "| the first | the second |" in told
    assert "| is held right before: committed | begins then, and ends before the first goes on |" in told
    assert "| succeeds | succeeds |" in told
    plan = next(one for one in scripts.plans(case, judge) if one.clause == "CONC-1A")
    script = reproduction(plan, scripts.SPARK)
    assert 'cannot_tell("a script cannot hold one of the two sessions of step 0")' in script
    assert "explanation.md, beside this script, has the command" in script
