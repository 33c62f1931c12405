"""The folder that a failing case leaves: ``counterexamples/<clause>-<case id>/``."""

from __future__ import annotations

import json
from pathlib import Path

from records.run import RecordedCase
from reports.counterexamples.checked import ScriptResult
from reports.counterexamples.explanation import answered


def write_counterexample(folder: Path, judged: RecordedCase, *, explanation: str, script: str) -> None:
    """Write ``case.json``, ``explanation.md`` and ``reproduce.py`` into a folder, over those that are there."""
    files = {
        "case.json": json.dumps(judged.document, indent=2) + "\n",
        "explanation.md": explanation,
        "reproduce.py": script,
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def write_answer(directory: Path, checked: ScriptResult) -> None:
    """Add to the explanation of a counterexample what its script answered."""
    path = directory / checked.folder / "explanation.md"
    path.write_text(path.read_text(encoding="utf-8") + answered(checked), encoding="utf-8", newline="\n")
