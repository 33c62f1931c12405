"""``--replay CASE.json``: reads the case, prints its result."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from model.codec import InvalidCase, from_json
from model.vocabulary.case import Case
from records.mistakes import UsageMistake
from reports.harms import rank_of


def read_case(path: Path) -> Case:
    """Read the case of a file. Raises UsageMistake."""
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, InvalidCase) as error:
        raise UsageMistake(f"--replay {path}: not a case that can be replayed: {error}") from error


def _attention(violation: Mapping[str, Any]) -> tuple[bool, int]:
    """What is no known deviation first, then the gravest."""
    return violation["excused"] is not None, rank_of(violation["severity"])


def show_replay(console: Console, lines: Sequence[dict[str, Any]], *, proven: bool) -> int:
    """Print FIXED, FAILED, KNOWN or ERROR; the exit code. A known deviation alone: 0."""
    console.print()  # pytest's progress line has no end yet
    if not lines or not proven:
        console.print("ERROR: the case was not judged completely.", highlight=False)
        return 2
    line = lines[-1]
    if line["error"] is not None:
        console.print(f"ERROR: {line['error']['message']}", highlight=False, markup=False)
        return 2
    verdicts = {id: result["verdict"] for id, result in line["clauses"].items()}
    for violation in sorted(line["violations"], key=_attention):
        word = "FAILED" if violation["excused"] is None else "KNOWN"
        text = f"{word}: {violation['clause']}: {violation['message']} ({violation['severity']}; {violation['cause']})"
        console.print(text, highlight=False, markup=False, soft_wrap=True)
    exercised = sum(result["met"] > 0 for result in line["clauses"].values())
    if not line["violations"] and not exercised:
        console.print(f"ERROR: case {line['id']} exercises no clause: it shows nothing.", highlight=False)
        return 2
    if not line["violations"]:
        console.print(f"FIXED: case {line['id']} keeps all {exercised} clauses that it exercises.", highlight=False)
    return 1 if "fail" in verdicts.values() else 0
