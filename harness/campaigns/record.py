"""A judged case as a line of the run stream. The schema in ``reports/schema`` describes it."""

from __future__ import annotations

from typing import Any

from harness.campaigns.features import features_of
from harness.judging.coverage import nested
from harness.judging.judge import JudgedCase
from harness.judging.severity import severity_of
from model.codec import case_id, to_json
from records.json_form import expectation_to_json


def case_line(judged: JudgedCase, *, campaign: str, shard: int, index: int, origin: str) -> dict[str, Any]:
    """The line of a judged case; ``index`` is its place in its campaign's shard."""
    failed = judged.failed
    failure = judged.failure
    return {
        "type": "case",
        "id": case_id(judged.case),
        "campaign": campaign,
        "shard": shard,
        "index": index,
        "origin": origin,
        "case": to_json(judged.case),
        "features": features_of(judged.case.table),
        "processors": judged.processors,
        "steps": list(judged.steps),
        "coverage": nested(judged.coverage),
        "clauses": {
            id: {
                "verdict": ("fail" if id in failed else "xfail") if tally.violations else "pass",
                "met": tally.met,
                "subjects": tally.subjects,
                "seconds": round(tally.seconds, 3),
            }
            for id, tally in judged.tallies.items()
        },
        "violations": [
            {
                "clause": id,
                "step": step,
                "subject": violation.subject,
                "cause": violation.kind,
                "severity": severity_of(id, violation.cause).value,
                "by_error": violation.cause.is_error,
                "circumstances": sorted(violation.circumstances),
                "kinds": sorted(violation.kinds),
                "excused": violation.excused,
                "message": violation.message,
                "evidence": list(violation.evidence),
                "expectation": expectation_to_json(violation.expectation),
            }
            for id, tally in judged.tallies.items()
            for step, violation in tally.violations
        ],
        "error": None
        if failure is None
        else {"kind": failure.kind, "message": failure.message, "log": failure.log[-8000:]},
    }
