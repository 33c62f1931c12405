"""The folder that a failing case leaves: ``counterexamples/<clause>-<case id>/``."""

from __future__ import annotations

import json
from pathlib import Path

from records.run import RecordedCase
from reports.counterexamples.checked import ScriptResult
from reports.counterexamples.explanation import answered


def folder_of(clause: str, case_id: str) -> str:
    """The folder's path below the report directory."""
    return f"counterexamples/{clause}-{case_id}"


def write_counterexample(directory: Path, judged: RecordedCase, clause: str, *, explanation: str, script: str) -> Path:
    """Write ``case.json``, ``explanation.md`` and ``reproduce.py`` for a violation of this clause; return their folder.

    ``directory`` is the report directory. An earlier folder of the same clause and case is written over.
    """
    files = {
        "case.json": json.dumps(judged.document, indent=2) + "\n",
        "explanation.md": explanation,
        "reproduce.py": script,
    }
    folder = directory / folder_of(clause, judged.id)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    return folder


def write_answer(directory: Path, checked: ScriptResult) -> None:
    """Add to the explanation of a counterexample what its script answered."""
    path = directory / checked.folder / "explanation.md"
    path.write_text(path.read_text(encoding="utf-8") + answered(checked), encoding="utf-8", newline="\n")
