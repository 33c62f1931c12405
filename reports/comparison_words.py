"""A comparison in words: what every view of it says alike."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reports.comparison import Change, Comparison, Group, engine_of
from reports.known_changes import KnownChange
from reports.plurals import counted
from reports.stream import Line, Run

_ORDER = (
    Change.REGRESSED,
    Change.IMPROVED,
    Change.CHANGED,
    Change.ONLY_BASE,
    Change.ONLY_CANDIDATE,
    Change.SAME,
)


def verdict(comparison: Comparison) -> str:
    """The first line."""
    regressed = len(comparison.of(Change.REGRESSED))
    return f"{counted(regressed, 'clause')} regressed" if regressed else "Nothing regressed"


def way(comparison: Comparison) -> str:
    """From what to what: ``from spark 3.3.2 to spark 4.4.0``."""
    return f"from {named(comparison.base)} to {named(comparison.candidate)}"


def named(run: Run) -> str:
    """An engine with its version, and with the fault that is built into it."""
    fault = f" with the fault {run.header['known_bad']}" if run.header["known_bad"] is not None else ""
    return " ".join(engine_of(run)).strip() + fault


def versions(run: Run) -> str:
    """All that the header says of versions, and the profile."""
    listed = ", ".join(f"{name} {version}" for name, version in run.header["versions"].items())
    seed = f", seed {run.header['seed']}" if run.header["seed"] is not None else ""
    return f"{run.header['engine']}: {listed}; profile {run.header['profile']}{seed}"


def tally(comparison: Comparison) -> str:
    """How many clauses have which change."""
    parts = [f"{len(comparison.of(change))} {change.value}" for change in _ORDER if comparison.of(change)]
    return f"{counted(len(comparison.clauses), 'clause')}: {', '.join(parts) or 'none'}"


def behaviour(comparison: Comparison) -> str:
    """How many cases and steps differ, and in how many ways."""
    cases = f"{comparison.differing} of {counted(comparison.compared, 'case')} ({counted(comparison.steps, 'step')} compared)"
    if not comparison.groups:
        return f"{cases} differ in what the engines did"
    kinds = f"{counted(len(comparison.unexplained), 'unexplained difference')} and {len(comparison.known)} known"
    return f"{cases} differ in what the engines did: {kinds}"


def limits(comparison: Comparison) -> str:
    """What was not compared; nothing where all was."""
    parts = []
    if comparison.diverged:
        parts.append(
            f"{counted(comparison.diverged, 'case')} {'was' if comparison.diverged == 1 else 'were'} left at the step after "
            "which the two tables differ: what follows follows from that."
        )
    if comparison.cut_short:
        parts.append(
            f"{counted(comparison.cut_short, 'case')} ended early on one side, at a broken clause, with nothing different before."
        )
    return " ".join(parts)


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
    """What differs in the step to show: a name, and what the base and the candidate have. JSON, as in the run stream.

    Of lists and objects, what is on that side only, with how many are the same.
    """
    sides = [_members(group, line) for line in (group.base, group.candidate)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        one, other = (side.get(name) for side in sides)
        if one != other:
            yield name, _only(one, other), _only(other, one)


def _only(mine: Any, theirs: Any) -> str:
    """What is on this side, short of what is on the other too."""
    if isinstance(mine, list) and isinstance(theirs, list):
        texts, others = [_plain(value) for value in mine], [_plain(value) for value in theirs]
        left = Counter(texts) - Counter(others)
        shown = list(left.elements())
        return _told(f"[{', '.join(shown)}]", len(texts) - len(shown), bool(shown))
    if isinstance(mine, dict) and isinstance(theirs, dict):
        own = {name: value for name, value in mine.items() if name not in theirs or theirs[name] != value}
        return _told(_plain(own), len(mine) - len(own), bool(own))
    return _plain(mine)


def _told(shown: str, same: int, any_left: bool) -> str:
    if not same:
        return shown
    return f"{shown} and {same} that are the same" if any_left else f"{same} that are the same"


def _plain(value: Any) -> str:
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
