"""A user's loss by a fault, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from model.vocabulary.severity import Severity
from reports.text.quantities import counted

#: What an engine does that has a fault, and what one can do.
_DOES: Mapping[Severity, tuple[str, str]] = {
    Severity.DATA_LOSS: ("loses data", "lose data"),
    Severity.WRONG_ANSWERS: ("gives wrong answers", "give wrong answers"),
    Severity.UNREADABLE: ("leaves tables unreadable", "leave tables unreadable"),
    Severity.FAILS: ("fails at commands", "fail at commands"),
    Severity.SPACE_KEPT: ("keeps space", "keep space"),
    Severity.COSTS_MORE: ("costs more", "cost more"),
    Severity.WRONG_NUMBERS: ("reports wrong numbers", "report wrong numbers"),
    Severity.WRONG_WORDS: ("uses other words", "use other words"),
}


def does(severity: Severity) -> str:
    """``loses data``."""
    return _DOES[severity][0]


def can(severity: Severity) -> str:
    """``can lose data``."""
    return f"can {_DOES[severity][1]}"


def in_ways(severities: Iterable[Severity], *, that: str = "") -> str:
    """What an engine with faults of these severities does; empty without any.

    ``that`` follows the worst.

    >>> in_ways([Severity.DATA_LOSS, Severity.WRONG_WORDS, Severity.DATA_LOSS])
    'loses data in 2 ways, and is wrong in 1 lesser way'
    >>> in_ways([Severity.DATA_LOSS, Severity.WRONG_WORDS], that="on tables of 1.5.1")
    'loses data in 1 way on tables of 1.5.1, and is wrong in 1 lesser way'
    """
    found = sorted(severities, key=lambda one: one.rank)
    if not found:
        return ""
    worst = found.count(found[0])
    words = f"{does(found[0])} in {counted(worst, 'way')}{f' {that}' if that else ''}"
    others = len(found) - worst
    return f"{words}, and is wrong in {counted(others, 'lesser way')}" if others else words
