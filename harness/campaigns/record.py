"""A judged case as a record of the run."""

from __future__ import annotations

from dataclasses import replace

from harness.campaigns.features import features_of
from harness.judging.step_judge import Tally
from harness.running.coverage import nested
from harness.running.judge import JudgedCase
from model.codec import case_id, to_json
from records import run
from records.run import ClauseResult, Verdict


def case_record(judged: JudgedCase, *, campaign: str, batch: int, index: int, origin: str) -> run.RecordedCase:
    """The record of a judged case; ``index`` is its place in its campaign's batch."""
    failure = judged.failure
    violations = tuple(one for tally in judged.tallies.values() for one in tally.violations)
    return run.RecordedCase(
        id=case_id(judged.case),
        campaign=campaign,
        batch=batch,
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
        error=failure and replace(failure, log=failure.log[-8000:]),
    )


def _result(tally: Tally) -> ClauseResult:
    broken = Verdict.FAILS if tally.unexcused else Verdict.KNOWN_FAULT
    verdict = broken if tally.violations else Verdict.HOLDS
    return ClauseResult(verdict, tally.met, tally.subjects, round(tally.seconds, 3))
