"""A comparison as ``comparison.md``, the essentials on the first screen. For pull requests and CI step summaries."""

from __future__ import annotations

from pathlib import Path

from reports.comparison.answer import answer_to, next_steps
from reports.comparison.cases import ClauseShift, VerdictChange, size
from reports.comparison.comparison import ClauseChange, Comparison
from reports.comparison.groups import Group
from reports.comparison.overview import overview
from reports.comparison.wording import (
    accepted,
    better,
    better_in_short,
    change_words,
    ended_words,
    explained,
    explanation_tables,
    fault_words,
    is_spared,
    right_words,
    shift_concerns,
    shift_tables,
    side_by_side,
    side_names,
    side_titles,
    signature,
    withdrawn_tables,
)
from reports.findings.verdicts import ClauseFinding
from reports.text.harms import can
from reports.text.markdown import LIMIT, code, command, folded, limited, row, table, text
from reports.text.quantities import counted
from reports.text.replaying import replay_command
from reports.together.answer import sentence

#: How many unexplained differences the first screen lists.
_FIRST = 12
_WHOLE = "comparison.json"


def comparison_markdown(comparison: Comparison, *, directory: Path | None = None, limit: int = LIMIT) -> str:
    """The text of ``comparison.md``, never more than ``limit`` bytes in UTF-8 (at least 8,000).

    The cases lie in ``cases/`` of the ``directory``, by default this one. A longer text has fewer entries in its tables and
    details, and the number of those left out.
    """
    rows = max(len(comparison.clauses), len(comparison.groups))
    return limited(lambda rows: _parts(comparison, (directory or Path()) / "cases", rows), rows, limit)


def _parts(comparison: Comparison, cases: Path, rows: int) -> list[str]:
    answer, (base, candidate) = answer_to(comparison), side_names(comparison)
    before, _ = map(text, side_titles(comparison))
    better = better_in_short(comparison)
    parts = [
        f"# {answer.mark} {text(str(answer))}",
        *(
            [f"**{text(comparison.shared.no_way_back)}.**"]
            if comparison.shared and comparison.bars_the_way_back
            else []
        ),
        *([f"Better: {text(better)}."] if better else []),
        "<br>\n".join(f"{text(one.label)}: {text(one.text)}" for one in overview(comparison)),
        *_withdrawn(comparison, rows),
        *_shifts("## Regressed", comparison, VerdictChange.REGRESSED, rows, before),
        *_shifts(f"## Worse by known faults of {text(candidate)}", comparison, VerdictChange.KNOWN, rows, before),
        *_shifts(
            f"## Fails on {text(candidate)}, not judged on {text(base)}", comparison, VerdictChange.UNCOMPARED, rows
        ),
        *in_turn(comparison, rows),
        *_accepted(comparison, rows),
        *_unexplained(comparison, min(rows, _FIRST)),
        *_known_faults(comparison, rows),
        *_explained(comparison, rows),
        *_better(comparison, rows),
        *_next(comparison),
    ]
    shown = [*(one.case for one in comparison.shifts), *(one.base for one in comparison.groups)]
    if shown:
        case = cases / f"{shown[0].id}.json"
        parts += [
            "The cases named here are in `cases/`. In the suite's checkout, the first is judged again on each of the two by:",
            *(command(replay_command(run.header, case)) for run in (comparison.base, comparison.candidate)),
        ]
    parts += _details(comparison, rows)
    if others := comparison.of(VerdictChange.CHANGED, VerdictChange.ONLY_BASE, VerdictChange.ONLY_CANDIDATE):
        parts += folded(
            f"{counted(len(others), 'clause')} with another verdict, or judged on one side only",
            _clauses(others, comparison, rows),
        )
    return parts + folded(
        f"All {counted(len(comparison.clauses), 'clause')}", _clauses(comparison.clauses, comparison, rows)
    )


def _shifts(title: str, comparison: Comparison, change: VerdictChange, rows: int, before: str = "") -> list[str]:
    """What fails in some cases on one side only: a row for each cause, with all clauses that it breaks.

    ``before``: the heading of what the base did.
    """
    found: dict[str, list[ClauseShift]] = {}
    for one in comparison.shifted(change):
        found.setdefault(one.cause, []).append(one)
    lines = [_shift(own, comparison, before=bool(before)) for own in found.values()]
    heading = f"| Severity | Clauses | What failed |{f' {before} |' if before else ''} Cases | Smallest case |"
    return _section(title, heading, lines, rows)


def _shift(own: list[ClauseShift], comparison: Comparison, *, before: bool) -> str:
    lead = own[0]
    ended = next(filter(None, (ended_words(one, comparison) for one in own)), "")
    return row(
        lead.severity.value,
        ", ".join(dict.fromkeys(one.clause for one in own)),
        beside(text(lead.cause), shift_concerns(lead, comparison), shift_tables(lead, comparison)),
        *([text("; ".join(dict.fromkeys(one.before for one in own)))] if before else []),
        len(frozenset[str]().union(*(one.case_ids for one in own))),
        f"{code(lead.case.id)}, step {lead.step}: {text(lead.message)}" + (f"<br>{text(ended)}." if ended else ""),
    )


def beside(told: str, *others: str) -> str:
    """A cell with a line of its own for each other sentence that is not empty, such as on the user's tables."""
    return "<br>".join((told, *(text(one) for one in others if one)))


def _better(comparison: Comparison, rows: int) -> list[str]:
    lines = [row(one.harm, text(one.cause), ", ".join(one.clauses)) for one in better(comparison)]
    return _section("## Better", "| What it does | What failed | Clauses |", lines, rows)


