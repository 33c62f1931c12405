"""A comparison in words, for Markdown and terminal. No code depends on these texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from model.vocabulary.severity import Severity
from records.json_form import to_json
from records.run import JudgedCase
from reports.answers import named
from reports.circumstances import machines_differ, profile_of, versions_of
from reports.compare.cases import Change, KnownFault, Shift
from reports.compare.comparison import Comparison
from reports.compare.differences import Difference
from reports.compare.explanations import Explanation, Kind
from reports.compare.groups import Group
from reports.deviations import Deviation
from reports.harms import does
from reports.quantities import counted
from reports.stream import Run

#: Of lists and amounts, by field.
_AMOUNTS = {
    "vanished": "deletes {} files from storage",
    "changed_beside": "changes {} files outside the table",
    "removed": "removes {} files",
    "masked": "marks rows as deleted in {} files",
    "added": "adds {} files",
    "appeared": "writes {} {}",
    "changed": "writes {} rows of change files",
    "rows": "returns {} rows",
}
_MEMBERS = {
    "remove_fields": "remove fields",
    "add_fields": "add fields",
    "change_fields": "cdc fields",
    "places": "new files are in",
    "keys": "commitInfo",
    "last_vacuum.keys": "_last_vacuum_info",
}


def signature(group: Group) -> str:
    """What differs, in one line. Differences in a name only share a text: ``metrics + a, b``."""
    names: dict[str, list[str]] = {}
    for difference in group.differences:
        head, name = _parts(difference)
        names.setdefault(head, []).append(name)
    return f"{group.subject}: {'; '.join(head + ', '.join(filter(None, tails)) for head, tails in names.items())}"


def text_of(difference: Difference) -> str:
    """``error none → DELTA_…``, ``deletes fewer files from storage``, ``metrics + numFiles``."""
    return "".join(_parts(difference))


def _parts(found: Difference) -> tuple[str, str]:
    """The text in two parts; differences with the same first part are joined."""
    part, name, within = found.field.part, found.field.name, found.field.within
    values = f"{found.base or 'none'} → {found.candidate or 'none'}"
    of_commit = f"{within.removeprefix('VACUUM ')}: " if within.startswith("VACUUM ") else ""
    if part == "error" and name:
        change = "different message" if found.amount else f"{name} {values}"
        return f"error {within}: {change}", ""
    if found.amount is not None:
        amount = found.amount.value
        if part == "checkpoints":
            return f"writes {amount} checkpoints", ""
        if part in ("parameters", "metrics"):
            return f"{of_commit}different value of the {part.removesuffix('s')} ", name
        if part == "rows" and found.command.kind == "vacuum":
            return f"lists {amount} files", ""
        return _AMOUNTS[part].format(amount, within), ""
    if part == "values":
        return f"{of_commit}commitInfo.{name} {values}", ""
    if found.field.path in _MEMBERS or part in ("parameters", "metrics"):
        head = f"{of_commit}{_MEMBERS.get(found.field.path, part)}"
        return (f"{head} + ", found.candidate) if found.candidate else (f"{head} - ", found.base or "")
    return {
        "broken": f"the log: {values}",
        "case": values,
        "last_vacuum": f"_last_vacuum_info {values}",
        "operations": f"commits {values}",
    }.get(part, f"{part} {values}"), ""


# The whole comparison --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AcceptedFault:
    """What is worse on the candidate by one cause, or one known deviation, and which entries accept it."""

    cause: str
    severity: Severity
    entries: tuple[Deviation, ...]
    clauses: tuple[str, ...]
    case_ids: frozenset[str]

    @property
    def by(self) -> str:
        """``until 2027-06-30: REASON``, of each entry."""
        words = (f"{f'until {one.until}' if one.until else 'without an end'}: {one.reason}" for one in self.entries)
        return " And ".join(dict.fromkeys(words))


def accepted(comparison: Comparison) -> tuple[AcceptedFault, ...]:
    """What the user's file accepts, the gravest first: the shifts of one cause are one fault."""
    found: dict[str, list[Shift]] = {}
    for shift in comparison.shifted(Change.ACCEPTED):
        found.setdefault(shift.cause, []).append(shift)
    return tuple(
        AcceptedFault(
            cause,
            shifts[0].severity,
            tuple(one.accepted for one in shifts if one.accepted is not None),
            tuple(sorted({one.clause for one in shifts})),
            frozenset[str]().union(*(one.case_ids for one in shifts)),
        )
        for cause, shifts in found.items()
    )


def also(comparison: Comparison) -> dict[str, list[str]]:
    """What is to be said besides the ways to be worse and the differences, by title, a line for each: what is accepted, what
    fails where it was not judged before, and what is better."""
    by = comparison.acceptance.file if comparison.acceptance else ""
    unjudged = f"fails on {named(comparison.candidate)}, not judged on {named(comparison.base)}"
    found = {
        f"worse, and accepted by {by}": [
            f"{does(one.severity)}: {one.cause} ({one.by})" for one in accepted(comparison)
        ],
        unjudged: [
            f"{does(one.severity)} ({one.clause}): {one.cause}" for one in comparison.shifted(Change.UNCOMPARED)
        ],
        "better": [f"no longer {does(one.severity)}: {one.cause}" for one in comparison.shifted(Change.IMPROVED)],
    }
    return {title: list(dict.fromkeys(lines)) for title, lines in found.items()}


def ended_words(shift: Shift, comparison: Comparison) -> str:
    """That the user's file accepted a shift until a day or a version that is past; empty if it did not."""
    if shift.ended is None or comparison.acceptance is None:
        return ""
    return f"{comparison.acceptance.file} accepted it until {shift.ended.until}, which is past"


