"""The judgements of two runs on the same cases: what fails on one side and not on the other, clause by clause, cause by cause."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from reports.failures import rank_of
from reports.stream import Line

#: What a user loses by a known deviation, by its severity.
_WORDS: Mapping[str, str] = {
    "data loss": "known to lose data",
    "wrong answers": "known to give wrong answers",
    "unreadable": "known to leave tables unreadable",
    "space kept": "known to keep space",
    "wrong numbers": "known to report wrong numbers",
    "wrong words": "known to use other words",
}


class Change(str, Enum):
    """How a clause, in a case or in all of them, changed from the base to the candidate."""

    REGRESSED = "regressed"  # the candidate fails it, and the base does not, or for other causes
    UNCOMPARED = "fails on the candidate, not judged on the base"
    KNOWN = "known deviation, new on the candidate"
    IMPROVED = "improved"  # the base fails it, the candidate does not
    CHANGED = "changed"  # another verdict, but none of these
    ONLY_BASE = "only in base"  # not judged on the candidate
    ONLY_CANDIDATE = "only in candidate"  # not judged on the base
    SAME = "same"


@dataclass(frozen=True)
class Shift:
    """A clause that fails in some cases on one side, always for the same cause, and not on the other.

    ``cause``: of a known deviation its reason. ``before``: what the other side did. ``case``: the smallest, from the side that
    fails, with the message of its violation in ``step``.
    """

    change: Change
    clause: str
    severity: str
    cause: str
    before: str
    case_ids: frozenset[str] = field(repr=False)
    case: Line = field(repr=False)
    step: int
    message: str


@dataclass(frozen=True)
class KnownFault:
    """A known deviation that violates clauses on a side: its reason, with its most severe clause's severity."""

    reason: str
    severity: str
    clauses: tuple[str, ...]
    on_base: bool
    on_candidate: bool
    case_ids: frozenset[str] = field(repr=False)
    case: Line = field(repr=False)

    @property
    def is_new(self) -> bool:
        """Whether the candidate has it and the base does not."""
        return self.on_candidate and not self.on_base

    @property
    def words(self) -> str:
        """``known to lose data``."""
        return _WORDS[self.severity]


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


def shifts(
    pairs: Sequence[tuple[Line, Line]],
    alone: Iterable[Line],
    severities: Mapping[str, str],
    judged: tuple[frozenset[str], frozenset[str]],
) -> tuple[Shift, ...]:
    """What the candidate's judgements change, the gravest first.

    ``alone``: cases that only the candidate judged, such as those made by shrinking: they count for clauses that fail in no
    other. ``judged``: the clauses that were judged on the base and on the candidate. A violation counts as compared where the
    other side judged the clause and the step: a violation ends a case.
    """
    found: dict[tuple[Change, str, str, str], list[_Found]] = {}
    for one in (*(one for pair in pairs for one in _of_case(*pair, judged)), *_of_others(pairs, alone)):
        found.setdefault((one.change, one.clause, one.cause, one.before), []).append(one)
    made = [
        _shift(together, min((_severity(one.violation, severities) for one in together), key=rank_of))
        for together in found.values()
    ]
    return tuple(
        sorted(made, key=lambda one: (rank_of(one.severity), -len(one.case_ids), one.clause, one.cause, one.before))
    )


def _severity(violation: Line, severities: Mapping[str, str]) -> str:
    """That of the violation's cause; or else its clause's, which is the worst that a violation of it can be."""
    return violation.get("severity") or severities[violation["clause"]]


def _shift(together: Sequence[_Found], severity: str) -> Shift:
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
    )


def _of_case(base: Line, candidate: Line, judged: tuple[frozenset[str], frozenset[str]]) -> Iterable[_Found]:
    for clause in dict.fromkeys(one["clause"] for line in (base, candidate) for one in line["violations"]):
        before, after = _Broken.of(base, clause), _Broken.of(candidate, clause)
        for cause, violation in after.causes.items():
            if cause in before.causes:
                continue
            compared = clause in judged[0] and _reaches(base, violation["step"])
            change = Change.REGRESSED if compared else Change.UNCOMPARED
            yield _Found(change, clause, cause, before.words if compared else _NOT_JUDGED, candidate, violation)
        for reason, violation in after.excuses.items():
            compared = clause in judged[0] and _reaches(base, violation["step"])
            if compared and not before.causes and reason not in before.excuses:
                yield _Found(Change.KNOWN, clause, reason, before.words, candidate, violation)
        if after.causes or after.excuses:
            continue
        for cause, violation in (*before.causes.items(), *before.excuses.items()):
            if clause in judged[1] and _reaches(candidate, violation["step"]):
                yield _Found(Change.IMPROVED, clause, cause, "holds", base, violation)


def _of_others(pairs: Iterable[tuple[Line, Line]], alone: Iterable[Line]) -> Iterable[_Found]:
    failing = {clause for _, line in pairs for clause, result in line["clauses"].items() if result["verdict"] == "fail"}
    for line in alone:
        for clause in sorted({one["clause"] for one in line["violations"]} - failing):
            for cause, violation in _Broken.of(line, clause).causes.items():
                yield _Found(Change.UNCOMPARED, clause, cause, _NOT_JUDGED, line, violation)


@dataclass(frozen=True)
class _Broken:
    """The violations of a clause in a case, one for each cause, and one for each reason of a known deviation."""

    causes: dict[str, Line]
    excuses: dict[str, Line]

    @classmethod
    def of(cls, line: Line, clause: str) -> _Broken:
        own = [one for one in reversed(line["violations"]) if one["clause"] == clause]
        return cls(
            {one["cause"]: one for one in own if one["excused"] is None},
            {one["excused"]: one for one in own if one["excused"] is not None},
        )

    @property
    def words(self) -> str:
        """What this side did, for the other one's reader."""
        if self.causes:
            return f"failed for another cause: {', '.join(sorted(self.causes))}"
        return f"known deviation: {', '.join(sorted(self.excuses))}" if self.excuses else "held"


def _reaches(line: Line, step: int) -> bool:
    """Whether the case was judged up to this step."""
    return any(one["index"] >= step for one in line["steps"])


def known_faults(pairs: Iterable[tuple[Line, Line]], severities: Mapping[str, str]) -> tuple[KnownFault, ...]:
    """The known deviations that either side has: those that only the candidate has first, then the gravest."""
    found: dict[str, list[tuple[int, Line, Line]]] = {}
    for pair in pairs:
        for side, line in enumerate(pair):
            for violation in line["violations"]:
                if violation["excused"] is not None:
                    found.setdefault(violation["excused"], []).append((side, line, violation))
    made = [
        KnownFault(
            reason,
            min((_severity(violation, severities) for _, _, violation in places), key=rank_of),
            tuple(sorted({violation["clause"] for _, _, violation in places})),
            any(side == 0 for side, _, _ in places),
            any(side == 1 for side, _, _ in places),
            frozenset(line["id"] for _, line, _ in places),
            smallest(line for _, line, _ in places),
        )
        for reason, places in found.items()
    ]
    order = {(False, True): 0, (True, True): 1, (True, False): 2}
    return tuple(
        sorted(made, key=lambda one: (order[one.on_base, one.on_candidate], rank_of(one.severity), one.reason))
    )