def _withdrawn(comparison: Comparison, rows: int) -> list[str]:
    lines = [
        row(
            one.severity.value,
            text(", ".join(one.clauses)),
            beside(text(one.sentence), withdrawn_tables(one, comparison)),
            text(one.harm),
            text(one.remedy),
            text(f"{one.accepted.reason} ({one.accepted.link})" if one.accepted else ""),
        )
        for one in comparison.withdrawn
    ]
    heading = "| Severity | Clauses | Withdrawn | What it can do | Before the upgrade | Accepted |"
    return _section("## Promises withdrawn", heading, lines, rows)


def _section(title: str, heading: str, lines: list[str], rows: int, whole: str = _WHOLE) -> list[str]:
    """A table under its title; nothing if it has no rows."""
    return [title, table(heading, lines, rows, whole=whole)] if lines else []


def in_turn(comparison: Comparison, rows: int) -> list[str]:
    """A table of at most so many ways in which one of the two goes wrong on tables of the other, under its title."""
    if comparison.shared is None:
        return []
    lines = [
        row(
            one.side,
            "known" if one.known is not None else one.severity.value,
            text(", ".join(one.clauses)),
            text(sentence(one)),
            f"{code(one.cases[0])}, {one.pattern}, step {one.step}",
        )
        for one in comparison.shared.report.in_order
    ]
    heading = "| On the other's tables | Severity | Clauses | What goes wrong | Smallest case |"
    return _section("## Both in turn, on the same tables", heading, lines, rows, "together/together.json")


def _accepted(comparison: Comparison, rows: int) -> list[str]:
    lines = [
        row(one.severity.value, text(", ".join(one.clauses)), text(one.cause), text(one.by), len(one.case_ids))
        for one in accepted(comparison)
    ]
    by = comparison.acceptance.file if comparison.acceptance else ""
    heading = "| Severity | Clauses | What fails | Accepted | Cases |"
    return _section(f"## Worse, and accepted by {text(str(by))}", heading, lines, rows)


def _known_faults(comparison: Comparison, rows: int) -> list[str]:
    lines = [
        row(text(fault_words(one, comparison)), text(", ".join(one.clauses)), len(one.case_ids), code(one.case.id))
        for one in comparison.known_faults
    ]
    heading = "| Known fault | Clauses | Cases | Smallest case |"
    return _section("## Known faults", heading, lines, rows)


def _unexplained(comparison: Comparison, rows: int) -> list[str]:
    lines = [
        row(
            "words alone" if group.is_text else can(group.severity),
            text(signature(group)),
            right_words(group, comparison),
            group.cases,
            group.steps,
            code(group.base.id),
        )
        for group in comparison.unexplained
    ]
    heading = "| At worst | Difference | Which is right | Cases | Steps | Smallest case |"
    return _section("## Unexplained differences", heading, lines, rows, f"the details below and in {_WHOLE}")


def _next(comparison: Comparison) -> list[str]:
    steps = [f"- {text(one)}" for one in next_steps(comparison)]
    return ["## Next", "\n".join(steps)] if steps else []


def _explained(comparison: Comparison, rows: int) -> list[str]:
    shown = sorted(explained(comparison), key=lambda one: is_spared(one[0], comparison))
    lines = [
        row(
            one.kind.value,
            one.since,
            beside(text(one.sentence), explanation_tables(one, comparison)),
            text(one.source),
            len(frozenset[str]().union(*(group.case_ids for group in groups))),
            code(min((group.base for group in groups), key=size).id),
        )
        for one, groups in shown
    ]
    heading = "| By | Since | What explains differences | Source | Cases | Smallest case |"
    return _section("## Explained differences", heading, lines, rows)


def _details(comparison: Comparison, rows: int) -> list[str]:
    parts = ["## All differences"] if comparison.groups else []
    for group in comparison.groups[:rows]:
        parts += _detail(group, comparison)
    left_out = len(comparison.groups) - rows
    if left_out > 0:
        parts.append(f"… and {counted(left_out, 'more difference')}, left out for size: all are in {_WHOLE}.")
    return parts


def _detail(group: Group, comparison: Comparison) -> list[str]:
    number = f"{counted(group.cases, 'case')}, {counted(group.steps, 'step')}"
    explanation = group.explanation
    kind = explanation.word if explanation else "unexplained"
    step = group.step_of(group.base)
    where = f"Step {group.step} of case {code(group.base.id)}: {code(step.text)}" if step else "No step was judged."
    known = [f"{text(explanation.sentence)} Source: {text(explanation.source)}."] if explanation else []
    known.append(f"{text(right_words(group, comparison))}.")
    titles = map(text, side_titles(comparison))
    lines = [row(text(name), code(one), code(other)) for name, one, other in side_by_side(group)]
    return folded(f"{signature(group)} ({kind}; {number})", where, *known, table(row("", *titles), lines, len(lines)))


def _clauses(clauses: tuple[ClauseChange, ...], comparison: Comparison, rows: int) -> str:
    words = change_words(comparison)
    lines = [
        row(
            one.severity.value,
            one.clause,
            f"**{words[one.change]}**" if one.change is VerdictChange.REGRESSED else text(words[one.change]),
            _side(one.base),
            _side(one.candidate),
            text(one.sentence) + (f"<br>{text(one.reason)}" if one.reason else ""),
        )
        for one in clauses
    ]
    heading = row("Severity", "Clause", "Change", *map(text, side_titles(comparison)), "Expected")
    return table(heading, lines, rows, whole=_WHOLE)


def _side(result: ClauseFinding | None) -> str:
    if result is None:
        return "not listed"
    return f"{result.verdict.value} ({counted(result.failures, 'case')})" if result.failures else result.verdict.value
