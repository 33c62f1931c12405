"""What is wrong in a run, the gravest first: which cases to show of the clauses that fail, and which clauses fail together.

Only violations that are no known deviation count. The violations of a clause with the same cause have one example, the
simplest case; where that case has circumstances that another does not have, the other is a second example. A clause has
``EXAMPLES`` at most. Clauses that fail in the same step of the same case are one failure, under the gravest.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from reports.harms import rank_of
from reports.stream import Line, sort_key

#: The most examples of one clause.
EXAMPLES = 3

#: The families whose sentences say most plainly what is lost: the first among equals.
_PLAIN = ("VAC-SAFE", "DEL-ROW")


@dataclass(frozen=True)
class Example:
    """A violation of a clause, in the case that shows it best."""

    clause: str
    cause: str
    severity: str
    line: Line  # the case
    violation: Line  # one of its violations
    cases: int  # the cases that violate the clause by the same cause

    @property
    def place(self) -> tuple[str, int]:
        """The case and the step."""
        return self.line["id"], self.violation["step"]


@dataclass(frozen=True)
class Failure:
    """A step of a case that violates clauses: the gravest, and those that fail with it."""

    lead: Example
    others: tuple[Example, ...] = ()

    @property
    def examples(self) -> tuple[Example, ...]:
        return (self.lead, *self.others)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses that fail with the gravest one."""
        return tuple(dict.fromkeys(one.clause for one in self.others if one.clause != self.lead.clause))


@dataclass(frozen=True)
class _Group:
    """The violations of a clause by one cause: the first of each case."""

    clause: str
    cause: str
    severity: str
    found: tuple[tuple[Line, Line], ...]  # cases with a violation each, the simplest first
    again: int = 0  # how many examples it has already

    @property
    def cases(self) -> int:
        return len({line["id"] for line, _ in self.found})

    def at(self, case: str, step: int) -> Example | None:
        """The violation in this case and step."""
        here = (pair for pair in self.found if (pair[0]["id"], pair[1]["step"]) == (case, step))
        return next((self.example(*pair) for pair in here), None)

    def example(self, line: Line, violation: Line) -> Example:
        return Example(self.clause, self.cause, self.severity, line, violation, self.cases)

    def without(self, example: Example) -> _Group | None:
        """The group without the cases that the example explains: those that have all its circumstances, too."""
        own = _circumstances(example.violation)
        if example.line["origin"] != "shrunk" or not own:
            return None  # a case that is not shrunk has circumstances that do not matter
        rest = tuple(pair for pair in self.found if not own <= _circumstances(pair[1]))
        return _Group(self.clause, self.cause, self.severity, rest, self.again + 1) if rest else None


def failures(header: Line, lines: Iterable[Line], *, of: Collection[str] | None = None) -> tuple[Failure, ...]:
    """The failures in these cases, the gravest first. ``of``: only these clauses (None: all of the header)."""
    own = {clause["id"]: clause["severity"] for clause in header["clauses"] if of is None or clause["id"] in of}
    order = list(own)
    broken = (line for line in lines if any(one["excused"] is None for one in line["violations"]))
    waiting = _groups(own, sorted(broken, key=_simplicity))
    numbers = dict.fromkeys(order, 0)
    found: list[Failure] = []
    while waiting:
        group = min(waiting, key=lambda one: (*_attention(one), order.index(one.clause)))
        waiting.remove(group)
        if numbers[group.clause] >= EXAMPLES:
            continue
        lead = group.example(*group.found[0])
        together = [(other, example) for other in waiting if (example := other.at(*lead.place)) is not None]
        for one, example in [(group, lead), *together]:
            if one is not group:
                waiting.remove(one)
            numbers[one.clause] += 1
            rest = one.without(example)
            waiting += [rest] if rest is not None else []
        found.append(Failure(lead, _by_severity([example for _, example in together], order)))
    return tuple(found)


def examples(found: Iterable[Failure]) -> dict[str, list[Example]]:
    """The examples of each clause, the gravest first; each in another case."""
    chosen: dict[str, list[Example]] = {}
    for failure in found:
        for example in failure.examples:
            known = chosen.setdefault(example.clause, [])
            if all(example.line["id"] != other.line["id"] for other in known):
                known.append(example)
    for known in chosen.values():
        known.sort(key=lambda example: rank_of(example.severity))
    return chosen


def simplest(lines: Iterable[Line]) -> Line | None:
    """The case to show: preferably a shrunk one, then the one with the fewest steps, then with the shortest text."""
    return min(lines, key=_simplicity, default=None)


def _simplicity(case: Line) -> tuple[bool, int, int, tuple[str, int, int, str]]:
    return (case["origin"] != "shrunk", len(case["steps"]), len(json.dumps(case["case"])), sort_key(case))


def _groups(own: dict[str, str], lines: Sequence[Line]) -> list[_Group]:
    found: dict[tuple[str, str, str], dict[tuple[str, int], tuple[Line, Line]]] = {}
    for line in lines:
        for violation in line["violations"]:
            if violation["excused"] is None and violation["clause"] in own:
                clause = violation["clause"]
                severity = str(violation.get("severity", own[clause]))
                places = found.setdefault((clause, violation["cause"], severity), {})
                places.setdefault((line["id"], violation["step"]), (line, violation))
    return [_Group(*group, tuple(places.values())) for group, places in found.items()]


def _attention(group: _Group) -> tuple[int, int, bool, int]:
    """The order in which groups are shown: the gravest first, then what fails in most cases."""
    return rank_of(group.severity), group.again, not group.clause.startswith(_PLAIN), -group.cases


def _circumstances(violation: Line) -> frozenset[str]:
    return frozenset(violation.get("circumstances", ()))


def _by_severity(found: Iterable[Example], order: Sequence[str]) -> tuple[Example, ...]:
    return tuple(sorted(found, key=lambda example: (rank_of(example.severity), order.index(example.clause))))
