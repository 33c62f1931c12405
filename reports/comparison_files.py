"""The directory that a comparison leaves: ``comparison.md``, ``comparison.json``, and the cases that they name."""

from __future__ import annotations

import json
from pathlib import Path

from reports.comparison import Comparison
from reports.comparison_json import as_json
from reports.comparison_markdown import comparison_markdown
from reports.stream import Line


def write_comparison(comparison: Comparison, directory: Path) -> None:
    """Write the files into ``directory``, which is made if need be. The cases of an earlier comparison there go."""
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
