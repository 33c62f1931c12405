"""The comparison of two runs of the same cases: clause by clause, and what the engines did differently."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from reports.compare.commands import Command, command_of
from reports.compare.differences import Difference, deletion_order_differs, differences
from reports.compare.known_changes import Knowledge, KnownChange, knowledge
from reports.quantities import counted
from reports.stream import Line, Run
from reports.verdicts import ClauseResult, Verdict, results_of


class Incomparable(Exception):
    """The two runs cannot be compared. The text is one sentence."""


class Change(str, Enum):
    """How a clause's verdict changed from the base to the candidate."""

    REGRESSED = "regressed"  # holds in the base, violated in the candidate
    IMPROVED = "improved"  # violated in the base, holds in the candidate
    CHANGED = "changed"  # another verdict, but neither of these
    ONLY_BASE = "only in base"  # not judged on the candidate
    ONLY_CANDIDATE = "only in candidate"  # not judged on the base
    SAME = "same"


#: A stale clause passes, though it is listed as a known deviation.
_HOLDS = (Verdict.PASS, Verdict.STALE)
_VIOLATED = (Verdict.FAIL, Verdict.XFAIL)
_NOT_JUDGED = (Verdict.UNSUPPORTED, Verdict.DISABLED)


@dataclass(frozen=True)
class ClauseChange:
    """A clause on both sides. A side is None where its run does not list the clause.

    ``reason``: why it is judged on one side only. ``case``: an example, if a side violates the clause.
    """

    clause: str
    sentence: str
    change: Change
    base: ClauseResult | None
    candidate: ClauseResult | None
    reason: str = ""
    case: Line | None = field(default=None, repr=False)
    message: str = ""


@dataclass(frozen=True)
class Group:
    """Differences of one command in the same steps of the same cases: one change with several effects.

    ``base`` and ``candidate`` are the lines of the smallest of its cases, ``step`` its first step with these differences. It
    is None if the case was not judged on one side.
    """

    differences: tuple[Difference, ...]
    known: KnownChange | None
    case_ids: frozenset[str] = field(repr=False)
    steps: int
    step: int | None
    base: Line = field(repr=False)
    candidate: Line = field(repr=False)

    @property
    def cases(self) -> int:
        """How many cases have them."""
        return len(self.case_ids)

    @property
    def subject(self) -> str:
        """The command, in words."""
        return self.differences[0].command.text

    def step_of(self, line: Line) -> Line | None:
        """The record of the step to show in the case's line of one side."""
        return next((step for step in line["steps"] if step["index"] == self.step), None)


@dataclass(frozen=True)
class Comparison:
    """Two runs of the same cases. ``groups``: the unexplained first, then the known, each by their number of cases.

    ``compared`` and ``steps`` count the compared cases and steps: a case is compared up to the step after which its
    tables differ. ``diverged`` counts the cases where they do, ``differing`` those with any difference, ``cut_short``
    those without one of which a side judged fewer steps, since a violation ended the case.
    """

    base: Run = field(repr=False)
    candidate: Run = field(repr=False)
    clauses: tuple[ClauseChange, ...]
    groups: tuple[Group, ...]
    compared: int
    steps: int
    differing: int
    diverged: int
    cut_short: int

    def of(self, *changes: Change) -> tuple[ClauseChange, ...]:
        """The clauses with one of these changes."""
        return tuple(clause for clause in self.clauses if clause.change in changes)

    @property
    def known(self) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if group.known is not None)

    @property
    def unexplained(self) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if group.known is None)

    @property
    def exit(self) -> int:
        """1 if a clause regressed, else 0."""
        return 1 if self.of(Change.REGRESSED) else 0


def engine_of(run: Run) -> tuple[str, str]:
    """The engine's name and version (the first in the header; empty if there is none)."""
    return run.header["engine"], next(iter(run.header["versions"].values()), "")


