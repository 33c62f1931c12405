"""What a user loses by a fault, in words: the severities of the stream's schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reports.quantities import counted

#: What a user loses, the worst first, each with what an engine does that has the fault.
_DOES: Mapping[str, str] = {
    "data loss": "loses data",
    "wrong answers": "gives wrong answers",
    "unreadable": "leaves tables unreadable",
    "space kept": "keeps space",
    "wrong numbers": "reports wrong numbers",
    "wrong words": "uses other words",
}

#: The severities, the worst first.
SEVERITIES = tuple(_DOES)


def rank_of(severity: str) -> int:
    """The place of a severity, 0 for the worst."""
    return SEVERITIES.index(severity)


def does(severity: str) -> str:
    """``loses data``."""
    return _DOES[severity]


def in_ways(severities: Iterable[str], *, that: str = "", lesser: str = "is wrong") -> str:
    """What an engine with faults of these severities does; empty without any.

    ``that`` follows the worst, ``lesser`` tells of the others.

    >>> in_ways(["data loss", "wrong words", "data loss"])
    'loses data in 2 ways, and is wrong in 1 lesser way'
    >>> in_ways(["data loss", "wrong words"], that="that 1.5.1 does not", lesser="is worse")
    'loses data in 1 way that 1.5.1 does not, and is worse in 1 lesser way'
    """
    ranks = sorted(map(rank_of, severities))
    if not ranks:
        return ""
    worst = ranks.count(ranks[0])
    words = f"{does(SEVERITIES[ranks[0]])} in {counted(worst, 'way')}{f' {that}' if that else ''}"
    others = len(ranks) - worst
    return f"{words}, and {lesser} in {counted(others, 'lesser way')}" if others else words
