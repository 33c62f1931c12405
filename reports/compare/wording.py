"""A comparison in words, for Markdown and terminal. No code depends on these texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reports.circumstances import machines_differ, profile_of
from reports.compare.comparison import Change, Comparison, Group, engine_of
from reports.compare.differences import Difference
from reports.compare.known_changes import KnownChange
from reports.quantities import counted
from reports.stream import Line, Run

#: Of lists and amounts, by field.
_AMOUNTS = {
    "vanished": "deletes {} {} from storage",
    "changed_beside": "changes {} {} outside the table",
    "removed": "removes {} {}",
    "masked": "marks rows as deleted in {} {}",
    "added": "adds {} {}",
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
    part, _, name = found.field.partition(".")
    values = f"{found.base or 'none'} → {found.candidate or 'none'}"
    of_commit = f"{found.within.removeprefix('VACUUM ')}: " if found.within.startswith("VACUUM ") else ""
    if part == "error" and name:
        change = "different message" if found.amount else f"{name} {values}"
        return f"error {found.within}: {change}", ""
    if found.amount is not None:
        amount = found.amount.value
        if part == "checkpoints":
            return f"writes {amount} checkpoints", ""
        if part in ("parameters", "metrics"):
            return f"{of_commit}different value of the {part.removesuffix('s')} ", name
        if part == "rows" and found.paths:
            return f"lists {amount} {found.paths.value}", ""
        return _AMOUNTS[part].format(amount, found.paths.value if found.paths else found.within), ""
    if part == "values":
        return f"{of_commit}commitInfo.{name} {values}", ""
    if found.field in _MEMBERS or part in ("parameters", "metrics"):
        head = f"{of_commit}{_MEMBERS.get(found.field, part)}"
        return (f"{head} + ", found.candidate) if found.candidate else (f"{head} - ", found.base or "")
    return {
        "broken": f"the log: {values}",
        "case": values,
        "last_vacuum": f"_last_vacuum_info {values}",
        "operations": f"commits {values}",
    }.get(part, f"{part} {values}"), ""


# The whole comparison --------------------------------------------------------------------------------------------------


def verdict(comparison: Comparison) -> str:
    """One sentence: from which engine to which, and how many clauses regressed."""
    regressed = len(comparison.of(Change.REGRESSED))
    change = f"{counted(regressed, 'clause')} regressed" if regressed else "Nothing regressed"
    return f"{change} from {named(comparison.base)} to {named(comparison.candidate)}"


def named(run: Run) -> str:
    """An engine with its version and its built-in fault."""
    fault = f" with the fault {run.header['known_bad']}" if run.header["known_bad"] is not None else ""
    return " ".join(engine_of(run)).strip() + fault


def overview(comparison: Comparison) -> list[str]:
    """Both runs, the clauses by change, how many cases and steps differ, and what was not compared."""
    changes = Counter(clause.change for clause in comparison.clauses)
    tally = ", ".join(f"{changes[change]} {change.value}" for change in Change if changes[change])
    cases = (
        f"{comparison.differing} of {counted(comparison.compared, 'case')} "
        f"({counted(comparison.steps, 'step')} compared) differ in what the engines did"
    )
    kinds = f": {counted(len(comparison.unexplained), 'unexplained difference')} and {len(comparison.known)} known"
    lines = [
        _versions(comparison.base),
        _versions(comparison.candidate),
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


def _versions(run: Run) -> str:
    listed = ", ".join(f"{name} {version}" for name, version in run.header["versions"].items())
    seed = f", seed {run.header['seed']}" if run.header["seed"] is not None else ""
    return f"{run.header['engine']}: {listed}; {profile_of(run.header)}{seed}"


@dataclass(frozen=True)
class Explained:
    """A known change with the groups that it explains. ``cases`` counts each case once."""

    change: KnownChange
    groups: tuple[Group, ...]

    @property
    def cases(self) -> int:
        return len(frozenset[str]().union(*(group.case_ids for group in self.groups)))


def explained(comparison: Comparison) -> tuple[Explained, ...]:
    """The known changes that occurred, in the order of versions."""
    changes = dict.fromkeys(group.known for group in comparison.known if group.known is not None)
    found = (Explained(one, tuple(group for group in comparison.known if group.known is one)) for one in changes)
    return tuple(sorted(found, key=lambda one: (one.change.since, one.change.sentence)))


def side_by_side(group: Group) -> Iterator[tuple[str, str, str]]:
    """What differs in the step to show: a name, and the JSON value in the base and in the candidate.

    Of lists and objects only what the other side lacks, and how many members are the same.
    """
    sides = [_members(group, line) for line in (group.base, group.candidate)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        base, candidate = (side.get(name) for side in sides)
        if base != candidate:
            yield name, _only(base, candidate), _only(candidate, base)


def _only(mine: Any, theirs: Any) -> str:
    """What the other side lacks."""
    if isinstance(mine, list) and isinstance(theirs, list):
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


def _members(group: Group, line: Line) -> dict[str, Any]:
    step = group.step_of(line)
    if step is None:
        return {"error": line["error"]}
    outcome, observed = step["outcome"] or {}, dict(step["observed"] or {})
    commits = observed.pop("commits", [])
    members = {"error": outcome.get("error"), "rows": outcome.get("rows"), **observed}
    for number, commit in enumerate(commits, start=1):
        members.update({f"commit {number}: {name}": value for name, value in commit.items()})
    return members