def compare(base: Run, candidate: Run) -> Comparison:
    """Compare two complete runs. Raises Incomparable if they judged different cases.

    Only generated cases count: those made by shrinking depend on what failed.
    """
    pairs = _same_cases(base, candidate)
    walk = _Walk(knowledge(engine_of(base), engine_of(candidate)))
    for lines in pairs:
        walk.take(*lines)
    return Comparison(
        base=base,
        candidate=candidate,
        clauses=tuple(_clauses(base, candidate)),
        groups=walk.groups(),
        compared=len(pairs),
        steps=walk.steps,
        differing=walk.differing,
        diverged=walk.diverged,
        cut_short=walk.cut_short,
    )


# The same cases -----------------------------------------------------------------------------------------------------------


def _same_cases(base: Run, candidate: Run) -> list[tuple[Line, Line]]:
    """Each case that both runs judged, once."""
    one, other = _drawn(base), _drawn(candidate)
    if not one and not other:
        raise Incomparable("Neither run judged any case: there is nothing to compare.")
    only = [[id for id in mine if id not in theirs] for mine, theirs in ((one, other), (other, one))]
    if only[0] or only[1]:
        first = (only[0] or only[1])[0]
        campaign = (one if only[0] else other)[first]["campaign"]
        raise Incomparable(
            f"The runs judged different cases: {len(only[0])} of {counted(len(one), 'case')} are in the base only and "
            f"{len(only[1])} of {len(other)} in the candidate only, the first being {first} of {campaign}"
            f"{_why(base, candidate)}: run both with the same cases."
        )
    pairs = [(line, other[id]) for id, line in one.items()]
    for mine, theirs in pairs:
        texts = [{step["index"]: step["text"] for step in line["steps"]} for line in (mine, theirs)]
        differing = [index for index in texts[0] if texts[1].get(index, texts[0][index]) != texts[0][index]]
        if differing or mine["case"] != theirs["case"]:
            where = f"in step {differing[0]}" if differing else "in its JSON form"
            raise Incomparable(
                f"Case {mine['id']} is not the same in both runs ({where}), though its id is: different releases of the suite "
                "wrote them, so run both with one."
            )
    return pairs


def _drawn(run: Run) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for case in run.cases:  # sorted, so of a case drawn twice both sides use the same line
        if case["origin"] == "generated":
            found.setdefault(case["id"], case)
    return found


def _why(base: Run, candidate: Run) -> str:
    """The differences of the headers that explain why the cases differ."""
    reasons = []
    for name in ("profile", "part", "seed"):
        one, other = base.header.get(name, 1), candidate.header.get(name, 1)
        if one != other:
            reasons.append(f"{name} {one} and {other}")
    versions = [run.header["versions"].get("hypothesis") for run in (base, candidate)]
    if versions[0] != versions[1]:
        reasons.append(f"Hypothesis {versions[0]} and {versions[1]}")
    if base.header["engine"] != candidate.header["engine"]:
        reasons.append(f"engine {base.header['engine']} and {candidate.header['engine']}")
    return f" ({'; '.join(reasons)})" if reasons else ""


# Clauses --------------------------------------------------------------------------------------------------------------------


def _clauses(base: Run, candidate: Run) -> Iterable[ClauseChange]:
    sides = [{result.clause: result for result in results_of(run)} for run in (base, candidate)]
    listed = {**candidate.clauses, **base.clauses}
    for name in [*base.clauses, *(name for name in candidate.clauses if name not in base.clauses)]:
        one, other = sides[0].get(name), sides[1].get(name)
        change, reason = _change(one, other)
        case, message = _example(candidate if other and other.verdict in _VIOLATED else base, name, other, one)
        yield ClauseChange(name, listed[name]["sentence"], change, one, other, reason, case, message)


