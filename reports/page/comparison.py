"""What the page of a comparison shows, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from records.json_form import from_json
from records.run import JudgedCase
from reports.answers import Answer, named
from reports.compare.answer import Worse, answer_to, ways
from reports.compare.cases import Change
from reports.compare.comparison import Comparison, Group
from reports.compare.wording import Also, Explained, also, overview, side_by_side, signature
from reports.harms import does
from reports.page.content import Fact, StepShown, case_in
from reports.page.picture import Picture, picture_of
from reports.page.sides import DiffLine, TreeLine, difference_of, tree_of
from reports.quantities import counted
from reports.verdicts import ClauseResult


@dataclass(frozen=True)
class WayShown:
    """A way in which the candidate is worse."""

    anchor: str
    known: bool
    harm: str
    cause: str
    clause: str
    sentence: str
    others: tuple[str, ...]
    before: str
    message: str
    case: str
    cases: str
    steps: tuple[StepShown, ...]
    replay: str
    difference: tuple[DiffLine, ...]
    picture: Picture | None
    files_before: tuple[TreeLine, ...]
    files_now: tuple[TreeLine, ...]


@dataclass(frozen=True)
class DifferenceShown:
    """``sides``: what of the step is different, before and now, as JSON."""

    word: str
    text: str
    explained: str
    source: str
    cases: str
    case: str
    step: str
    sides: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class ClauseChanged:
    id: str
    change: str
    before: str
    now: str
    sentence: str
    reason: str


@dataclass(frozen=True)
class ComparisonPage:
    title: str
    answer: Answer
    facts: tuple[Fact, ...]
    ways: tuple[WayShown, ...]
    kinds: tuple[Also, ...]
    differences: tuple[DifferenceShown, ...]
    clauses: tuple[ClauseChanged, ...]


def comparison_page(comparison: Comparison) -> ComparisonPage:
    """The page of a comparison, whose cases lie in ``cases/`` beside it."""
    sentences = {one.clause: one.sentence for one in comparison.clauses}
    worse = ways(comparison)
    shown = {one.lead.case["id"] for one in worse}
    before = {one.id: one for one in (comparison.base.cases if shown else ()) if one.id in shown}
    return ComparisonPage(
        title=f"{named(comparison.base)} and {named(comparison.candidate)}",
        answer=answer_to(comparison),
        facts=tuple(_facts(comparison)),
        ways=tuple(_way(one, sentences, before.get(one.lead.case["id"])) for one in worse),
        kinds=tuple(_kinds(comparison)),
        differences=tuple(map(_difference, comparison.groups)),
        clauses=tuple(
            ClauseChanged(
                one.clause, one.change.value, _verdict(one.base), _verdict(one.candidate), one.sentence, one.reason
            )
            for one in comparison.clauses
            if one.change is not Change.SAME
        ),
    )


def _facts(comparison: Comparison) -> Iterable[Fact]:
    before, now, *rest = overview(comparison)
    yield Fact("Before", before)
    yield Fact("Now", now)
    for line in rest:
        yield Fact("Compared", line)


def _way(way: Worse, sentences: dict[str, str], before: JudgedCase | None) -> WayShown:
    lead = way.lead
    texts = lead.case["steps"]
    judged = from_json(lead.case, JudgedCase)
    case = case_in(judged)
    now = () if case is None else tree_of(case, judged, lead.step)
    violations = (one for one in judged.violations if (one.clause, one.step) == (lead.clause, lead.step))
    violation = next(violations, None)
    return WayShown(
        anchor=f"worse-{lead.clause}-{lead.case['id']}",
        known=way.is_known,
        harm=does(lead.severity),
        cause=lead.cause,
        clause=lead.clause,
        sentence=sentences[lead.clause],
        others=way.clauses,
        before=lead.before,
        message=lead.message,
        case=lead.case["id"],
        cases=counted(len(way.case_ids), "case"),
        steps=tuple(StepShown(one["text"], one["index"] == lead.step) for one in texts),
        replay=f"pytest suites --replay cases/{lead.case['id']}.json",
        difference=() if violation is None else difference_of(judged, violation),
        picture=None if case is None else picture_of(case, lead.step),
        files_before=tree_of(case, before, lead.step, anyway=True) if case and now and before is not None else (),
        files_now=now,
    )


def _kinds(comparison: Comparison) -> Iterable[Also]:
    yield from also(comparison)
    both = [one for one in comparison.known_faults if one.on_base and one.on_candidate]
    if both:
        yield Also("known of both", tuple(f"{does(one.severity)}: {one.reason}" for one in both))


def _difference(group: Group) -> DifferenceShown:
    explanation = Explained(group.explanation, (group,)) if group.explanation else None
    step = group.step_of(group.base)
    return DifferenceShown(
        word=explanation.word if explanation else "unexplained",
        text=signature(group),
        explained=explanation.sentence if explanation else "",
        source=explanation.source if explanation else "",
        cases=counted(group.cases, "case"),
        case=group.base["id"],
        step=step["text"] if step else "",
        sides=tuple(side_by_side(group)),
    )


def _verdict(result: ClauseResult | None) -> str:
    return "not listed" if result is None else result.verdict.value
