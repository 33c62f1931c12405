"""A comparison as a short page to keep: the answer, and what it is made of. It does not tell where and when it was made."""

from __future__ import annotations

from collections.abc import Sequence

from reports.comparison.answer import answer_to, next_steps
from reports.comparison.cases import VerdictChange
from reports.comparison.comparison import Comparison
from reports.comparison.overview import unjudged
from reports.comparison.weight import WeighedWay
from reports.comparison.wording import right_words, shift_concerns, shift_tables, signature, withdrawn_tables
from reports.findings.answers import named
from reports.render.comparison.markdown import beside, in_turn
from reports.text.circumstances import profile_of
from reports.text.harms import can, does, in_ways
from reports.text.markdown import code, command, row, table, text
from reports.text.quantities import counted

#: How many rows a table has. The whole comparison has all.
_ROWS = 30


def brief_markdown(comparison: Comparison, *, again: str) -> str:
    """The page. ``again``: the command that compares the two, and leaves the whole comparison with its cases."""
    answer = answer_to(comparison)
    parts = [
        f"# {answer.mark} {text(str(answer))}",
        *(
            [f"**{text(comparison.shared.no_way_back)}.**"]
            if comparison.shared and comparison.bars_the_way_back
            else []
        ),
        "<br>\n".join(text(line) for line in _basis(comparison)),
        *_withdrawn(comparison),
        *_ways(f"## Worse on {named(comparison.candidate)}", comparison.worse, comparison),
        *_uncompared(comparison),
        *in_turn(comparison, _ROWS),
        *_unexplained(comparison),
        *_ways(f"## Better on {named(comparison.candidate)}", comparison.better, comparison),
        *_next(comparison),
        "This makes the whole comparison, with the cases and all that differs:",
        command(again),
    ]
    return "\n\n".join(parts) + "\n"


def _basis(comparison: Comparison) -> list[str]:
    """What was compared, what both get wrong, and what could not be judged."""
    differ = (
        f"{comparison.differing} differ in what the engines did: "
        f"{counted(len(comparison.unexplained), 'unexplained difference')} and {len(comparison.explained)} explained"
    )
    sides = f"{named(comparison.base)} and {named(comparison.candidate)}, {profile_of(comparison.base.header)}"
    lines = [f"{sides}: {counted(comparison.compared, 'case')}, {counted(comparison.steps, 'step')}; {differ}"]
    if both := [one.severity for one in comparison.known_faults if one.on_base and one.on_candidate]:
        lines.append(f"known of both: {in_ways(both)}")
    if comparison.shared is not None:
        lines.append(comparison.shared.summary)
    return [*lines, *map(str, unjudged(comparison))]


def _ways(title: str, ways: Sequence[WeighedWay], comparison: Comparison) -> list[str]:
    lines = [
        row(
            one.does,
            beside(text(one.lead.cause), shift_concerns(one.lead, comparison), shift_tables(one.lead, comparison)),
            "yes" if one.is_known else "no",
            ", ".join([one.lead.clause, *one.clauses]),
            len(one.case_ids),
            f"{code(one.lead.case.id)}, step {one.lead.step}",
        )
        for one in ways
    ]
    return _section(
        f"{title}, in {counted(len(ways), 'way')}", "| Harm | What | Known | Clauses | Cases | Smallest case |", lines
    )


def _next(comparison: Comparison) -> list[str]:
    steps = [f"- {text(one)}" for one in next_steps(comparison, cases="cases/ of the whole comparison")]
    return ["## Next", "\n".join(steps)] if steps else []


def _withdrawn(comparison: Comparison) -> list[str]:
    lines = [
        row(
            can(one.severity),
            beside(text(one.sentence), withdrawn_tables(one, comparison)),
            text(one.harm),
            text(one.remedy),
            ", ".join(one.clauses),
        )
        for one in comparison.lost
    ]
    heading = "| Harm | Withdrawn | What it can do | Before the upgrade | Clauses |"
    return _section("## Promises withdrawn", heading, lines)


def _uncompared(comparison: Comparison) -> list[str]:
    lines = [
        row(does(one.severity), one.clause, text(one.cause), len(one.case_ids), code(one.case.id))
        for one in comparison.shifted(VerdictChange.UNCOMPARED)
    ]
    title = f"## Fails on {named(comparison.candidate)}, not judged on {named(comparison.base)}"
    return _section(title, "| Harm | Clause | What | Cases | Smallest case |", lines)


def _unexplained(comparison: Comparison) -> list[str]:
    lines = [
        row(
            "words alone" if one.is_text else can(one.severity),
            text(signature(one)),
            right_words(one, comparison),
            one.cases,
            code(one.base.id),
        )
        for one in comparison.unexplained
    ]
    heading = "| At worst | Difference | Which is right | Cases | Smallest case |"
    return _section("## Unexplained differences", heading, lines)


def _section(title: str, heading: str, lines: list[str]) -> list[str]:
    return [title, table(heading, lines, _ROWS, whole="the whole comparison")] if lines else []