def _change(base: ClauseResult | None, candidate: ClauseResult | None) -> tuple[Change, str]:
    judged = [result is not None and result.verdict not in _NOT_JUDGED for result in (base, candidate)]
    if judged[0] != judged[1]:
        lacking, side = (candidate, "candidate") if judged[0] else (base, "base")
        reason = "The run does not list the clause." if lacking is None else lacking.reason
        return (Change.ONLY_BASE if judged[0] else Change.ONLY_CANDIDATE), f"{side}: {reason}"
    if base is None or candidate is None or not judged[0]:
        return Change.SAME, ""
    if base.verdict in _HOLDS and candidate.verdict in _VIOLATED:
        return Change.REGRESSED, candidate.reason
    if base.verdict in _VIOLATED and candidate.verdict in _HOLDS:
        return Change.IMPROVED, ""
    if base.verdict is not candidate.verdict:
        return Change.CHANGED, candidate.reason or base.reason
    return Change.SAME, ""


def _example(run: Run, clause: str, *results: ClauseResult | None) -> tuple[Line | None, str]:
    """The case that fails the clause, and the message of its violation."""
    wanted = next((result.example for result in results if result is not None and result.example is not None), None)
    for case in run.cases:
        if case["id"] == wanted:
            messages = [one["message"] for one in case["violations"] if one["clause"] == clause]
            if messages:
                return case, messages[0]
    return None, ""


# Differences ----------------------------------------------------------------------------------------------------------------


#: A place where a difference was found: the case on both sides, and the step.
_Place = tuple[Line, Line, "int | None"]


class _Walk:
    """Compares case after case and groups the differences."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._found: dict[tuple[Difference, KnownChange | None], list[_Place]] = {}
        self._sizes: dict[str, tuple[int, int, str]] = {}
        self.steps = self.differing = self.diverged = self.cut_short = 0

    def take(self, base: Line, candidate: Line) -> None:
        """Compare a case step by step, as long as its tables are the same."""
        one, other = (str(line["error"]["kind"]) if line["error"] else "judged" for line in (base, candidate))
        if one != other:
            self._add(Difference(Command("case"), "case", one, other), None, (base, candidate, None))
            self.differing += 1
            return
        of_candidate = {step["index"]: step for step in candidate["steps"]}
        differs = diverges = False
        for step in base["steps"]:
            counterpart = of_candidate.get(step["index"])
            if counterpart is None or diverges:
                break
            self.steps += 1
            found = differences(command_of(base["case"]["steps"][step["index"]]), step, counterpart)
            for difference in found:
                self._add(difference, self._knowledge.of(difference), (base, candidate, step["index"]))
            differs = differs or bool(found)
            diverges = any(difference.diverges for difference in found) or deletion_order_differs(step, counterpart)
        self.differing += differs
        self.diverged += diverges
        self.cut_short += not differs and len(base["steps"]) != len(candidate["steps"])

    def _add(self, difference: Difference, known: KnownChange | None, place: _Place) -> None:
        self._found.setdefault((difference.grouped, known), []).append(place)

    def groups(self) -> tuple[Group, ...]:
        """The differences; those of the same command in the same steps are one group."""
        merged: dict[object, tuple[list[Difference], KnownChange | None, list[_Place]]] = {}
        for (difference, known), places in self._found.items():
            key = (difference.command, known, tuple((base["id"], step) for base, _, step in places))
            merged.setdefault(key, ([], known, places))[0].append(difference)
        groups = [self._group(*together) for together in merged.values()]
        return tuple(
            sorted(
                groups, key=lambda group: (group.known is not None, -group.cases, -group.steps, repr(group.differences))
            )
        )

    def _group(self, together: list[Difference], known: KnownChange | None, found: list[_Place]) -> Group:
        base, candidate, step = min(found, key=lambda at: (*self._size(at[0]), -1 if at[2] is None else at[2]))
        places = {(line["id"], index) for line, _, index in found}
        return Group(
            differences=tuple(together),
            known=known,
            case_ids=frozenset(id for id, _ in places),
            steps=len(places),
            step=step,
            base=base,
            candidate=candidate,
        )

    def _size(self, line: Line) -> tuple[int, int, str]:
        """The order by which a case is the smallest: its steps, the length of its JSON form, its id."""
        id, case = line["id"], line["case"]
        if id not in self._sizes:
            self._sizes[id] = (len(case["steps"]), len(json.dumps(case)), id)
        return self._sizes[id]
