"""What is wrong in a run, the gravest first: which cases to show of the clauses that fail, and which clauses fail together.

Only violations that are no known fault count. The violations of a clause with the same cause have one example, the
simplest case; where that case has circumstances that another does not have, the other is a second example. A clause has
``EXAMPLES`` at most. Clauses that fail in the same step of the same case are one failure, under the gravest; so are those that
fail for the same cause in other cases, if these have all the circumstances of its example; and those that fail in no step in
which it does not fail.

Of a case that fails only what is needed to choose is kept; those that are shown are then looked up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, final

from model.vocabulary.severity import Severity
from records.run import Header, RecordedCase, RecordedViolation
from reports.stream.checks import LineKey, sort_key

#: The most examples of one clause.
EXAMPLES = 3

#: The families whose sentences say most plainly what is lost: the first among equals.
_PLAIN = ("VAC-SAFE", "DEL-ROW")


@dataclass(frozen=True)
class Example:
    """A violation of a clause, in the case that shows it best."""

    clause: str
    cause: str
    severity: Severity
    judged: RecordedCase
    violation: RecordedViolation  # one of its violations
    cases: int  # the cases that violate the clause by the same cause

    @property
    def folder(self) -> str:
        """Of its case and script, below the report directory."""
        return f"counterexamples/{self.clause}-{self.judged.id}"


@dataclass(frozen=True)
class Failure:
    """A step of a case that violates clauses: the gravest, and those that fail with it, there or for the same cause elsewhere."""

    lead: Example
    others: tuple[Example, ...] = ()

    @property
    def examples(self) -> tuple[Example, ...]:
        return (self.lead, *self.others)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses that fail with the gravest one."""
        return tuple(dict.fromkeys(one.clause for one in self.others if one.clause != self.lead.clause))


#: By how much a case is to be shown: a shrunk one first, then the one with the fewest steps, then with the shortest text.
Simplicity = tuple[bool, int, int, LineKey]


class _Sight(NamedTuple):
    """The first violation of a clause by one cause in a step of a case: what is needed to choose examples."""

    case: str  # its id
    step: int
    number: int  # the place of the case among those that were taken
    violation: int  # its place in the case
    shrunk: bool
    circumstances: frozenset[str]

    @property
    def place(self) -> tuple[str, int]:
        """The case and the step."""
        return self.case, self.step


#: A clause, a cause and a severity (None: that of the clause).
_Kind = tuple[str, str, "Severity | None"]


@dataclass(frozen=True, eq=False)
class _Group:
    """The violations of a clause by one cause: the first of each case and step."""

    clause: str
    cause: str
    severity: Severity
    found: Mapping[tuple[str, int], _Sight]  # by case and step, the simplest first
    again: int = 0  # how many examples it has already

    @cached_property
    def cases(self) -> int:
        return len({case for case, _ in self.found})

    @property
    def first(self) -> _Sight:
        return next(iter(self.found.values()))

    def only_in(self, places: Collection[tuple[str, int]]) -> bool:
        """Whether it fails nowhere else."""
        return all(place in places for place in self.found)

    def explained(self, shown: _Sight) -> Mapping[tuple[str, int], _Sight]:
        """What an example of this cause explains: the cases that have all its circumstances, too."""
        own = shown.circumstances
        if not shown.shrunk or not own:
            return self.found  # a case that is not shrunk has circumstances that do not matter
        return {place: one for place, one in self.found.items() if own <= one.circumstances}

    def without(self, shown: _Sight) -> _Group | None:
        """The group without the cases that the example explains."""
        explained = self.explained(shown)
        rest = {place: one for place, one in self.found.items() if place not in explained}
        return _Group(self.clause, self.cause, self.severity, rest, self.again + 1) if rest else None

    def together(self, lead: _Group, places: Collection[tuple[str, int]]) -> _Sight | None:
        """Where the group fails with the first of another: in its step, or for the same cause in a case that it explains; or at
        all, if it fails only in the ``places`` of the other."""
        shown = lead.first
        if shown.place in self.found:
            return self.found[shown.place]
        if lead.clause != self.clause and self.only_in(places):
            return self.first
        if (self.cause, self.severity) != (lead.cause, lead.severity):
            return None
        return next(iter(self.explained(shown).values()), None)


