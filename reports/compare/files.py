"""The directory that a comparison leaves: ``compare.html``, ``comparison.md``, ``comparison.json``, and the cases that they name.

The schema of ``comparison.json`` is ``reports/schema/comparison-4.json``.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any

from reports.compare.answer import answer_to
from reports.compare.cases import Change, KnownFault, Shift
from reports.compare.comparison import ClauseChange, Comparison, Group, Unjudged
from reports.compare.markdown import comparison_markdown
from reports.compare.wording import signature, text_of
from reports.deviations import Deviation
from reports.page.comparison import comparison_page
from reports.page.html import html_of
from reports.stream import Line, Run
from reports.verdicts import ClauseResult

SCHEMA_VERSION = 4


def write_comparison(comparison: Comparison, directory: Path) -> None:
    """Write the files into ``directory``, which is made if need be. The cases of an earlier comparison there are deleted."""
    cases = directory / "cases"
    cases.mkdir(parents=True, exist_ok=True)
    for old in cases.glob("*.json"):
        old.unlink()
    shown: list[Line] = [group.base for group in comparison.groups]
    shown += [shift.case for shift in comparison.shifts]
    shown += [fault.case for fault in comparison.known_faults]
    for line in shown:
        _write(cases / f"{line['id']}.json", json.dumps(line["case"], indent=2) + "\n")
    _write(directory / "comparison.json", json.dumps(as_json(comparison), indent=1, ensure_ascii=True) + "\n")
    _write(directory / "comparison.md", comparison_markdown(comparison))
    _write(directory / "compare.html", html_of(comparison_page(comparison)))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON: both runs, the clauses, and all groups with the observations of their smallest case."""
    answer = answer_to(comparison)
    return {
        "schema": SCHEMA_VERSION,
        "answer": {"word": answer.word.value, "reason": answer.reason},
        "exit": answer.exit,
        "base": _run(comparison.base),
        "candidate": _run(comparison.candidate),
        "cases": {
            "compared": comparison.compared,
            "differing": comparison.differing,
            "diverged": comparison.diverged,
            "cut_short": comparison.cut_short,
        },
        "steps": comparison.steps,
        "shifts": [_shift(shift) for shift in comparison.shifts],
        "acceptance": _acceptance(comparison),
        "known_deviations": [_known_fault(fault) for fault in comparison.known_faults],
        "unjudged": {
            side: next((_unjudged(one) for one in comparison.unjudged if one.run is run), None)
            for side, run in (("base", comparison.base), ("candidate", comparison.candidate))
        },
        "clauses": [_clause(clause) for clause in comparison.clauses],
        "groups": [_group(group) for group in comparison.groups],
    }


def _run(run: Run) -> dict[str, Any]:
    names = ("engine", "versions", "profile", "seed", "known_bad")
    return {**{name: getattr(run.header, name) for name in names}, "exit": run.footer.exit, "digest": run.footer.digest}


def _clause(clause: ClauseChange) -> dict[str, Any]:
    return {
        "id": clause.clause,
        "sentence": clause.sentence,
        "severity": clause.severity,
        "change": clause.change.value,
        "base": _side(clause.base),
        "candidate": _side(clause.candidate),
        "reason": clause.reason,
    }


def _shift(shift: Shift) -> dict[str, Any]:
    return {
        "change": shift.change.value,
        "clause": shift.clause,
        "severity": shift.severity,
        "cause": shift.cause,
        "before": shift.before,
        "cases": len(shift.case_ids),
        "case": shift.case["id"],
        "step": shift.step,
        "message": shift.message,
        "accepted": _entry(shift.entry) if shift.entry is not None and shift.change is Change.ACCEPTED else None,
    }


def _entry(entry: Deviation) -> dict[str, Any]:
    until = entry.until.isoformat() if isinstance(entry.until, date) else entry.until
    return {"reason": entry.reason, "link": entry.link, "until": until}


def _acceptance(comparison: Comparison) -> dict[str, Any] | None:
    """The user's file, its entries that nothing needed, and those that are past their end."""
    if comparison.acceptance is None:
        return None
    over = {
        replace(one.entry, clause="") for one in comparison.shifts if one.entry and one.change is not Change.ACCEPTED
    }
    return {
        "file": str(comparison.acceptance.file),
        "unused": [{"clauses": list(clauses), **_entry(table)} for table, clauses in comparison.unused.items()],
        "ended": sorted((_entry(one) for one in over), key=lambda one: str(one["reason"])),
    }


def _known_fault(fault: KnownFault) -> dict[str, Any]:
    return {
        "reason": fault.reason,
        "severity": fault.severity,
        "clauses": list(fault.clauses),
        "base": fault.on_base,
        "candidate": fault.on_candidate,
        "cases": len(fault.case_ids),
        "case": fault.case["id"],
    }


def _unjudged(one: Unjudged) -> dict[str, Any]:
    return {"clauses": list(one.clauses), "cases": one.cases}


def _side(result: ClauseResult | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {"verdict": result.verdict.value, "met": result.met, "failures": result.failures}


def _group(group: Group) -> dict[str, Any]:
    explanation = group.explanation
    return {
        "signature": signature(group),
        "subject": group.subject,
        "differences": [text_of(difference) for difference in group.differences],
        "explanation": None
        if explanation is None
        else {"kind": explanation.kind.value, "reasons": [asdict(reason) for reason in explanation.reasons]},
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
