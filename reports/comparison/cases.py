"""The judgements of two runs on the same cases: what fails on one side and not on the other, clause by clause, cause by
cause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Generic, TypeVar, final

from model.vocabulary.severity import Severity, gravest
from records.known_fault import KnownFault, Symptom
from records.run import RecordedCase, RecordedViolation, Verdict
from reports.comparison.acceptance import AcceptedEntries, covering, error_of
from reports.findings.reach import Reaching
from shapes.reach import Reached

T = TypeVar("T")


class VerdictChange(str, Enum):
    """How a clause, in a case or in all of them, changed from the base to the candidate."""

    REGRESSED = "regressed"  # the candidate fails it, and the base does not, or for other causes
    UNCOMPARED = "fails on the candidate, not judged on the base"
    KNOWN = "known fault, new on the candidate"  # the candidate has it, and the base does not
    ACCEPTED = "worse, and accepted"  # one of the three, in a way that the user's file accepts
    WITHDRAWN = "withdrawn"  # the base promises and keeps it, the candidate does not promise it
    IMPROVED = "improved"  # the base fails it, the candidate does not
    CHANGED = "changed"  # another verdict, but none of these
    ONLY_BASE = "only in base"  # not judged on the candidate
    ONLY_CANDIDATE = "only in candidate"  # not judged on the base
    SAME = "same"


@dataclass(frozen=True)
class ClauseShift:
    """A clause that fails in some cases on one side, always with the same cause, and not on the other. ``cause``: of a known
    fault (``known``) its reason. ``symptom``: how an entry describes its violations. ``before``: what the other side did.
    ``case``: the smallest, from the side that fails, with the message of its violation in ``step``; ``opposite``: the same of
    the other side, if it judged the case. ``reached``: whom it can meet. ``accepted``: the entry of the user's file that accepts
    it, if the change is ACCEPTED; ``ended``: the entry that accepted it until its end.
    """

    change: VerdictChange
    clause: str
    severity: Severity
    cause: str
    before: str
    case_ids: frozenset[str] = field(repr=False)
    case: RecordedCase = field(repr=False)
    opposite: RecordedCase | None = field(repr=False)
    step: int
    message: str
    symptom: Symptom
    reached: Reached
    known: bool = False
    accepted: KnownFault | None = None
    ended: KnownFault | None = None


#: A clause, and the reason of a known fault of it.
FaultEntry = tuple[str, str]


@dataclass(frozen=True)
class ComparedSide:
    """What a run was asked and knows: the requested clauses, those that it judged, and the known faults of its version, whether
    or not its cases show them. ``reaches``: whom these can meet, by their reasons.
    """

    asked: frozenset[str]
    judged: frozenset[str]
    entries: frozenset[FaultEntry]
    reaches: Mapping[str, Reached] = field(default_factory=dict)


@dataclass(frozen=True)
class ComparedFault:
    """A known fault that violates clauses on a side: its reason, with the severity of its gravest clause, and whom it can meet.
    ``on_base``, ``on_candidate``: whether a case of the version shows it, or its header lists it.
    """

    reason: str
    severity: Severity
    clauses: tuple[str, ...]
    on_base: bool
    on_candidate: bool
    case_ids: frozenset[str] = field(repr=False)
    case: RecordedCase = field(repr=False)
    reached: Reached


def size(case: RecordedCase) -> tuple[int, int, str]:
    """Sorts the smallest case first: the fewest steps, then the shortest JSON form, then the first id."""
    return len(case.document["steps"]), len(json.dumps(case.document)), case.id


class CaseGroup(Generic[T]):
    """Cases with something in common: their ids, and the smallest case. The others are not kept."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._smallest: tuple[tuple[int, int, str], T] | None = None

    def add(self, case: RecordedCase, shown: T) -> None:
        self._ids.add(case.id)
        own = size(case)
        if self._smallest is None or own < self._smallest[0]:
            self._smallest = own, shown

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(self._ids)

    @property
    def shown(self) -> T:
        assert self._smallest is not None
        return self._smallest[1]


#: A case of one side, and the same of the other if that judged it.
_Sides = tuple[RecordedCase, "RecordedCase | None"]


