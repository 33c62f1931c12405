"""The folder that a failing case leaves: ``counterexamples/<clause>-<case id>/``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from model.vocabulary.case import Case
from reports.counterexamples.checked import Checked
from reports.counterexamples.explanation import answered, explanation
from reports.counterexamples.script import reproduction
from reports.stream import Line


def folder_of(clause: str, case_id: str) -> str:
    """The folder's path below the report directory."""
    return f"counterexamples/{clause}-{case_id}"


def write_counterexample(
    directory: Path,
    *,
    case: Case,
    line: Line,
    violation: Line,
    clause: Line,
    plan: Mapping[str, Any],
    others: Sequence[str] = (),
) -> Path:
    """Write ``case.json``, ``explanation.md`` and ``reproduce.py`` for one violation; return their folder.

    ``directory`` is the report directory, ``line`` the case's line of the stream, ``violation`` one of its violations,
    ``clause`` the header's entry for the clause, ``plan`` the plan of ``reports.counterexamples.script``, ``others`` the
    clauses that fail in the same step. An earlier
    folder of the same clause and case is written over. Raises InvalidPlan, before anything is written.
    """
    script = reproduction(plan)
    files = {
        "case.json": json.dumps(line["case"], indent=2) + "\n",
        "explanation.md": explanation(
            case=case,
            line=line,
            violation=violation,
            clause=clause,
            engine=plan.get("option", plan["engine"]),
            others=others,
        ),
        "reproduce.py": script,
    }
    folder = directory / folder_of(violation["clause"], line["id"])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    return folder


def write_answer(directory: Path, checked: Checked) -> None:
    """Add to the explanation of a counterexample what its script answered."""
    path = directory / checked.folder / "explanation.md"
    path.write_text(path.read_text(encoding="utf-8") + answered(checked), encoding="utf-8", newline="\n")
