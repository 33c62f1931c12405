"""What the page of a comparison shows, as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from records.run import Header
from reports.comparison.answer import answer_to, next_steps
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import ClauseChange, Comparison
from reports.comparison.explanations import Explanation
from reports.comparison.groups import Group
from reports.comparison.weight import WeighedWay
from reports.comparison.wording import also, overview, right_words, side_by_side, signature, unexplained
from reports.findings.answers import Answer, named
from reports.render.page.content import PageFact, StepShown, case_in
from reports.render.page.picture import Picture, picture_of
from reports.render.page.sides import DiffLine, TreeLine, difference_of, tree_of
from reports.text.harms import does
from reports.text.quantities import counted
from reports.text.replaying import replay_command


@dataclass(frozen=True)
class WayShown:
    """A way in which the candidate is worse."""

    worse: WeighedWay
    harm: str
    sentence: str
    cases: str
    replay: str  # a command
    steps: tuple[StepShown, ...]
    difference: tuple[DiffLine, ...]
    picture: Picture | None
    files_before: tuple[TreeLine, ...]
    files_now: tuple[TreeLine, ...]


@dataclass(frozen=True)
class DifferenceShown:
    """``sides``: what of the step is different, before and now, as JSON."""

    text: str
    explanation: Explanation | None
    right: str
    cases: str
    case: str
    step: str
    sides: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class ComparisonPage:
    title: str
    answer: Answer
    facts: tuple[PageFact, ...]
    ways: tuple[WayShown, ...]
    kinds: Mapping[str, Sequence[str]]
    differences: tuple[DifferenceShown, ...]
    clauses: tuple[ClauseChange, ...]


def comparison_page(comparison: Comparison, *, directory: Path | None = None) -> ComparisonPage:
    """The page of a comparison, whose cases lie in ``cases/`` of the ``directory``."""
    sentences = {one.clause: one.sentence for one in comparison.clauses}
    worse = comparison.worse
    both = [
        f"{does(one.severity)}: {one.reason}" for one in comparison.known_faults if one.on_base and one.on_candidate
    ]
    return ComparisonPage(
        title=f"{named(comparison.base)} and {named(comparison.candidate)}",
        answer=answer_to(comparison),
        facts=tuple(_facts(comparison)),
        ways=tuple(_way(one, sentences, comparison.candidate.header, (directory or Path()) / "cases") for one in worse),
        kinds={**also(comparison), **unexplained(comparison), "known of both": both, "next": [*next_steps(comparison)]},
        differences=tuple(_difference(one, comparison) for one in comparison.groups),
        clauses=tuple(one for one in comparison.clauses if one.change is not VerdictChange.SAME),
    )


def _facts(comparison: Comparison) -> Iterable[PageFact]:
    if comparison.shared is not None and comparison.bars_the_way_back:
        yield PageFact("Way back", comparison.shared.no_way_back)
    before, now, *rest = overview(comparison)
    yield PageFact("Before", before)
    yield PageFact("Now", now)
    for line in rest:
        yield PageFact("Compared", line)


def _way(way: WeighedWay, sentences: dict[str, str], candidate: Header, cases: Path) -> WayShown:
    lead, before = way.lead, way.lead.opposite
    case = case_in(lead.case)
    now = () if case is None else tree_of(case, lead.case, lead.step)
    violations = (one for one in lead.case.violations if (one.clause, one.step) == (lead.clause, lead.step))
    violation = next(violations, None)
    return WayShown(
        worse=way,
        harm=way.does,
        sentence=sentences[lead.clause],
        cases=counted(len(way.case_ids), "case"),
        replay=replay_command(candidate, cases / f"{lead.case.id}.json"),
        steps=tuple(StepShown(one.text, one.index == lead.step) for one in lead.case.steps),
        difference=() if violation is None else difference_of(lead.case, violation),
        picture=None if case is None else picture_of(case, lead.case, lead.step),
        files_before=tree_of(case, before, lead.step, anyway=True) if case and now and before is not None else (),
        files_now=now,
    )


def _difference(group: Group, comparison: Comparison) -> DifferenceShown:
    step = group.step_of(group.base)
    return DifferenceShown(
        text=signature(group),
        explanation=group.explanation,
        right=right_words(group, comparison),
        cases=counted(group.cases, "case"),
        case=group.base.id,
        step=step.text if step else "",
        sides=tuple(side_by_side(group)),
    )