class _Violating(CaseGroup[tuple[_Sides, RecordedViolation]]):
    """Cases with violations of one kind, and the first violation of the smallest."""

    def __init__(self) -> None:
        super().__init__()
        self.reaching = Reaching()
        self.clauses: set[str] = set()
        self._severities: set[Severity] = set()
        self._causes: set[str] = set()
        self._errors: set[str | None] = set()  # None: of a violation that is no error

    def take(self, sides: _Sides, violation: RecordedViolation, severity: Severity) -> None:
        self.add(sides[0], (sides, violation))
        self.reaching.take(sides[0])
        self.clauses.add(violation.clause)
        self._severities.add(severity)
        self._causes.add(violation.cause)
        error = error_of(sides[0], violation.step) if violation.by_error else None
        self._errors.add(None if error is None else error.condition or error.exception)

    @property
    def symptom(self) -> Symptom:
        """The symptom of all of these violations, for an entry: their causes, and their errors if all are errors."""
        errors = () if None in self._errors else tuple(sorted(str(one) for one in self._errors))
        return Symptom(tuple(sorted(self._causes)), errors)

    @property
    def severity(self) -> Severity:
        return gravest(self._severities)


_NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class _Kind:
    """The common properties of the violations of one shift."""

    change: VerdictChange
    clause: str
    cause: str
    before: str
    known: bool = False
    accepted: KnownFault | None = None
    ended: KnownFault | None = None


@final
class Judgements:
    """The judgements of two runs on the same cases, taken pair after pair. ``severities``: of each clause. A violation counts
    as compared if the other side judged the clause and the step: a violation ends a case. A known fault is new on the candidate
    if the base was asked for the clause, and has no such entry.
    """

    def __init__(
        self, severities: Mapping[str, Severity], base: ComparedSide, candidate: ComparedSide, accepted: AcceptedEntries
    ) -> None:
        self._severities = severities
        self._sides = base, candidate
        self._accepted = accepted
        self._shifts: dict[_Kind, _Violating] = {}
        self._known: dict[str, _Violating] = {}
        self._failing: set[str] = set()

    def take(self, base: RecordedCase, candidate: RecordedCase) -> None:
        """Take a case of both sides."""
        before, after = _broken(base), _broken(candidate)
        for kind, violations in _worse(before, after, base, self._sides[0]):
            self._add_worse(kind, (candidate, base), violations)
        for kind, violations in _improved(before, after, candidate, self._sides[1]):
            self._add(kind, (base, candidate), violations[0])
        self._failing |= {name for name, result in candidate.clauses.items() if result.verdict is Verdict.FAILS}
        for sides in ((base, candidate), (candidate, base)):
            for one in sides[0].violations:
                if one.excused is not None:
                    self._known.setdefault(one.excused, _Violating()).take(sides, one, self._severity(one))

    def take_alone(self, case: RecordedCase) -> None:
        """After all pairs, take a case that only the candidate judged, such as one made by shrinking: it counts for clauses
        that fail in no pair."""
        for clause, broken in sorted(_broken(case).items()):
            for cause, violations in broken.causes.items() if clause not in self._failing else ():
                self._add_worse(_Kind(VerdictChange.UNCOMPARED, clause, cause, _NOT_JUDGED), (case, None), violations)

    def _add_worse(self, kind: _Kind, sides: _Sides, violations: Sequence[RecordedViolation]) -> None:
        """The first violation in a case that is not accepted, and the first that each entry accepts."""
        firsts: dict[KnownFault | None, RecordedViolation] = {}
        for one in violations:
            firsts.setdefault(covering(self._accepted.current, sides[0], one), one)
        for entry, violation in firsts.items():
            if entry is not None:
                self._add(replace(kind, change=VerdictChange.ACCEPTED, accepted=entry), sides, violation)
            else:
                ended = covering(self._accepted.past, sides[0], violation)
                self._add(replace(kind, ended=ended), sides, violation)

    def _add(self, kind: _Kind, sides: _Sides, violation: RecordedViolation) -> None:
        self._shifts.setdefault(kind, _Violating()).take(sides, violation, self._severity(violation))

    def _severity(self, violation: RecordedViolation) -> Severity:
        """That of the violation's cause, else the clause's, which is its worst."""
        return violation.severity or self._severities[violation.clause]

    def shifts(self) -> tuple[ClauseShift, ...]:
        """What the candidate's judgements change, the gravest first."""
        made = []
        for kind, cases in self._shifts.items():
            (case, opposite), first = cases.shown
            own: dict[str, Any] = {"case": case, "opposite": opposite, "step": first.step, "message": first.message}
            own |= {"symptom": cases.symptom, "severity": cases.severity, "case_ids": cases.ids}
            side = self._sides[kind.change is not VerdictChange.IMPROVED]
            own["reached"] = cases.reaching.reached(side.reaches, kind.cause if kind.known else None)
            made.append(ClauseShift(**vars(kind), **own))
        return tuple(
            sorted(
                made,
                key=lambda one: (
                    *(one.severity.rank, one.reached.place, -len(one.case_ids)),
                    *(one.clause, one.cause, one.before),
                ),
            )
        )

    def known_faults(self) -> tuple[ComparedFault, ...]:
        """The known faults that cases show: those that only the candidate has first, then the gravest."""
        base, candidate = ({reason for _, reason in side.entries} for side in self._sides)
        reaches = {**self._sides[0].reaches, **self._sides[1].reaches}
        made = []
        for reason, cases in self._known.items():
            had, clauses = (reason in base, reason in candidate), tuple(sorted(cases.clauses))
            reached = cases.reaching.reached(reaches, reason)
            made.append(ComparedFault(reason, cases.severity, clauses, *had, cases.ids, cases.shown[0][0], reached))
        order = {(False, True): 0, (True, True): 1, (True, False): 2}
        return tuple(
            sorted(
                made,
                key=lambda one: (
                    order[one.on_base, one.on_candidate],
                    one.severity.rank,
                    one.reached.place,
                    one.reason,
                ),
            )
        )


