"""The counterexample of a clause that failed: its case and its script, in the report directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engines.provider import Provider
from harness.reproduction_plan import reproduction_plan
from model.codec import from_json
from reports.counterexamples import write_counterexample
from reports.counterexamples.script import InvalidPlan
from reports.verdicts import counterexample


def write_counterexample_of(
    clause: str, *, header: dict[str, Any], lines: Sequence[dict[str, Any]], provider: Provider, directory: Path
) -> None:
    """Write the counterexample, if the run has a case that breaks the clause."""
    line = counterexample(clause, lines)
    if line is None:
        return
    violation = next(one for one in line["violations"] if one["clause"] == clause)
    case = from_json(line["case"])
    entry = next(one for one in header["clauses"] if one["id"] == clause)
    plan = reproduction_plan(
        case,
        line=line,
        violation=violation,
        clause=entry,
        packages=provider.packages,
        operation=provider.operation,
    )
    try:
        write_counterexample(directory, case=case, line=line, violation=violation, clause=entry, plan=plan)
    except InvalidPlan as invalid:
        raise RuntimeError(f"No script can be made for {clause}, case {line['id']}: {invalid}") from invalid


def message_of(clause: str, lines: Sequence[dict[str, Any]]) -> str:
    """The message of the clause's violation in its counterexample; empty if it has none."""
    line = counterexample(clause, lines)
    violations = line["violations"] if line is not None else []
    return next((str(one["message"]) for one in violations if one["clause"] == clause), "")
