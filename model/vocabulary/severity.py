"""How severe a violation is: what a user loses by it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Severity(str, Enum):
    """What a user loses, the worst first."""

    DATA_LOSS = "data loss"  # a file that somebody still needs is deleted, or rows that must stay are gone
    WRONG_ANSWERS = "wrong answers"  # a query of the table, or of its change feed, answers other rows than it must
    UNREADABLE = "unreadable"  # the log, or a file that it names, is wrong: readers fail now or later
    FAILS = "command fails"  # a command that must succeed ends in an error, and changes nothing
    SPACE_KEPT = "space kept"  # files are kept that should be deleted, or written that nobody needs
    COSTS_MORE = "costs more"  # storage is asked for more than is needed: time, and money for each request
    WRONG_NUMBERS = "wrong numbers"  # a metric or a time is wrong
    WRONG_WORDS = "wrong words"  # another error, name or text than promised

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


def gravest(severities: Iterable[Severity]) -> Severity:
    """The worst of them; there must be one."""
    return min(severities, key=lambda one: one.rank)
