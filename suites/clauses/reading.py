"""What the chapters share in judging a Read."""

from __future__ import annotations

from suites import evidence
from suites.clause import Law, Violation
from suites.observation import ReadSeen


def misread(r: ReadSeen) -> Violation | None:
    """What is wrong with the rows of a Read, by what the case promises of its version."""
    expected = r.promised.rows
    if not r.refused and r.rows == expected:
        return None
    facts = evidence.of_answer(r) if r.refused else evidence.of_rows(expected, r.rows)
    what = "cannot be read" if r.refused else "does not read as it must"
    law = Law("rows_are", {"rows": evidence.rows_as_json(expected)})
    return Violation(f"version {r.version}", f"Version {r.version} {what}.", law, facts)