def unused(comparison: Comparison) -> list[str]:
    """One line on the entries of the user's file that nothing needed, if there are any."""
    if comparison.acceptance is None or not comparison.unused:
        return []
    entries = "; ".join(f"{', '.join(clauses)} ({table.reason})" for table, clauses in comparison.unused.items())
    return [f"Not needed in {comparison.acceptance.file}: {entries}"]


def overview(comparison: Comparison) -> list[str]:
    """Both runs, the clauses by change, how many cases and steps differ, and what was not compared."""
    changes = Counter(clause.change for clause in comparison.clauses)
    tally = ", ".join(f"{changes[change]} {change.value}" for change in Change if changes[change])
    cases = (
        f"{comparison.differing} of {counted(comparison.compared, 'case')} "
        f"({counted(comparison.steps, 'step')} compared) differ in what the engines did"
    )
    kinds = (
        f": {counted(len(comparison.unexplained), 'unexplained difference')} and {len(comparison.explained)} explained"
    )
    lines = [
        _versions(comparison.base),
        _versions(comparison.candidate),
        *unjudged(comparison),
        *unused(comparison),
        f"{counted(len(comparison.clauses), 'clause')}: {tally or 'none'}",
        cases + (kinds if comparison.groups else ""),
    ]
    if differing := machines_differ(comparison.base.header, comparison.candidate.header):
        lines.append(f"The machines differ: {differing}.")
    if comparison.diverged:
        lines.append(
            f"{counted(comparison.diverged, 'case')} compared only up to the step after which the two tables differ."
        )
    if comparison.cut_short:
        lines.append(
            f"{counted(comparison.cut_short, 'case')} ended early on one side, at a violation, without an earlier difference."
        )
    return lines


def unjudged(comparison: Comparison) -> list[str]:
    """What could not be judged on each side: ``not exercised on spark 4.0.0: DEL-ROW-1``."""
    lines = []
    for one in comparison.unjudged:
        if one.clauses:
            lines.append(f"not exercised on {named(one.run)}: {', '.join(one.clauses)}")
        if one.cases:
            lines.append(f"ended in an error on {named(one.run)}: {counted(one.cases, 'case')}")
    return lines


def fault_words(fault: KnownFault, comparison: Comparison) -> str:
    """``known, loses data: REASON``, with the side that has it if the other does not."""
    side = comparison.candidate if fault.on_candidate else comparison.base
    only = "" if fault.on_base and fault.on_candidate else f"{named(side)} only, "
    return f"{only}known, {does(fault.severity)}: {fault.reason}"


def _versions(run: Run) -> str:
    header = run.header
    seed = f", seed {header.seed}" if header.seed is not None else ""
    return f"{header.engine}: {versions_of(run.header)}; {profile_of(run.header)}{seed}"


_ORDER = (Kind.VIOLATION, Kind.KNOWN_DEVIATION, Kind.RULE, Kind.KNOWN_CHANGE)


def explained(comparison: Comparison) -> list[tuple[Explanation, list[Group]]]:
    """The explanations that occurred, with the groups that they explain: violations, known deviations, rules, known changes; each
    in the order of versions."""
    found: dict[Explanation, list[Group]] = {}
    for group in comparison.groups:
        if group.explanation is not None:
            found.setdefault(group.explanation, []).append(group)
    return sorted(found.items(), key=lambda one: (_ORDER.index(one[0].kind), one[0].since, one[0].sentence))


def side_by_side(group: Group) -> Iterator[tuple[str, str, str]]:
    """What differs in the step to show: a name, and the JSON value in the base and in the candidate.

    Of lists and objects only what the other side lacks, and how many members are the same.
    """
    sides = [_members(group, case) for case in (group.base, group.candidate)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        base, candidate = (side.get(name) for side in sides)
        if base != candidate:
            yield name, _only(base, candidate), _only(candidate, base)


def _only(mine: Any, theirs: Any) -> str:
    """What the other side lacks."""
    if isinstance(mine, (list, tuple)) and isinstance(theirs, (list, tuple)):
        shown = list((Counter(map(_json, mine)) - Counter(map(_json, theirs))).elements())
        text, same = f"[{', '.join(shown)}]", len(mine) - len(shown)
    elif isinstance(mine, dict) and isinstance(theirs, dict):
        shown = [name for name in mine if name not in theirs or theirs[name] != mine[name]]
        text, same = _json({name: mine[name] for name in shown}), len(mine) - len(shown)
    else:
        return _json(mine)
    return " and ".join([text] * bool(shown or not same) + [f"{same} that are the same"] * bool(same))


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def seen(group: Group, case: JudgedCase) -> dict[str, Any]:
    """What is recorded of the step to show, as JSON: its text, outcome and observed; of a case without it only its error."""
    step = group.step_of(case)
    if step is None:
        return {"error": case.error and to_json(case.error)}
    record = to_json(step)
    return {name: record[name] for name in ("text", "outcome", "observed")}


def _members(group: Group, case: JudgedCase) -> dict[str, Any]:
    record = seen(group, case)
    if "outcome" not in record:
        return record
    outcome, observed = record["outcome"], record["observed"]
    commits = observed.pop("commits", [])
    members = {"error": outcome["error"], "rows": outcome["rows"], **observed}
    for number, commit in enumerate(commits, start=1):
        members.update({f"commit {number}: {name}": value for name, value in commit.items()})
    return members