@final
class Failing:
    """The cases that fail, taken one after another."""

    def __init__(self) -> None:
        self._taken = 0
        self._found: list[tuple[Simplicity, list[tuple[_Kind, _Sight]]]] = []
        self._kinds: dict[_Kind, _Kind] = {}
        self._circumstances: dict[frozenset[str], frozenset[str]] = {}

    def take(self, case: RecordedCase) -> None:
        seen: dict[tuple[_Kind, int], _Sight] = {}
        for place, one in enumerate(case.violations):
            kind = one.clause, one.cause, one.severity
            if one.excused is None and (kind, one.step) not in seen:
                kind = self._kinds.setdefault(kind, kind)  # many cases fail alike: each text is kept once
                own = frozenset(one.circumstances)
                own = self._circumstances.setdefault(own, own)
                shrunk = case.origin == "shrunk"
                seen[kind, one.step] = _Sight(case.id, one.step, self._taken, place, shrunk, own)
        if seen:
            self._found.append((simplicity(case), [(kind, sight) for (kind, _), sight in seen.items()]))
        self._taken += 1

    def groups(self, own: Mapping[str, Severity]) -> list[_Group]:
        """The violations of these clauses, each with its severity, by clause, cause and severity."""
        found: dict[tuple[str, str, Severity], dict[tuple[str, int], _Sight]] = {}
        for _, sights in sorted(self._found, key=lambda one: one[0]):
            for (clause, cause, severity), sight in sights:
                if clause in own:
                    places = found.setdefault((clause, cause, severity or own[clause]), {})
                    places.setdefault(sight.place, sight)
        return [_Group(*kind, places) for kind, places in found.items()]


def failures(
    failing: Failing, header: Header, case_at: Callable[[int], RecordedCase], *, of: Collection[str]
) -> tuple[Failure, ...]:
    """The failures of these clauses, the gravest first. ``case_at``: the case that was taken at a place, from 0."""
    own = {clause.id: clause.severity for clause in header.clauses if clause.id in of}
    order = {clause: place for place, clause in enumerate(own)}
    waiting = failing.groups(own)
    numbers = dict.fromkeys(own, 0)
    shown: dict[int, RecordedCase] = {}
    found: list[Failure] = []

    def example(group: _Group, sight: _Sight) -> Example:
        if sight.number not in shown:
            shown[sight.number] = case_at(sight.number)
        case = shown[sight.number]
        violation = case.violations[sight.violation]
        case = case if violation.turn is None else replace(case, steps=case.steps_before(violation))
        return Example(group.clause, group.cause, group.severity, case, violation, group.cases)

    whole = {(one.clause, one.cause, one.severity): one.found.keys() for one in waiting}
    while waiting:
        group = min(waiting, key=lambda one: (*_attention(one), order[one.clause]))
        waiting.remove(group)
        if numbers[group.clause] >= EXAMPLES:
            continue
        places = whole[group.clause, group.cause, group.severity]
        together = [(one, sight) for one in waiting if (sight := one.together(group, places)) is not None]
        for one, sight in [(group, group.first), *together]:
            if one is not group:
                waiting.remove(one)
            numbers[one.clause] += 1
            rest = one.without(sight if sight.place == group.first.place else group.first)
            if rest is not None and (one is group or not one.only_in(places)):
                waiting.append(rest)
        others = tuple(
            sorted((example(*pair) for pair in together), key=lambda one: (one.severity.rank, order[one.clause]))
        )
        found.append(Failure(example(group, group.first), others))
    return tuple(found)


def examples(found: Iterable[Failure]) -> dict[str, list[Example]]:
    """The examples of each clause, the gravest first; each in another case."""
    chosen: dict[str, list[Example]] = {}
    for failure in found:
        for example in failure.examples:
            known = chosen.setdefault(example.clause, [])
            if all(example.judged.id != other.judged.id for other in known):
                known.append(example)
    for known in chosen.values():
        known.sort(key=lambda example: example.severity.rank)
    return chosen


def simplicity(case: RecordedCase) -> Simplicity:
    """The order in which cases are shown."""
    return (case.origin != "shrunk", len(case.steps), len(json.dumps(case.document)), sort_key(case))


def _attention(group: _Group) -> tuple[int, int, bool, int]:
    """The order in which groups are shown: the gravest first, then what fails in most cases."""
    return group.severity.rank, group.again, not group.clause.startswith(_PLAIN), -group.cases
