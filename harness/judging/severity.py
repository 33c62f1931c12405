"""What the violation of a clause costs, and why; and what a cause has of its own."""

from __future__ import annotations

from dataclasses import dataclass

from model.vocabulary.severity import Severity


@dataclass(frozen=True)
class Harm:
    """What the violation of a clause costs, with the reason in one sentence. Where a clause can be violated in several ways, this
    is the worst one; its causes have their own severities."""

    severity: Severity
    reason: str


@dataclass(frozen=True)
class Cause:
    """What went wrong with what kind of subject: a short text that is the same for each case, without names and numbers.

    ``severity`` is None where every violation of the clause is equally severe. ``is_error``: the step ended in an error
    instead of a result.
    """

    text: str = ""
    severity: Severity | None = None
    is_error: bool = False


#: The kind of the violation's expectation says enough.
NO_CAUSE = Cause()


#: Of a clause that only takes notes.
NO_HARM = Harm(Severity.WRONG_WORDS, "")


def data_loss(reason: str) -> Harm:
    return Harm(Severity.DATA_LOSS, reason)


def wrong_answers(reason: str) -> Harm:
    return Harm(Severity.WRONG_ANSWERS, reason)


def unreadable(reason: str) -> Harm:
    return Harm(Severity.UNREADABLE, reason)


def fails(reason: str) -> Harm:
    return Harm(Severity.FAILS, reason)


def space_kept(reason: str) -> Harm:
    return Harm(Severity.SPACE_KEPT, reason)


def costs_more(reason: str) -> Harm:
    return Harm(Severity.COSTS_MORE, reason)


def wrong_numbers(reason: str) -> Harm:
    return Harm(Severity.WRONG_NUMBERS, reason)


def wrong_words(reason: str) -> Harm:
    return Harm(Severity.WRONG_WORDS, reason)
