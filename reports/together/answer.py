"""What two engines in turn do wrong: for each of them, what goes wrong on tables of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from model.vocabulary.severity import Severity
from reports.text.harms import in_ways
from reports.text.ladder import Answer


@dataclass(frozen=True)
class TurnWay:
    """A violation by an engine on a table of the other, but not when it runs alone.

    ``inherited``: the known fault of the other that came before it. ``known``: the known fault of this engine.
    ``cases``: how many show it; ``case``: the id of the one that the files have, ``pattern`` the order there, ``step`` the step.
    ``folder``: where its case and script are, from the report's directory, empty where it has none. ``concerns``: whom the known
    fault concerns, as the end of "Concerns you only if …"; empty where nothing is known. ``also_alone``: whether the other
    engine, alone, makes the same mistake.
    """

    side: str
    other: str
    clauses: tuple[str, ...]
    cause: str
    severity: Severity
    message: str
    inherited: str | None
    known: str | None
    cases: int
    case: str
    pattern: str
    step: int
    folder: str = ""
    concerns: str = ""
    also_alone: bool = False


@dataclass(frozen=True)
class TurnReport:
    """A run. ``cases`` are those that were judged, each in both orders; ``errors`` what could not be judged. ``catalogue``: how
    many clauses there were, and the day.
    """

    sides: tuple[str, str]
    answer: Answer
    cases: int
    steps: int
    seconds: float
    ways: tuple[TurnWay, ...]
    errors: tuple[str, ...] = ()
    catalogue: str = ""

    @property
    def in_order(self) -> list[TurnWay]:
        """The ways, the new ones first, and then the gravest."""
        return sorted(self.ways, key=lambda one: (one.known is not None, one.severity.rank))


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
