"""The ladder of answers: the words that every report begins with, what each means for a script, and which of two counts.

Of one version: PASS (0), FAIL (1), INCONCLUSIVE (2); of a part of a run, PASS SO FAR (0). Of two: UPGRADE (0), LOOK FIRST (3),
DO NOT UPGRADE (1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Word(str, Enum):
    """The first word of a report."""

    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"
    PASS_SO_FAR = "PASS SO FAR"
    UPGRADE = "UPGRADE"
    LOOK_FIRST = "LOOK FIRST"
    DO_NOT_UPGRADE = "DO NOT UPGRADE"

    @property
    def mark(self) -> str:
        """A sign of it."""
        return {0: "✅", 1: "❌"}.get(self.exit, "⚠️")

    @property
    def exit(self) -> int:
        """The exit code that goes with it."""
        return _EXITS[self]


_EXITS = {
    Word.PASS: 0,
    Word.PASS_SO_FAR: 0,
    Word.UPGRADE: 0,
    Word.FAIL: 1,
    Word.DO_NOT_UPGRADE: 1,
    Word.INCONCLUSIVE: 2,
    Word.LOOK_FIRST: 3,
}

#: The exit codes, the gravest first: what is wrong, what could not be judged, what is to be looked at.
_GRAVEST = (1, 2, 3, 0)


@dataclass(frozen=True)
class Answer:
    """A word, and one sentence without an end that says why."""

    word: Word
    reason: str
    loses_data: bool = False  # by a known fault, whatever the word
    allowed: bool = False  # with --allow-changes LOOK FIRST is no failure

    @property
    def exit(self) -> int:
        return 0 if self.allowed and self.word is Word.LOOK_FIRST else self.word.exit

    @property
    def mark(self) -> str:
        """A sign of it. An engine that passes and is known to lose data gets no green one."""
        return "⚠️" if self.loses_data and self.word.mark == "✅" else self.word.mark

    def __str__(self) -> str:
        return f"{self.word.value}: {self.reason}"


def of_one(*, wrong: object, undecided: object = False, part: bool = False) -> Word:
    """The word of one version, in a run, in turn with another, or on a user's table.

    ``wrong``: it breaks a promise that no known fault excuses, or a known fault is listed that is gone. ``undecided``: something
    that was to be judged was not.
    """
    if wrong:
        return Word.FAIL
    if undecided:
        return Word.INCONCLUSIVE
    return Word.PASS_SO_FAR if part else Word.PASS


def of_two(*, forbids: object, asks: object) -> Word:
    """The word of a version and the one before it.

    ``forbids``: the new one loses what the old one keeps. ``asks``: someone must look at a difference, or something is open.
    """
    if forbids:
        return Word.DO_NOT_UPGRADE
    return Word.LOOK_FIRST if asks else Word.UPGRADE


def gravest(answers: Iterable[Answer]) -> Answer:
    """The answer that counts."""
    return min(answers, key=lambda one: _GRAVEST.index(one.word.exit))
