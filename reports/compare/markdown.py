"""A comparison as ``comparison.md``, the essentials on the first screen. For pull requests and CI step summaries."""

from __future__ import annotations

from reports.compare.comparison import Change, ClauseChange, Comparison, Group
from reports.compare.wording import explained, overview, side_by_side, signature, verdict
from reports.markdown import LIMIT, code, folded, limited, row, table, text
from reports.quantities import counted
from reports.verdicts import ClauseResult

#: How many unexplained differences the first screen lists.
_FIRST = 12
_WHOLE = "comparison.json"


def comparison_markdown(comparison: Comparison, *, limit: int = LIMIT) -> str:
    """The text of ``comparison.md``, never more than ``limit`` bytes in UTF-8 (at least 8,000).

    A longer text has fewer entries in its tables and details, and the number of those left out.
    """
    rows = max(len(comparison.clauses), len(comparison.groups))
    return limited(lambda rows: _parts(comparison, rows), rows, limit)


def _parts(comparison: Comparison, rows: int) -> list[str]:
    mark = "❌" if comparison.exit else "✅"
    parts = [
        f"# {mark} DELETE and VACUUM: {text(verdict(comparison))}",
        "<br>\n".join(text(line) for line in overview(comparison)),
        *_violated("## Regressed", comparison.of(Change.REGRESSED), rows),
        *_unexplained(comparison, min(rows, _FIRST)),
        *_known(comparison, rows),
        *_violated("## Improved", comparison.of(Change.IMPROVED), rows),
    ]
    if comparison.groups or comparison.of(Change.REGRESSED, Change.IMPROVED):
        parts.append(
            "The cases named here are in `cases/`. To replay one, in the environment of either version: "
            "`pytest suites --replay cases/CASE.json`."
        )
    parts += _details(comparison, rows)
    if others := comparison.of(Change.CHANGED, Change.ONLY_BASE, Change.ONLY_CANDIDATE):
        parts += folded(
            f"{counted(len(others), 'clause')} with another verdict, or judged on one side only", _clauses(others, rows)
        )
    return parts + folded(f"All {counted(len(comparison.clauses), 'clause')}", _clauses(comparison.clauses, rows))


def _violated(title: str, clauses: tuple[ClauseChange, ...], rows: int) -> list[str]:
    lines = [
        row(one.clause, text(one.sentence), text(one.message), code(one.case["id"] if one.case else ""))
        for one in clauses
    ]
    return [title, table("| Clause | Expected | Violation | Case |", lines, rows, whole=_WHOLE)] if lines else []


def _unexplained(comparison: Comparison, rows: int) -> list[str]:
    lines = [
        row(text(signature(group)), group.cases, group.steps, code(group.base["id"]))
        for group in comparison.unexplained
    ]
    whole = f"the details below and in {_WHOLE}"
    title = "## Unexplained differences"
    return [title, table("| Difference | Cases | Steps | Smallest case |", lines, rows, whole=whole)] if lines else []


def _known(comparison: Comparison, rows: int) -> list[str]:
    lines = [
        row(
            one.change.since, text(one.change.sentence), text(one.change.source), one.cases, code(_smallest(one.groups))
        )
        for one in explained(comparison)
    ]
    heading = "| Since | What changed | Source | Cases | Case |"
    return ["## Known changes", table(heading, lines, rows, whole=_WHOLE)] if lines else []


def _smallest(groups: tuple[Group, ...]) -> str:
    return str(min((len(group.base["steps"]), len(str(group.base["case"])), group.base["id"]) for group in groups)[2])


def _details(comparison: Comparison, rows: int) -> list[str]:
    parts = ["## All differences"] if comparison.groups else []
    for group in comparison.groups[:rows]:
        parts += _detail(group)
    left_out = len(comparison.groups) - rows
    if left_out > 0:
        parts.append(f"… and {counted(left_out, 'more difference')}, left out for size: all are in {_WHOLE}.")
    return parts


def _detail(group: Group) -> list[str]:
    number = f"{counted(group.cases, 'case')}, {counted(group.steps, 'step')}"
    kind = group.known.word if group.known else "unexplained"
    step = group.step_of(group.base)
    where = (
        f"Step {group.step} of case {code(group.base['id'])}: {code(step['text'])}" if step else "No step was judged."
    )
    known = [f"{text(group.known.sentence)} Source: {text(group.known.source)}."] if group.known else []
    lines = [row(text(name), code(one), code(other)) for name, one, other in side_by_side(group)]
    return folded(
        f"{signature(group)} ({kind}; {number})", where, *known, table("|  | Base | Candidate |", lines, len(lines))
    )


def _clauses(clauses: tuple[ClauseChange, ...], rows: int) -> str:
    lines = [
        row(
            one.clause,
            f"**{one.change.value}**" if one.change is Change.REGRESSED else one.change.value,
            _side(one.base),
            _side(one.candidate),
            text(one.sentence) + (f"<br>{text(one.reason)}" if one.reason else ""),
        )
        for one in clauses
    ]
    return table("| Clause | Change | Base | Candidate | Expected |", lines, rows, whole=_WHOLE)


def _side(result: ClauseResult | None) -> str:
    if result is None:
        return "not listed"
    return f"{result.verdict.value} ({counted(result.failures, 'case')})" if result.failures else result.verdict.value
