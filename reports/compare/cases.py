"""The judgements of two runs on the same cases: what fails on one side and not on the other, clause by clause, cause by cause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from model.vocabulary.severity import Severity
from reports.compare.acceptance import Accepted
from reports.deviations import Deviation
from reports.stream import Line


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
    fails, with the message of its violation in ``step``. ``entry``: the one of the user's file that accepts it, if the change
    is ACCEPTED; otherwise the one that accepted it until its end.
    """

    change: Change
    clause: str
    severity: Severity
    cause: str
    before: str
    case_ids: frozenset[str] = field(repr=False)
    case: Line = field(repr=False)
    step: int
    message: str
    entry: Deviation | None = None


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
    case: Line = field(repr=False)

    @property
    def is_new(self) -> bool:
        """Whether the candidate has it and the base does not."""
        return self.on_candidate and not self.on_base


def smallest(lines: Iterable[Line]) -> Line:
    """The case with the fewest steps, then the shortest JSON form, then the first id."""
    return min(lines, key=size)


def size(line: Line) -> tuple[int, int, str]:
    """The order by which a case is the smallest."""
    return len(line["case"]["steps"]), len(json.dumps(line["case"])), line["id"]


_NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class _Found:
    """A violation on one side, and what the other side has to do with it."""

    change: Change
    clause: str
    cause: str
    before: str
    line: Line
    violation: Line
    entry: Deviation | None = None

    @property
    def shift(self) -> tuple[object, ...]:
        """What those of the same shift have in common."""
        return self.change, self.clause, self.cause, self.before, self.entry


def shifts(
    pairs: Sequence[tuple[Line, Line]],
    alone: Iterable[Line],
    severities: Mapping[str, Severity],
    base: Side,
    candidate: Side,
    accepted: Accepted | None = None,
) -> tuple[Shift, ...]:
    """What the candidate's judgements change, the gravest first.

    ``alone``: cases that only the candidate judged, such as those made by shrinking: they count for clauses that fail in no
    other. A violation counts as compared where the other side judged the clause and the step: a violation ends a case. A known
    deviation is new on the candidate where the base was asked for the clause, and has no such entry.
    """
    found: dict[tuple[object, ...], list[_Found]] = {}
    for lines in pairs:
        for one in (*_worse(*lines, base, accepted), *_improved(*lines, candidate)):
            found.setdefault(one.shift, []).append(one)
    for one in _of_others(pairs, alone, accepted):
        found.setdefault(one.shift, []).append(one)
    made = [
        _shift(
            together,
            min((_severity(one.violation, severities) for one in together), key=lambda severity: severity.rank),
        )
        for together in found.values()
    ]
    return tuple(
        sorted(made, key=lambda one: (one.severity.rank, -len(one.case_ids), one.clause, one.cause, one.before))
    )


def _severity(violation: Line, severities: Mapping[str, Severity]) -> Severity:
    """That of the violation's cause; or else its clause's, which is the worst that a violation of it can be."""
    return Severity(violation.get("severity") or severities[violation["clause"]])


def _shift(together: Sequence[_Found], severity: Severity) -> Shift:
    first = min(together, key=lambda one: size(one.line))
    return Shift(
        first.change,
        first.clause,
        severity,
        first.cause,
        first.before,
        frozenset(one.line["id"] for one in together),
        first.line,
        first.violation["step"],
        first.violation["message"],
        first.entry,
    )


def _worse(base: Line, candidate: Line, side: Side, accepted: Accepted | None) -> Iterable[_Found]:
    """What the candidate violates in a case, and the base does not. ``side``: the base."""
    for clause in _violated(candidate):
        before, after = _Broken.of(base, clause), _Broken.of(candidate, clause)
        for cause, violations in after.causes.items():
            if cause in before.causes:
                continue
            compared = clause in side.judged and _reaches(base, violations[0]["step"])
            change = Change.REGRESSED if compared else Change.UNCOMPARED
            words = before.words if compared else _NOT_JUDGED
            yield from _found(change, clause, cause, words, candidate, violations, accepted)
        for reason, violations in after.excuses.items():
            # What the base fails for the same cause, known to nobody, it has too.
            new = [one for one in violations if one["cause"] not in before.causes]
            if not new or (clause, reason) in side.entries or clause not in side.asked:
                continue
            compared = clause in side.judged and _reaches(base, new[0]["step"])
            change = Change.KNOWN if compared else Change.UNCOMPARED
            words = before.words if compared else _NOT_JUDGED
            yield from _found(change, clause, reason, words, candidate, new, accepted)


