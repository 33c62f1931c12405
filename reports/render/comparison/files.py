"""The directory that a comparison leaves: ``compare.html``, ``comparison.md``, ``comparison.json``, and the cases that they
name.

The schema of ``comparison.json`` is ``reports/schema/comparison-5.json``.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from model.codec.by_types import ByTypes
from records.known_fault import KnownFault, Symptom
from records.run import Footer, Header, RecordedCase
from reports.comparison.acceptance import AcceptedText
from reports.comparison.answer import answer_to
from reports.comparison.cases import ClauseShift, ComparedFault
from reports.comparison.comparison import ClauseChange, Comparison, Unjudged
from reports.comparison.difference_texts import named
from reports.comparison.explanations import ExplanationReason
from reports.comparison.groups import Group
from reports.comparison.withdrawn import Withdrawn
from reports.comparison.wording import seen, signature
from reports.document.html import html
from reports.document.markdown import markdown
from reports.findings.verdicts import ClauseFinding
from reports.render.comparison.document import comparison_document
from reports.render.marks import clear_cases
from reports.stream.reading import Run
from reports.together.answer import TurnReport

SCHEMA_VERSION = 5


def write_comparison(comparison: Comparison, directory: Path) -> None:
    """Write the files into ``directory``, which is made if need be. The cases of an earlier comparison there are deleted."""
    cases = directory / "cases"
    cases.mkdir(parents=True, exist_ok=True)
    clear_cases(cases)
    shown = [group.base for group in comparison.groups]
    shown += [shift.case for shift in comparison.shifts]
    shown += [fault.case for fault in comparison.known_faults]
    for case in shown:
        _write(cases / f"{case.id}.json", json.dumps(case.document, indent=2) + "\n")
    _write(directory / "comparison.json", json.dumps(as_json(comparison), indent=1, ensure_ascii=True) + "\n")
    document = comparison_document(comparison, directory=directory)
    _write(directory / "comparison.md", markdown(document))
    _write(directory / "compare.html", html(document))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _only(kind: Any, *names: str, **renamed: str) -> dict[type, dict[str, str | None]]:
    """Of a class these fields are written, some by another name."""
    shown = {**{name: name for name in names}, **renamed}
    return {kind: {one.name: shown.get(one.name) for one in fields(kind)}}


_FORM = ByTypes(
    readers={},
    writers={RecordedCase: lambda case: case.id, date: date.isoformat, frozenset[str]: len},  # ids, which are counted
    renamed={
        **_only(Header, "engine", "versions", "profile", "seed", "known_bad"),
        **_only(Footer, "exit", "digest"),
        **_only(Comparison, "compared", "differing", "diverged", "cut_short", "unpaired"),
        **_only(KnownFault, "reason", "link", "until"),
        **_only(Symptom, "causes", "errors"),
        **_only(ExplanationReason, "since", "sentence", "source"),
        **_only(AcceptedText, "reason", "link", "until"),
        **_only(
            *(Withdrawn, "name", "sentence", "severity", "harm", "remedy", "clauses", "accepted"), case_ids="cases"
        ),
        **_only(
            *(ClauseShift, "change", "clause", "severity", "cause", "symptom", "before", "case", "step", "message"),
            *("reached", "accepted"),
            case_ids="cases",
        ),
        **_only(
            *(ComparedFault, "reason", "severity", "clauses", "case", "reached"),
            on_base="base",
            on_candidate="candidate",
            case_ids="cases",
        ),
        **_only(Unjudged, "clauses", "cases"),
        **_only(TurnReport, "sides", "cases", "steps", "seconds", "ways", "errors"),
        **_only(ClauseFinding, "verdict", "met", "failures"),
        **_only(ClauseChange, "sentence", "severity", "change", "base", "candidate", "reason", clause="id"),
    },
    left_out=lambda kind, name: False,
)


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as JSON: both runs, the clauses, and all groups with the observations of their smallest case."""
    answer = answer_to(comparison)
    sides = {"base": comparison.base, "candidate": comparison.candidate}
    written = _FORM.write
    return {
        "schema": SCHEMA_VERSION,
        "answer": {"word": answer.word.value, "reason": answer.reason},
        "exit": answer.exit,
        **{side: _run(run) for side, run in sides.items()},
        "cases": written(comparison),
        "steps": comparison.steps,
        "shifts": written(comparison.shifts),
        "withdrawn": written(comparison.withdrawn),
        "acceptance": _acceptance(comparison),
        "known_faults": written(comparison.known_faults),
        "unjudged": {
            side: next((written(one) for one in comparison.unjudged if one.run is run), None)
            for side, run in sides.items()
        },
        "clauses": written(comparison.clauses),
        "groups": [_group(group) for group in comparison.groups],
        "calls": dict(zip(sides, comparison.calls)),
        "requests": written(comparison.requests),
        "times": written(comparison.times),
        "together": None if comparison.shared is None else written(comparison.shared.report),
    }


def _run(run: Run) -> dict[str, Any]:
    written = _FORM.write
    return {**written(run.header), **written(run.footer)}


def _acceptance(comparison: Comparison) -> dict[str, Any] | None:
    """The user's file, its entries that nothing needed, and those that are past their end."""
    if comparison.acceptance is None:
        return None
    ended = {replace(one.ended, clause="") for one in comparison.shifts if one.ended is not None}
    written = _FORM.write
    return {
        "file": str(comparison.acceptance.file),
        "unused": [{"clauses": list(clauses), **written(table)} for table, clauses in comparison.unused.items()]
        + [{"texts": list(one.texts), **written(one)} for one in comparison.unused_texts],
        "ended": [written(one) for one in sorted(ended, key=lambda one: one.reason)],
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "signature": signature(group),
        "subject": group.subject,
        "differences": [named(difference) for difference in group.differences],
        "at_worst": group.severity.value,
        "right": group.right.value,
        "explanation": _FORM.write(group.explanation),
        "cases": group.cases,
        "steps": group.steps,
        "example": {
            "case": group.base.id,
            "campaign": group.base.campaign,
            "step": group.step,
            "base": seen(group, group.base),
            "candidate": seen(group, group.candidate),
        },
    }
