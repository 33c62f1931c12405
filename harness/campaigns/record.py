"""A judged case as a record of the run."""

from __future__ import annotations

from collections.abc import Iterable

from harness.campaigns.features import features_of
from harness.judging.coverage import nested
from harness.judging.judge import JudgedCase
from harness.judging.step_judge import Tally
from model.codec import case_id, to_json
from records import run
from records.run import CaseError, ClauseResult, Verdict, Violation


def case_record(judged: JudgedCase, *, campaign: str, shard: int, index: int, origin: str) -> run.JudgedCase:
    """The record of a judged case; ``index`` is its place in its campaign's shard."""
    failure = judged.failure
    violations = tuple(one for id, tally in judged.tallies.items() for one in _violations(id, tally))
    return run.JudgedCase(
        id=case_id(judged.case),
        campaign=campaign,
        shard=shard,
        index=index,
        origin=origin,
        document=to_json(judged.case),
        features=tuple(features_of(judged.case.table)),
        processors=judged.processors,
        steps=judged.steps,
        coverage=nested(judged.coverage),
        clauses={id: _result(tally) for id, tally in judged.tallies.items()},
        violations=violations,
        left=judged.left if judged.left and any(one.step >= judged.left.step for one in violations) else None,
        error=None
        if failure is None
        else CaseError(failure.kind, failure.message, failure.log[-8000:], failure.clauses),
    )


def _result(tally: Tally) -> ClauseResult:
    broken = Verdict.FAIL if tally.unexcused else Verdict.XFAIL
    verdict = broken if tally.violations else Verdict.PASS
    return ClauseResult(verdict, tally.met, tally.subjects, round(tally.seconds, 3))


def _violations(clause: str, tally: Tally) -> Iterable[Violation]:
    for step, one in tally.violations:
        yield Violation(
            clause=clause,
            step=step,
            subject=one.subject,
            cause=one.kind,
            severity=one.severity,
            by_error=one.cause.is_error,
            circumstances=tuple(sorted(one.circumstances)),
            kinds=tuple(sorted(one.kinds)),
            excused=one.excused,
            message=one.message,
            evidence=one.evidence,
            expectation=one.expectation,
        )
