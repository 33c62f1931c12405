"""A comparison as ``comparison.json``, for programs. Its schema is ``reports/schema/comparison-1.json``."""

from __future__ import annotations

from typing import Any

from reports.comparison import ClauseChange, Comparison, Group
from reports.stream import Line, Run
from reports.verdicts import ClauseResult

SCHEMA_VERSION = 1


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON: both runs, the clauses, and all groups with the observations of their smallest case."""
    return {
        "schema": SCHEMA_VERSION,
        "exit": comparison.exit,
        "base": _run(comparison.base),
        "candidate": _run(comparison.candidate),
        "cases": {
            "compared": comparison.compared,
            "differing": comparison.differing,
            "diverged": comparison.diverged,
            "cut_short": comparison.cut_short,
        },
        "steps": comparison.steps,
        "clauses": [_clause(clause) for clause in comparison.clauses],
        "groups": [_group(group) for group in comparison.groups],
    }


def _run(run: Run) -> dict[str, Any]:
    names = ("engine", "versions", "profile", "seed", "known_bad")
    return {**{name: run.header[name] for name in names}, "exit": run.footer["exit"], "digest": run.footer["digest"]}


def _clause(clause: ClauseChange) -> dict[str, Any]:
    return {
        "id": clause.clause,
        "sentence": clause.sentence,
        "change": clause.change.value,
        "base": _side(clause.base),
        "candidate": _side(clause.candidate),
        "reason": clause.reason,
        "case": None if clause.case is None else clause.case["id"],
        "message": clause.message,
    }


def _side(result: ClauseResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {"verdict": result.verdict.value, "met": result.met, "failures": result.failures}


def _group(group: Group) -> dict[str, Any]:
    known = group.known
    return {
        "signature": group.signature,
        "subject": group.subject,
        "differences": list(group.whats),
        "known": None if known is None else {"since": known.since, "sentence": known.sentence, "source": known.source},
        "cases": group.cases,
        "steps": group.steps,
        "example": {
            "case": group.base["id"],
            "campaign": group.base["campaign"],
            "step": group.step,
            "base": _seen(group, group.base),
            "candidate": _seen(group, group.candidate),
        },
    }


def _seen(group: Group, line: Line) -> dict[str, Any]:
    step = group.step_of(line)
    if step is None:
        return {"error": line["error"]}
    return {name: step[name] for name in ("text", "outcome", "observed")}
