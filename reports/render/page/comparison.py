"""What the page of a comparison shows, as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reports.comparison.answer import answer_to, next_steps
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import ClauseChange, Comparison
from reports.comparison.explanations import Explanation
from reports.comparison.groups import Group
from reports.comparison.overview import overview
from reports.comparison.weight import WeighedWay
from reports.comparison.wording import (
    Better,
    also,
    better,
    better_in_short,
    change_words,
    explanation_tables,
    right_words,
    shift_tables,
    side_by_side,
    side_names,
    side_titles,
    signature,
)
from reports.findings.answers import Answer, named
from reports.render.page.content import PageFact, StepShown, case_in, issue_text
from reports.render.page.picture import Picture, picture_of
from reports.render.page.sides import DiffLine, TreeLine, difference_of, tree_of
from reports.text.harms import can, does
from reports.text.quantities import counted
from reports.text.replaying import replay_command


@dataclass(frozen=True)
class WayShown:
    """A way in which the candidate is worse.

    Of a known fault ``concerns`` is the end of "Concerns you only if …", and ``link`` a page about it. ``tables``: the user's
    tables that it concerns, a sentence. Each is empty where nothing is told.
    """

    worse: WeighedWay
    harm: str
    sentence: str
    concerns: str
    link: str
    tables: str
    cases: str
    replay: str  # a command
    issue: str  # a text for an issue
    steps: tuple[StepShown, ...]
    difference: tuple[DiffLine, ...]
    picture: Picture | None
    files_from: tuple[TreeLine, ...]
    files_to: tuple[TreeLine, ...]


@dataclass(frozen=True)
class DifferenceShown:
    """``kind``: what explains it, or what it can do. ``tables``: as in ``WayShown``. ``sides``: what of the step is different, on
    each version, as JSON."""

    kind: str
    text: str
    explanation: Explanation | None
    tables: str
    right: str
    cases: str
    case: str
    step: str
    sides: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class ComparisonPage:
    """``ways``: those in which the candidate is worse; ``spared``: those that concern none of the user's tables, which are not
    among them. ``sides``: the two versions; ``titles``: the same as heads of columns. ``better``: by harm. ``changes``: what
    became of a clause, in words."""

    title: str
    answer: Answer
    sides: tuple[str, str]
    titles: tuple[str, str]
    facts: tuple[PageFact, ...]
    ways: tuple[WayShown, ...]
    spared: tuple[WayShown, ...]
    better_in_short: str
    better: Mapping[str, Sequence[Better]]
    kinds: Mapping[str, Sequence[str]]
    differences: tuple[DifferenceShown, ...]
    clauses: tuple[ClauseChange, ...]
    changes: Mapping[VerdictChange, str]
    in_turn: str  # the page of both in turn, from this one; empty without it


def comparison_page(comparison: Comparison, *, directory: Path | None = None) -> ComparisonPage:
    """The page of a comparison, whose cases lie in ``cases/`` of the ``directory``."""
    sentences = {one.clause: one.sentence for one in comparison.clauses}
    ways = [_way(one, comparison, sentences, (directory or Path()) / "cases") for one in comparison.worse]
    most = len(ways) - len(comparison.sparing)  # these are last
    both = [
        f"{does(one.severity)}: {one.reason}" for one in comparison.known_faults if one.on_base and one.on_candidate
    ]
    return ComparisonPage(
        title=f"{named(comparison.base)} and {named(comparison.candidate)}",
        answer=answer_to(comparison),
        sides=side_names(comparison),
        titles=side_titles(comparison),
        facts=tuple(_facts(comparison)),
        ways=tuple(ways[:most]),
        spared=tuple(ways[most:]),
        better_in_short=better_in_short(comparison),
        better=_by_harm(better(comparison)),
        kinds={"next": [*next_steps(comparison)], **_also(comparison), "known of both": both},
        differences=tuple(_difference(one, comparison) for one in comparison.groups),
        clauses=tuple(one for one in comparison.clauses if one.change is not VerdictChange.SAME),
        changes=change_words(comparison),
        in_turn=_in_turn(directory),
    )


def _in_turn(directory: Path | None) -> str:
    """Where ``tox -e upgrade`` lets both run in turn, below its own directory."""
    page = "together/report.html"
    return page if directory is not None and (directory / page).exists() else ""


def _facts(comparison: Comparison) -> Iterable[PageFact]:
    if comparison.shared is not None and comparison.bars_the_way_back:
        yield PageFact("Way back", comparison.shared.no_way_back)
    for one in overview(comparison):
        yield PageFact(one.label, one.text)


def _also(comparison: Comparison) -> dict[str, list[str]]:
    """Without what is better, which has a part of its own."""
    return {title: lines for title, lines in also(comparison).items() if title != "better"}


def _by_harm(found: Iterable[Better]) -> dict[str, list[Better]]:
    made: dict[str, list[Better]] = {}
    for one in found:
        made.setdefault(one.harm, []).append(one)
    return made


def _way(way: WeighedWay, comparison: Comparison, sentences: dict[str, str], cases: Path) -> WayShown:
    lead, before = way.lead, way.lead.opposite
    case = case_in(lead.case)
    now = () if case is None else tree_of(case, lead.case, lead.step)
    violations = (one for one in lead.case.violations if (one.clause, one.step) == (lead.clause, lead.step))
    violation = next(violations, None)
    listed, steps = (
        comparison.listed(lead),
        tuple(StepShown(one.text, one.index == lead.step) for one in lead.case.steps),
    )
    return WayShown(
        worse=way,
        harm=way.does,
        sentence=sentences[lead.clause],
        concerns="" if listed is None else listed.concerns,
        link="" if listed is None else listed.link,
        tables=shift_tables(lead, comparison),
        cases=counted(len(way.case_ids), "case"),
        replay=replay_command(comparison.candidate.header, cases / f"{lead.case.id}.json"),
        issue=issue_text(
            f"{named(comparison.candidate)} {way.does}: {lead.cause}",
            sentences[lead.clause],
            lead.message,
            steps,
            f"{named(comparison.base)} in the same case: {lead.before}.",
        ),
        steps=steps,
        difference=() if violation is None else difference_of(lead.case, violation),
        picture=None if case is None else picture_of(case, lead.case, lead.step),
        files_from=tree_of(case, before, lead.step, anyway=True) if case and now and before is not None else (),
        files_to=now,
    )


def _difference(group: Group, comparison: Comparison) -> DifferenceShown:
    step = group.step_of(group.base)
    harm = "in words alone" if group.is_text else can(group.severity)
    return DifferenceShown(
        kind=group.explanation.word if group.explanation else f"unexplained, {harm}",
        text=signature(group),
        explanation=group.explanation,
        tables=explanation_tables(group.explanation, comparison) if group.explanation else "",
        right=right_words(group, comparison),
        cases=counted(group.cases, "case"),
        case=group.base.id,
        step=step.text if step else "",
        sides=tuple(side_by_side(group)),
    )
