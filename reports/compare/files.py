"""The directory that a comparison leaves: ``comparison.md``, ``comparison.json``, and the cases that they name.

The schema of ``comparison.json`` is ``reports/schema/comparison-1.json``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reports.compare.comparison import ClauseChange, Comparison, Group
from reports.compare.markdown import comparison_markdown
from reports.compare.wording import signature, text_of
from reports.stream import Line, Run
from reports.verdicts import ClauseResult

SCHEMA_VERSION = 1


def write_comparison(comparison: Comparison, directory: Path) -> None:
    """Write the files into ``directory``, which is made if need be. The cases of an earlier comparison there are deleted."""
    cases = directory / "cases"
    cases.mkdir(parents=True, exist_ok=True)
    for old in cases.glob("*.json"):
        old.unlink()
    shown: list[Line] = [group.base for group in comparison.groups]
    shown += [clause.case for clause in comparison.clauses if clause.case is not None]
    for line in shown:
        _write(cases / f"{line['id']}.json", json.dumps(line["case"], indent=2) + "\n")
    _write(directory / "comparison.json", json.dumps(as_json(comparison), indent=1, ensure_ascii=True) + "\n")
    _write(directory / "comparison.md", comparison_markdown(comparison))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


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
    header: Line = run.header
    return {**{name: header[name] for name in names}, "exit": run.footer["exit"], "digest": run.footer["digest"]}


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
        "signature": signature(group),
        "subject": group.subject,
        "differences": [text_of(difference) for difference in group.differences],
        "known": None if known is None else {"since": known.since, "sentence": known.sentence, "source": known.source},
        "cases": group.cases,
        "steps": group.steps,
        "example": {
            "case": group.base["id"],
            "campaign": group.base["campaign"],
            "step": group.step,
            "base": _record(group, group.base),
            "candidate": _record(group, group.candidate),
        },
    }


def _record(group: Group, line: Line) -> dict[str, Any]:
    step = group.step_of(line)
    if step is None:
        return {"error": line["error"]}
    return {name: step[name] for name in ("text", "outcome", "observed")}
