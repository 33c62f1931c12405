"""Verdicts on clauses, counted, in words."""

from __future__ import annotations

from records.run import Verdict
from reports.text.quantities import counted

#: Those whose words depend on the number.
_ONE_AND_MANY = {Verdict.HOLDS: ("holds", "hold"), Verdict.FAILS: ("fails", "fail")}


def tallied(verdict: Verdict, number: int) -> str:
    """How many clauses have the verdict.

    >>> tallied(Verdict.HOLDS, 51), tallied(Verdict.KNOWN_FAULT, 9), tallied(Verdict.NOT_APPLICABLE, 44)
    ('51 hold', '9 known faults', '44 not applicable')
    """
    if verdict is Verdict.KNOWN_FAULT:
        return counted(number, "known fault")
    one, many = _ONE_AND_MANY.get(verdict, (verdict.value, verdict.value))
    return f"{number:,} {one if number == 1 else many}"
