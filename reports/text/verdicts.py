"""Verdicts on clauses, counted, in words."""

from __future__ import annotations

from collections.abc import Mapping

from records.run import Footer, Verdict
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


#: The clauses that a run decides nothing about, as it does not ask for them.
_UNASKED = (Verdict.NOT_APPLICABLE, Verdict.DISABLED)

#: Words for clauses that do not hold, for one and for many.
_OTHERS: Mapping[Verdict, tuple[str, str]] = {
    Verdict.FAILS: ("fails", "fail"),
    Verdict.KNOWN_FAULT: ("is broken by a known fault", "are broken by known faults"),
    Verdict.LISTED_BUT_GONE: ("holds against the list", "hold against the list"),
    Verdict.NOT_TESTED: ("is not tested", "are not tested"),
    Verdict.ERROR: ("ends in an error", "end in an error"),
}


def headline(footer: Footer, engine: str) -> str:
    """The one number of a run: ``Delta 4.4.0 holds 247 of 256 clauses; 9 are broken by known faults``."""
    asked = {verdict: number for verdict, number in footer.counts.items() if verdict not in _UNASKED}
    hold = "hold" if " and " in engine else "holds"  # two in turn hold
    told = f"{engine} {hold} {asked.get(Verdict.HOLDS, 0)} of {counted(sum(asked.values()), 'clause')}"
    others = (
        f"{asked[verdict]} {one if asked[verdict] == 1 else many}"
        for verdict, (one, many) in _OTHERS.items()
        if asked.get(verdict)
    )
    return "; ".join((told, *others))
