"""What the page of two engines in turn on the same tables shows, as values."""

from __future__ import annotations

from dataclasses import dataclass

from reports.findings.answers import Answer
from reports.render.page.content import PageFact
from reports.text.harms import does
from reports.text.quantities import counted
from reports.together.answer import TurnReport, TurnWay, answer_of, directions


@dataclass(frozen=True)
class TurnWayShown:
    """``word``: new or known. ``harm``: ``loses data``."""

    way: TurnWay
    word: str
    harm: str
    cases: str  # "13 cases"


@dataclass(frozen=True)
class TurnPage:
    """``directions``: a sentence for each engine."""

    title: str
    answer: Answer
    facts: tuple[PageFact, ...]
    directions: tuple[str, ...]
    ways: tuple[TurnWayShown, ...]
    errors: tuple[str, ...]


def turn_page(run: TurnReport) -> TurnPage:
    """The page of a run, whose cases and scripts lie beside it."""
    return TurnPage(
        title=f"{run.sides[0]} and {run.sides[1]} on the same tables",
        answer=answer_of(run),
        facts=(PageFact("A", run.sides[0]), PageFact("B", run.sides[1]), PageFact("Run", ran(run))),
        directions=tuple(directions(run)),
        ways=tuple(map(_way, run.in_order)),
        errors=run.errors,
    )


def ran(run: TurnReport) -> str:
    """What was run: ``60 cases, each in both orders; 700 steps; 61 s``."""
    cases = counted(run.cases, "case")
    if run.interrupted is not None:
        cases = f"{run.cases} of {counted(run.interrupted, 'case')}"
    return f"{cases}, each in both orders; {counted(run.steps, 'step')}; {run.seconds:.0f} s"


def _way(way: TurnWay) -> TurnWayShown:
    word = "new" if way.known is None else "known"
    return TurnWayShown(way, word, does(way.severity), counted(len(way.cases), "case"))
