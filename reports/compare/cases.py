"""The judgements of two runs on the same cases: what fails on one side and not on the other, clause by clause, cause by cause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import final

from model.vocabulary.severity import Severity
from records.run import JudgedCase, Verdict, Violation
from reports.compare.acceptance import Accepted
from reports.deviations import Deviation


class Change(str, Enum):
    """How a clause, in a case or in all of them, changed from the base to the candidate."""

    REGRESSED = "regressed"  # the candidate fails it, and the base does not, or for other causes
    UNCOMPARED = "fails on the candidate, not judged on the base"
    KNOWN = "known deviation, new on the candidate"  # the candidate has it, and the base does not
    ACCEPTED = "worse, and accepted"  # one of the three, in a way that the user's file accepts
    IMPROVED = "improved"  # the base fails it, the candidate does not
    CHANGED = "changed"  # another verdict, but none of these
    ONLY_BASE = "only in base"  # not judged on the candidate
    ONLY_CANDIDATE = "only in candidate"  # not judged on the base
    SAME = "same"


@dataclass(frozen=True)
class Shift:
    """A clause that fails in some cases on one side, always for the same cause, and not on the other.

    ``cause``: of a known deviation its reason. ``before``: what the other side did. ``case``: the smallest, from the side that
    fails, with the message of its violation in ``step``. ``accepted``: the entry of the user's file that accepts it, if the
    change is ACCEPTED; ``ended``: otherwise the one that accepted it until its end.
    """

    change: Change
    clause: str
    severity: Severity
    cause: str
    before: str
    case_ids: frozenset[str] = field(repr=False)
    case: JudgedCase = field(repr=False)
    step: int
    message: str
    accepted: Deviation | None = None
    ended: Deviation | None = None


#: A clause, and the reason of a known deviation of it.
Entry = tuple[str, str]


@dataclass(frozen=True)
class Side:
    """What a run was asked and knows: the clauses that it was asked for, those of them that it judged, and the known deviations
    of its version, whether its cases show them or not."""

    asked: frozenset[str]
    judged: frozenset[str]
    entries: frozenset[Entry]


@dataclass(frozen=True)
class KnownFault:
    """A known deviation that violates clauses on a side: its reason, with its most severe clause's severity.

    ``on_base``, ``on_candidate``: whether the version has it, be it that a case shows it or that it is listed for the version.
    """

    reason: str
    severity: Severity
    clauses: tuple[str, ...]
    on_base: bool
    on_candidate: bool
    case_ids: frozenset[str] = field(repr=False)
    case: JudgedCase = field(repr=False)

    @property
    def is_new(self) -> bool:
        """Whether the candidate has it and the base does not."""
        return self.on_candidate and not self.on_base


#: The order by which a case is the smallest: the fewest steps, then the shortest JSON form, then the first id.
Size = tuple[int, int, str]


def size(case: JudgedCase) -> Size:
    return len(case.document["steps"]), len(json.dumps(case.document)), case.id


_NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class _Kind:
    """What the violations of one shift have in common."""

    change: Change
    clause: str
    cause: str
    before: str
    accepted: Deviation | None = None
    ended: Deviation | None = None


#: A violation on one side, what it has to do with the other side, and the case.
_Found = tuple[_Kind, JudgedCase, Violation]


class _Cases:
    """The cases with violations of one kind: of each its id, and the smallest with its first violation."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.clauses: set[str] = set()
        self.severities: set[Severity] = set()
        self._smallest: tuple[Size, JudgedCase, Violation] | None = None

    def add(self, case: JudgedCase, violation: Violation, severity: Severity) -> None:
        self.ids.add(case.id)
        self.clauses.add(violation.clause)
        self.severities.add(severity)
        own = size(case)
        if self._smallest is None or own < self._smallest[0]:
            self._smallest = own, case, violation

    @property
    def smallest(self) -> tuple[JudgedCase, Violation]:
        assert self._smallest is not None
        return self._smallest[1:]

    @property
    def severity(self) -> Severity:
        """The gravest."""
        return min(self.severities, key=lambda one: one.rank)