def _found(
    change: Change,
    clause: str,
    cause: str,
    before: str,
    line: Line,
    violations: Sequence[Line],
    accepted: Accepted | None,
) -> Iterable[_Found]:
    """Of a clause's violations by one cause in a case, the first that is not accepted, and the first that each entry accepts."""
    firsts: dict[Deviation | None, Line] = {}
    for one in violations:
        firsts.setdefault(accepted.entry_for(line, one) if accepted else None, one)
    for entry, violation in firsts.items():
        if entry is not None:
            yield _Found(Change.ACCEPTED, clause, cause, before, line, violation, entry)
        else:
            over = accepted.ended_for(line, violation) if accepted else None
            yield _Found(change, clause, cause, before, line, violation, over)


def _improved(base: Line, candidate: Line, side: Side) -> Iterable[_Found]:
    """What the base violates in a case, and the candidate does not. ``side``: the candidate."""
    for clause in _violated(base):
        before, after = _Broken.of(base, clause), _Broken.of(candidate, clause)
        if after.causes or after.excuses or clause not in side.judged:
            continue
        gone = {reason: own for reason, own in before.excuses.items() if (clause, reason) not in side.entries}
        for cause, violations in (*before.causes.items(), *gone.items()):
            if _reaches(candidate, violations[0]["step"]):
                yield _Found(Change.IMPROVED, clause, cause, "holds", base, violations[0])


def _violated(line: Line) -> Iterable[str]:
    return dict.fromkeys(one["clause"] for one in line["violations"])


def _of_others(
    pairs: Iterable[tuple[Line, Line]], alone: Iterable[Line], accepted: Accepted | None
) -> Iterable[_Found]:
    failing = {clause for _, line in pairs for clause, result in line["clauses"].items() if result["verdict"] == "fail"}
    for line in alone:
        for clause in sorted({one["clause"] for one in line["violations"]} - failing):
            for cause, violations in _Broken.of(line, clause).causes.items():
                yield from _found(Change.UNCOMPARED, clause, cause, _NOT_JUDGED, line, violations, accepted)


@dataclass(frozen=True)
class _Broken:
    """The violations of a clause in a case, by their cause, and those that are known deviations by their reason."""

    causes: dict[str, list[Line]]
    excuses: dict[str, list[Line]]

    @classmethod
    def of(cls, line: Line, clause: str) -> _Broken:
        broken = cls({}, {})
        for one in line["violations"]:
            if one["clause"] == clause and one["excused"] is None:
                broken.causes.setdefault(one["cause"], []).append(one)
            elif one["clause"] == clause:
                broken.excuses.setdefault(one["excused"], []).append(one)
        return broken

    @property
    def words(self) -> str:
        """What this side did, for the other one's reader."""
        if self.causes:
            return f"failed for another cause: {', '.join(sorted(self.causes))}"
        return f"known deviation: {', '.join(sorted(self.excuses))}" if self.excuses else "held"


def _reaches(line: Line, step: int) -> bool:
    """Whether the case was judged up to this step."""
    return any(one["index"] >= step for one in line["steps"])


def known_faults(
    pairs: Iterable[tuple[Line, Line]], severities: Mapping[str, Severity], base: Side, candidate: Side
) -> tuple[KnownFault, ...]:
    """The known deviations that cases show: those that only the candidate has first, then the gravest."""
    found: dict[str, list[tuple[Line, Line]]] = {}
    for line in (line for pair in pairs for line in pair):
        for violation in line["violations"]:
            if violation["excused"] is not None:
                found.setdefault(violation["excused"], []).append((line, violation))
    had = [{reason for _, reason in side.entries} for side in (base, candidate)]
    made = [
        KnownFault(
            reason,
            min((_severity(violation, severities) for _, violation in places), key=lambda severity: severity.rank),
            tuple(sorted({violation["clause"] for _, violation in places})),
            reason in had[0],
            reason in had[1],
            frozenset(line["id"] for line, _ in places),
            smallest(line for line, _ in places),
        )
        for reason, places in found.items()
    ]
    order = {(False, True): 0, (True, True): 1, (True, False): 2}
    return tuple(sorted(made, key=lambda one: (order[one.on_base, one.on_candidate], one.severity.rank, one.reason)))
