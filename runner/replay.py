"""``--replay CASE.json``: the case that is read, and what is printed of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from model.case import Case
from model.codec import InvalidCase, from_json
from runner.options import UsageMistake


def read_case(path: Path) -> Case:
    """The case in a file. Raises UsageMistake where there is none."""
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, InvalidCase) as error:
        raise UsageMistake(f"--replay {path}: this is no case that can be replayed: {error}") from error


def show_replay(console: Console, lines: Sequence[dict[str, Any]], *, proven: bool) -> int:
    """Print FIXED, FAILED, KNOWN or ERROR; the exit code. A known deviation alone is neither failed nor fixed: 0."""
    if not lines or not proven:
        console.print("ERROR: the case was not judged to its end.", highlight=False)
        return 2
    line = lines[-1]
    if line["error"] is not None:
        console.print(f"ERROR: {line['error']['message']}", highlight=False, markup=False)
        return 2
    words = {"fail": "FAILED", "xfail": "KNOWN"}
    broken = [(line["clauses"][one["clause"]]["verdict"], one) for one in line["violations"]]
    for verdict, one in broken:
        text = f"{words[verdict]}: {one['clause']}: {one['message']}"
        console.print(text, highlight=False, markup=False, soft_wrap=True)
    met = sum(result["met"] > 0 for result in line["clauses"].values())
    if not broken and not met:
        console.print(f"ERROR: case {line['id']} meets no clause: it shows nothing.", highlight=False)
        return 2
    if not broken:
        console.print(f"FIXED: case {line['id']} keeps all {met} clauses that it meets.", highlight=False)
    return 1 if any(verdict == "fail" for verdict, _ in broken) else 0