@final
class Judgements:
    """What two runs judge of the same cases, taken pair after pair. ``severities``: of each clause.

    A violation counts as compared where the other side judged the clause and the step: a violation ends a case. A known
    deviation is new on the candidate where the base was asked for the clause, and has no such entry.
    """

    def __init__(
        self,
        severities: Mapping[str, Severity],
        base: Side,
        candidate: Side,
        accepted: Accepted | None = None,
    ) -> None:
        self._severities = severities
        self._sides = base, candidate
        self._accepted = accepted
        self._shifts: dict[_Kind, _Cases] = {}
        self._known: dict[str, _Cases] = {}
        self._failing: set[str] = set()

    def take(self, base: JudgedCase, candidate: JudgedCase) -> None:
        """Take a case of both sides."""
        self._add(_worse(base, candidate, self._sides[0], self._accepted))
        self._add(_improved(base, candidate, self._sides[1]))
        self._failing |= {name for name, result in candidate.clauses.items() if result.verdict is Verdict.FAIL}
        for case in (base, candidate):
            for one in case.violations:
                if one.excused is not None:
                    self._known.setdefault(one.excused, _Cases()).add(case, one, self._severity(one))

    def take_alone(self, case: JudgedCase) -> None:
        """After all pairs, take a case that only the candidate judged, such as one made by shrinking: it counts for clauses that
        fail in no pair."""
        for clause in sorted({one.clause for one in case.violations} - self._failing):
            for cause, violations in _Broken.of(case, clause).causes.items():
                self._add(_found(Change.UNCOMPARED, clause, cause, _NOT_JUDGED, case, violations, self._accepted))

    def _add(self, found: Iterable[_Found]) -> None:
        for kind, case, violation in found:
            self._shifts.setdefault(kind, _Cases()).add(case, violation, self._severity(violation))

    def _severity(self, violation: Violation) -> Severity:
        """That of the violation's cause; or else its clause's, which is the worst that a violation of it can be."""
        return violation.severity or self._severities[violation.clause]

    def shifts(self) -> tuple[Shift, ...]:
        """What the candidate's judgements change, the gravest first."""
        made = [_shift(kind, cases) for kind, cases in self._shifts.items()]
        return tuple(
            sorted(made, key=lambda one: (one.severity.rank, -len(one.case_ids), one.clause, one.cause, one.before))
        )

    def known_faults(self) -> tuple[KnownFault, ...]:
        """The known deviations that cases show: those that only the candidate has first, then the gravest."""
        had = [{reason for _, reason in side.entries} for side in self._sides]
        made = [
            KnownFault(
                reason,
                cases.severity,
                tuple(sorted(cases.clauses)),
                reason in had[0],
                reason in had[1],
                frozenset(cases.ids),
                cases.smallest[0],
            )
            for reason, cases in self._known.items()
        ]
        order = {(False, True): 0, (True, True): 1, (True, False): 2}
        return tuple(
            sorted(made, key=lambda one: (order[one.on_base, one.on_candidate], one.severity.rank, one.reason))
        )


def _shift(kind: _Kind, cases: _Cases) -> Shift:
    case, violation = cases.smallest
    return Shift(
        kind.change,
        kind.clause,
        cases.severity,
        kind.cause,
        kind.before,
        frozenset(cases.ids),
        case,
        violation.step,
        violation.message,
        kind.accepted,
        kind.ended,
    )


def _worse(base: JudgedCase, candidate: JudgedCase, side: Side, accepted: Accepted | None) -> Iterable[_Found]:
    """What the candidate violates in a case, and the base does not. ``side``: the base."""
    for clause in _violated(candidate):
        before, after = _Broken.of(base, clause), _Broken.of(candidate, clause)
        new = [(Change.REGRESSED, cause, own) for cause, own in after.causes.items() if cause not in before.causes]
        for reason, violations in after.excuses.items():
            # What the base fails for the same cause, known to nobody, it has too.
            own = [one for one in violations if one.cause not in before.causes]
            if own and (clause, reason) not in side.entries and clause in side.asked:
                new.append((Change.KNOWN, reason, own))
        for change, cause, violations in new:
            if clause in side.judged and _reaches(base, violations[0].step):
                yield from _found(change, clause, cause, before.words, candidate, violations, accepted)
            else:
                yield from _found(Change.UNCOMPARED, clause, cause, _NOT_JUDGED, candidate, violations, accepted)


def _found(
    change: Change,
    clause: str,
    cause: str,
    before: str,
    case: JudgedCase,
    violations: Sequence[Violation],
    accepted: Accepted | None,
) -> Iterable[_Found]:
    """Of a clause's violations by one cause in a case, the first that is not accepted, and the first that each entry accepts."""
    firsts: dict[Deviation | None, Violation] = {}
    for one in violations:
        firsts.setdefault(accepted.entry_for(case, one) if accepted else None, one)
    for entry, violation in firsts.items():
        if entry is not None:
            yield _Kind(Change.ACCEPTED, clause, cause, before, accepted=entry), case, violation
        else:
            ended = accepted.ended_for(case, violation) if accepted else None
            yield _Kind(change, clause, cause, before, ended=ended), case, violation


def _improved(base: JudgedCase, candidate: JudgedCase, side: Side) -> Iterable[_Found]:
    """What the base violates in a case, and the candidate does not. ``side``: the candidate."""
    for clause in _violated(base):
        before, after = _Broken.of(base, clause), _Broken.of(candidate, clause)
        if after.causes or after.excuses or clause not in side.judged:
            continue
        gone = {reason: own for reason, own in before.excuses.items() if (clause, reason) not in side.entries}
        for cause, violations in (*before.causes.items(), *gone.items()):
            if _reaches(candidate, violations[0].step):
                yield _Kind(Change.IMPROVED, clause, cause, "holds"), base, violations[0]


def _violated(case: JudgedCase) -> Iterable[str]:
    return dict.fromkeys(one.clause for one in case.violations)


@dataclass(frozen=True)
class _Broken:
    """The violations of a clause in a case, by their cause, and those that are known deviations by their reason."""

    causes: dict[str, list[Violation]]
    excuses: dict[str, list[Violation]]

    @classmethod
    def of(cls, case: JudgedCase, clause: str) -> _Broken:
        broken = cls({}, {})
        for one in case.violations:
            if one.clause == clause and one.excused is None:
                broken.causes.setdefault(one.cause, []).append(one)
            elif one.clause == clause and one.excused is not None:
                broken.excuses.setdefault(one.excused, []).append(one)
        return broken

    @property
    def words(self) -> str:
        """What this side did, for the other one's reader."""
        if self.causes:
            return f"failed for another cause: {', '.join(sorted(self.causes))}"
        return f"known deviation: {', '.join(sorted(self.excuses))}" if self.excuses else "held"


def _reaches(case: JudgedCase, step: int) -> bool:
    """Whether the case was judged up to this step."""
    return any(one.index >= step for one in case.steps)
