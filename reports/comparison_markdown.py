"""A comparison as ``comparison.md``: the first screen says it all. For pull requests and CI step summaries."""

from __future__ import annotations

from reports.comparison import Change, ClauseChange, Comparison, Group
from reports.comparison_words import (
    behaviour,
    explained,
    limits,
    side_by_side,
    tally,
    verdict,
    versions,
    way,
)
from reports.markdown import LIMIT, code, row, table, text
from reports.plurals import counted
from reports.verdicts import ClauseResult

#: How many rows the tables of the first screen have. The details have all.
_FIRST = 12
_WHOLE = "comparison.json"


def comparison_markdown(comparison: Comparison, *, limit: int = LIMIT) -> str:
    """The text of ``comparison.md``, never more than ``limit`` bytes in UTF-8 (at least 8,000).

    Where it would be longer, tables and details are cut, and it says how many are left out.
    """
    rows = max(len(comparison.clauses), len(comparison.groups), 1)
    while True:
        whole = "\n\n".join(_parts(comparison, rows)) + "\n"
        if len(whole.encode("utf-8", "surrogatepass")) <= limit or rows == 0:
            return whole.encode("utf-8", "backslashreplace").decode("utf-8")
        rows //= 2


def _parts(comparison: Comparison, rows: int) -> list[str]:
    mark = "❌" if comparison.exit else "✅"
    lines = [versions(comparison.base), versions(comparison.candidate), tally(comparison), behaviour(comparison)]
    parts = [
        f"# {mark} {verdict(comparison)}: DELETE and VACUUM {text(way(comparison))}",
        "<br>\n".join(text(line) for line in lines),
    ]
    parts += _clauses("## Regressed", comparison.of(Change.REGRESSED), rows)
    parts += _unexplained(comparison, min(rows, _FIRST))
    parts += _known(comparison, rows)
    parts += _clauses("## Improved", comparison.of(Change.IMPROVED), rows)
    if said := limits(comparison):
        parts.append(text(said))
    if comparison.groups or comparison.of(Change.REGRESSED, Change.IMPROVED):
        parts.append(
            "Each case that is named here is in `cases/`. Replay it on either side: "
            "`pytest suites --replay cases/CASE.json`, in the environment of that version."
        )
    parts += _details(comparison, rows)
    others = comparison.of(Change.CHANGED, Change.ONLY_BASE, Change.ONLY_CANDIDATE)
    if others:
        parts.append(f"<details><summary>{counted(len(others), 'clause')} judged otherwise or on one side</summary>")
        parts += [_clause_table(others, rows), "</details>"]
    parts.append(f"<details><summary>All {counted(len(comparison.clauses), 'clause')}</summary>")
    parts += [_clause_table(comparison.clauses, rows), "</details>"]
    return parts


def _clauses(title: str, clauses: tuple[ClauseChange, ...], rows: int) -> list[str]:
    if not clauses:
        return []
    lines = [
        row(one.clause, text(one.sentence), text(one.message), code(one.case["id"] if one.case else ""))
        for one in clauses
    ]
    return [title, table("| Clause | Promise | Seen where it is broken | Case |", lines, rows, whole=_WHOLE)]


def _unexplained(comparison: Comparison, rows: int) -> list[str]:
    if not comparison.unexplained:
        return []
    lines = [
        row(text(group.signature), group.cases, group.steps, code(group.base["id"])) for group in comparison.unexplained
    ]
    heading = "| Difference | Cases | Steps | Smallest case |"
    return [
        "## Differences that nothing explains",
        table(heading, lines, rows, whole=f"the details below and in {_WHOLE}"),
    ]


def _known(comparison: Comparison, rows: int) -> list[str]:
    found = explained(comparison)
    if not found:
        return []
    lines = [
        row(
            one.change.since, text(one.change.sentence), text(one.change.source), one.cases, code(_smallest(one.groups))
        )
        for one in found
    ]
    return ["## Known changes", table("| Since | What changed | Source | Cases | Case |", lines, rows, whole=_WHOLE)]


def _smallest(groups: tuple[Group, ...]) -> str:
    return str(min((len(group.base["steps"]), len(str(group.base["case"])), group.base["id"]) for group in groups)[2])


def _details(comparison: Comparison, rows: int) -> list[str]:
    if not comparison.groups:
        return []
    parts = ["## Every difference"]
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
    lines = [row(text(name), code(one), code(other)) for name, one, other in side_by_side(group)]
    parts = [f"<details><summary>{_plain(group.signature)} ({kind}; {number})</summary>", where]
    if group.known:
        parts.append(f"{text(group.known.sentence)} Source: {text(group.known.source)}.")
    return [*parts, table("|  | Base | Candidate |", lines, len(lines)), "</details>"]


def _plain(value: str) -> str:
    """Text inside an HTML element."""
    line = " ".join("".join(char if char.isprintable() else " " for char in value).split())
    line = line if len(line) <= 400 else line[:400] + " …"
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _clause_table(clauses: tuple[ClauseChange, ...], rows: int) -> str:
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
    return table("| Clause | Change | Base | Candidate | Promise |", lines, rows, whole=_WHOLE)


def _side(result: ClauseResult | None) -> str:
    if result is None:
        return "not there"
    return f"{result.verdict.value} ({counted(result.failures, 'case')})" if result.failures else result.verdict.value
