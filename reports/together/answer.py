"""The answer of a run of two engines in turn: for each, what goes wrong on tables of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from model.vocabulary.severity import Severity
from reports.text.harms import in_ways
from reports.text.ladder import Answer, Word, of_one
from reports.text.quantities import counted


@dataclass(frozen=True)
class TurnWay:
    """A violation by an engine on a table of the other, but not when it runs alone.

    ``inherited``: the known fault of the other that came before it. ``known``: the known fault of this engine.
    ``cases``: the ids of the cases that show it; the files have the first, with its order ``pattern`` and its ``step``.
    ``script``: the path of the script that reproduces it, from the report's directory; ``concerns``: whom the known fault
    concerns, as the end of "Concerns you only if …"; both may be empty. ``also_alone``: whether the other engine makes the same
    mistake alone.
    """

    side: str
    other: str
    clauses: tuple[str, ...]
    cause: str
    severity: Severity
    message: str
    inherited: str | None
    known: str | None
    cases: tuple[str, ...]
    pattern: str
    step: int
    script: str = ""
    concerns: str = ""
    also_alone: bool = False


@dataclass(frozen=True)
class TurnReport:
    """A run. ``cases``: the judged cases, each in both orders; ``errors``: what could not be judged. ``interrupted``: the
    number of cases that were to be judged when the user ended the run; None if it was not interrupted.
    """

    sides: tuple[str, str]
    cases: int
    steps: int
    seconds: float
    ways: tuple[TurnWay, ...]
    errors: tuple[str, ...] = ()
    interrupted: int | None = None

    @property
    def in_order(self) -> list[TurnWay]:
        """The ways, the new ones first, and then the gravest."""
        return sorted(self.ways, key=lambda one: (one.known is not None, one.severity.rank))


def answer_of(run: TurnReport) -> Answer:
    """PASS (0): both go on with what the other leaves; FAIL (1); INCONCLUSIVE (2): cases could not be judged, none was, or the
    user ended the run."""
    both = " and ".join(run.sides)
    new = sum(way.known is None for way in run.ways)
    word = of_one(wrong=new, undecided=run.interrupted is not None or run.errors or not run.cases)
    if word is Word.FAIL:
        return Answer(word, f"{both} do not work on the same tables, in {counted(new, 'new way')}")
    if word is Word.PASS:
        return Answer(word, f"{both} work on the same tables")
    if run.interrupted is not None:
        why = f"interrupted after {run.cases} of {counted(run.interrupted, 'case')}"
    else:
        why = f"{counted(len(run.errors), 'case')} ended in an error" if run.cases else "no case was judged"
    return Answer(word, f"{why} on {both}")


def directions(run: TurnReport) -> Sequence[str]:
    """A sentence for each engine."""
    both = (run.sides, run.sides[::-1])
    return [f"{side} on tables of {other}: {direction(run, side)}." for side, other in both]


def direction(run: TurnReport, side: str) -> str:
    """What goes wrong with one of the two on tables of the other: ``loses data in 1 way; known: uses other words in 1 way``."""
    ways = [one for one in run.ways if one.side == side]
    new = in_ways(one.severity for one in ways if one.known is None) or "nothing new is wrong"
    known = in_ways(one.severity for one in ways if one.known is not None)
    return f"{new}{f'; known: {known}' if known else ''}"


def sentence(way: TurnWay) -> str:
    """What goes wrong, and which fault of the other causes it."""
    known = f" Known fault of {way.side}: {way.known}" if way.known else ""
    why = f" It follows a known fault of {way.other}: {way.inherited}" if way.inherited else ""
    same = f" {way.other} alone does the same." if way.also_alone else ""
    return f"{way.message}{known}{why}{same}"