@dataclass(frozen=True)
class _Broken:
    """The violations of a clause in a case, by their cause, and those that are known faults by their reason."""

    causes: dict[str, list[RecordedViolation]] = field(default_factory=dict)
    excuses: dict[str, list[RecordedViolation]] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """What this side did, for the other one's reader."""
        if self.causes:
            return f"failed in another way: {', '.join(sorted(self.causes))}"
        return f"known fault: {', '.join(sorted(self.excuses))}" if self.excuses else "held"


def _broken(case: RecordedCase) -> dict[str, _Broken]:
    """The violations of a case, by clause."""
    found: dict[str, _Broken] = {}
    for one in case.violations:
        of_clause = found.setdefault(one.clause, _Broken())
        of_kind = of_clause.causes if one.excused is None else of_clause.excuses
        of_kind.setdefault(one.cause if one.excused is None else one.excused, []).append(one)
    return found


_Found = Iterable[tuple[_Kind, Sequence[RecordedViolation]]]


def _worse(
    before: Mapping[str, _Broken], after: Mapping[str, _Broken], base: RecordedCase, side: ComparedSide
) -> _Found:
    """The violations of the candidate in a case that the base does not have. ``side``: the base."""
    for clause, broken in after.items():
        had = before.get(clause, _Broken())
        new = [(VerdictChange.REGRESSED, cause, own) for cause, own in broken.causes.items() if cause not in had.causes]
        for reason, violations in broken.excuses.items():
            # What the base fails for the same cause, known to nobody, it has too.
            own = [one for one in violations if one.cause not in had.causes]
            if own and (clause, reason) not in side.entries and clause in side.asked:
                new.append((VerdictChange.KNOWN, reason, own))
        for change, cause, violations in new:
            if clause in side.judged and _reaches(base, violations[0].step):
                yield _Kind(change, clause, cause, had.words, known=change is VerdictChange.KNOWN), violations
            else:
                known = change is VerdictChange.KNOWN
                yield _Kind(VerdictChange.UNCOMPARED, clause, cause, _NOT_JUDGED, known=known), violations


def _improved(
    before: Mapping[str, _Broken], after: Mapping[str, _Broken], candidate: RecordedCase, side: ComparedSide
) -> _Found:
    """The violations of the base in a case that the candidate does not have. ``side``: the candidate."""
    for clause, broken in before.items():
        if clause in after or clause not in side.judged:
            continue
        gone = {reason: own for reason, own in broken.excuses.items() if (clause, reason) not in side.entries}
        found = [(False, *one) for one in broken.causes.items()] + [(True, *one) for one in gone.items()]
        for known, cause, violations in found:
            if _reaches(candidate, violations[0].step):
                yield _Kind(VerdictChange.IMPROVED, clause, cause, "holds", known=known), violations


def _reaches(case: RecordedCase, step: int) -> bool:
    """Whether the case was judged up to this step."""
    return any(one.index >= step for one in case.steps)
