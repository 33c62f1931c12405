"""``--replay CASE.json``: reads the case, prints its result."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from model.codec import InvalidCase, from_json
from model.vocabulary.case import Case
from model.vocabulary.severity import Severity
from records.mistakes import UsageMistake
from records.run import RecordedCase, RecordedViolation, Verdict
from suites.catalogue import CATALOGUE


def read_case(path: Path) -> Case:
    """Read the case of a file. Raises UsageMistake."""
    try:
        case = from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, InvalidCase) as error:
        raise UsageMistake(f"--replay {path}: not a case that can be replayed: {error}") from error
    if case.has_code:  # the file may come from anybody
        raise UsageMistake(f"--replay {path}: a step of the case is code of the engine, which is run from no file.")
    return case


def _severity(violation: RecordedViolation) -> Severity:
    return violation.severity or CATALOGUE[violation.clause].harm.severity


def _attention(violation: RecordedViolation) -> tuple[bool, int]:
    """New faults first, then the gravest."""
    return violation.excused is not None, _severity(violation).rank


def show_replay(console: Console, case: RecordedCase | None, *, proven: bool) -> int:
    """Print FIXED, FAILED, KNOWN or ERROR; the exit code. A known fault alone: 0."""
    console.print()  # pytest's progress line has no end yet
    if case is None or not proven:
        console.print("ERROR: the case was not judged completely.", highlight=False)
        return 2
    if case.error is not None:
        console.print(f"ERROR: {case.error.message}", highlight=False, markup=False)
        return 2
    for violation in sorted(case.violations, key=_attention):
        word = "FAILED" if violation.excused is None else "KNOWN"
        text = f"{word}: {violation.clause}: {violation.message} ({_severity(violation).value}; {violation.cause})"
        console.print(text, highlight=False, markup=False, soft_wrap=True)
    exercised = sum(result.met > 0 for result in case.clauses.values())
    if not case.violations and not exercised:
        console.print(f"ERROR: case {case.id} exercises no clause: it shows nothing.", highlight=False)
        return 2
    if not case.violations:
        in_turn = any(step.side for step in case.steps)
        alone = " Faults that one version has alone do not count here." if in_turn else ""
        console.print(
            f"FIXED: case {case.id} keeps all {exercised} clauses that it exercises.{alone}",
            highlight=False,
            soft_wrap=True,
        )
    return 1 if any(result.verdict is Verdict.FAILS for result in case.clauses.values()) else 0
