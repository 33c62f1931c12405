"""What the clauses share in judging rows."""

from __future__ import annotations

from harness import evidence
from harness.clause import Violation
from harness.expectations import Of, RowsAre
from harness.observation import DeleteObservation, ReadObservation


def misread(r: ReadObservation) -> Violation | None:
    """What is wrong with the rows of a Read, by what the case promises of its version."""
    expected = r.expected_version.rows
    if not r.refused and r.rows == expected:
        return None
    facts = evidence.of_answer(r) if r.refused else evidence.of_rows(expected, r.rows)
    what = "cannot be read" if r.refused else "does not read as it must"
    expectation = RowsAre(Of.ANSWER, evidence.rows_as_json(expected))
    return Violation(f"version {r.version}", f"Version {r.version} {what}.", expectation, facts)


def left_wrong(d: DeleteObservation) -> Violation | None:
    """What is wrong with the rows that a DELETE leaves, as our own reader sees them."""
    if d.after.rows == d.expected_rows:
        return None
    expectation = RowsAre(Of.TABLE, evidence.rows_as_json(d.expected_rows))
    facts = ("a live file cannot be read",) if d.after.rows is None else evidence.of_rows(d.expected_rows, d.after.rows)
    message = f"Version {d.after.version} does not hold the rows that must be left."
    return Violation("rows", message, expectation, (*facts, *evidence.of_answer(d)))
