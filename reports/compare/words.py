"""What both views of a comparison, Markdown and terminal, say alike."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reports.compare.comparison import Change, Comparison, Group, engine_of
from reports.compare.known_changes import KnownChange
from reports.plurals import counted
from reports.stream import Line, Run


def verdict(comparison: Comparison) -> str:
    """The first line."""
    regressed = len(comparison.of(Change.REGRESSED))
    change = f"{counted(regressed, 'clause')} regressed" if regressed else "Nothing regressed"
    return f"{change} from {named(comparison.base)} to {named(comparison.candidate)}"


def named(run: Run) -> str:
    """An engine with its version, and with the fault that is built into it."""
    fault = f" with the fault {run.header['known_bad']}" if run.header["known_bad"] is not None else ""
    return " ".join(engine_of(run)).strip() + fault


def overview(comparison: Comparison) -> list[str]:
    """Both runs, how many clauses have which change, how many cases and steps differ, and what was not compared."""
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
    return f"{run.header['engine']}: {listed}; profile {run.header['profile']}{seed}"


@dataclass(frozen=True)
class Explained:
    """A known change with the groups that it explains. ``cases`` counts each case once."""

    change: KnownChange
    groups: tuple[Group, ...]

    @property
    def cases(self) -> int:
        return len(frozenset[str]().union(*(group.case_ids for group in self.groups)))


def explained(comparison: Comparison) -> tuple[Explained, ...]:
    """The known changes that were seen, in the order of versions."""
    changes = dict.fromkeys(group.known for group in comparison.known if group.known is not None)
    found = (Explained(one, tuple(group for group in comparison.known if group.known is one)) for one in changes)
    return tuple(sorted(found, key=lambda one: (one.change.since, one.change.sentence)))


def side_by_side(group: Group) -> Iterator[tuple[str, str, str]]:
    """What differs in the step to show: a name, and the value of the base and of the candidate. JSON, as in the run stream.

    Of lists and objects, only what that side has and the other has not, and how many are the same.
    """
    sides = [_members(group, line) for line in (group.base, group.candidate)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = (side.get(name) for side in sides)
        if one != other:
            yield name, _only(one, other), _only(other, one)


def _only(mine: Any, theirs: Any) -> str:
    """What this side has and the other has not."""
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
