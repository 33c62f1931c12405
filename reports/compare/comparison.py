"""The comparison of two runs of the same cases: what each side fails, case by case, and what the engines did differently."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

from model.vocabulary.severity import Severity
from records.json_form import to_json
from records.mistakes import UsageMistake
from records.run import Verdict
from reports.compare.acceptance import Acceptance, Accepted, tables_of
from reports.compare.cases import Change, KnownFault, Shift, Side, known_faults, shifts, size
from reports.compare.commands import Command, command_of
from reports.compare.differences import Difference, deletion_order_differs, differences
from reports.compare.explanations import Explainer, Explanation, Identity, Predictors
from reports.compare.known_changes import Knowledge, in_order, knowledge
from reports.deviations import Deviation
from reports.findings import findings_of
from reports.quantities import counted
from reports.stream import Line, Run
from reports.verdicts import ClauseResult


class Incomparable(UsageMistake):
    """The two runs cannot be compared. The text is one sentence."""


_JUDGED = (Verdict.PASS, Verdict.FAIL, Verdict.XFAIL, Verdict.STALE)
_LEFT_OUT = (Verdict.UNEXERCISED, Verdict.ERROR)
_ASKED = (*_JUDGED, *_LEFT_OUT)


@dataclass(frozen=True)
class ClauseChange:
    """A clause on both sides, over all cases. A side is None where its run does not list the clause.

    ``reason``: why it is judged on one side only.
    """

    clause: str
    sentence: str
    severity: Severity
    change: Change
    base: ClauseResult | None
    candidate: ClauseResult | None
    reason: str = ""


@dataclass(frozen=True)
class Unjudged:
    """What a run could not judge: clauses that nothing exercised, and cases that ended in an error.

    A clause that the other run is never asked for (not promised there, or switched off) is not among them.
    """

    run: Run = field(repr=False)
    clauses: tuple[str, ...]
    cases: int


@dataclass(frozen=True)
class Group:
    """Differences of one command in the same steps of the same cases: one change with several effects.

    ``base`` and ``candidate`` are the lines of the smallest of its cases, ``step`` its first step with these differences. It
    is None if the case was not judged on one side.
    """

    differences: tuple[Difference, ...]
    explanation: Explanation | None
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
    """Two runs of the same cases. ``groups``: the unexplained first, then the others, each by their number of cases.

    ``shifts``: what fails on one side only, case by case; ``clauses`` sums them up. ``compared`` and ``steps`` count the
    compared cases and steps: a case is compared up to the step after which its tables differ. ``diverged`` counts the cases
    where they do, ``differing`` those with any difference, ``cut_short`` those without one of which a side judged fewer
    steps, since a violation ended the case.
    """

    base: Run = field(repr=False)
    candidate: Run = field(repr=False)
    shifts: tuple[Shift, ...]
    known_faults: tuple[KnownFault, ...]
    clauses: tuple[ClauseChange, ...]
    unjudged: tuple[Unjudged, ...]
    groups: tuple[Group, ...]
    compared: int
    steps: int
    differing: int
    diverged: int
    cut_short: int
    acceptance: Acceptance | None = None
    allows_changes: bool = False

    def of(self, *changes: Change) -> tuple[ClauseChange, ...]:
        """The clauses with one of these changes."""
        return tuple(clause for clause in self.clauses if clause.change in changes)

    def shifted(self, change: Change) -> tuple[Shift, ...]:
        """The shifts of one kind, the gravest first."""
        return tuple(one for one in self.shifts if one.change is change)

    @property
    def explained(self) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if group.explanation is not None)

    @property
    def unexplained(self) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if group.explanation is None)

    @property
    def unused(self) -> dict[Deviation, tuple[str, ...]]:
        """The tables of the user's file that nothing needed, each with its clauses."""
        if self.acceptance is None:
            return {}
        needed = {replace(shift.entry, clause="") for shift in self.shifts if shift.entry is not None}
        tables = tables_of(self.acceptance.entries)
        return {table: clauses for table, clauses in tables.items() if table not in needed}

    @property
    def is_worse(self) -> bool:
        """Whether the candidate is, known to the suite or not, in a way that the user's file does not accept."""
        return bool(self.shifted(Change.REGRESSED) or self.shifted(Change.KNOWN))

    @property
    def is_open(self) -> bool:
        """Whether something differs that nothing explains, or could not be judged on a side."""
        return bool(self.unexplained or self.unjudged or self.shifted(Change.UNCOMPARED))

    @property
    def exit(self) -> int:
        """1 if the candidate is worse; else 3 if a question is open, unless changes are allowed; else 0."""
        if self.is_worse:
            return 1
        return 3 if self.is_open and not self.allows_changes else 0


def engine_of(run: Run) -> Identity:
    """The engine's name and version (the first in the header; empty if there is none)."""
    return run.header.engine, next(iter(run.header.versions.values()), "")


def compare(
    base: Run,
    candidate: Run,
    predictors: Predictors | None = None,
    acceptance: Acceptance | None = None,
    *,
    allows_changes: bool = False,
) -> Comparison:
    """Compare two complete runs. Raises Incomparable if they judged different cases.

    Generated cases must be the same: those made by shrinking depend on what failed. Without ``predictors`` no difference is
    explained by a rule. ``acceptance``: what of the candidate does not count as worse. ``allows_changes``: what differs, or could
    not be judged, holds no upgrade back that is not worse.
    """
    pairs = _same_cases(base, candidate)
    paired = {line["id"] for line, _ in pairs}
    alone = [to_json(one) for one in candidate.cases if one.id not in paired]
    walk = _Walk(knowledge(engine_of(base), engine_of(candidate)), _explainer(base, candidate, predictors))
    for lines in pairs:
        walk.take(*lines)
    results = tuple({result.clause: result for result in findings_of(run).results} for run in (base, candidate))
    severities = {name: entry.severity for run in (base, candidate) for name, entry in run.clauses.items()}
    sides = tuple(zip((base, candidate), results, zip(*pairs)))
    before, after = (_side(*side) for side in sides)
    accepted = Accepted(acceptance, engine_of(candidate)[1]) if acceptance is not None else None
    shifted = shifts(pairs, alone, severities, before, after, accepted)
    unjudged = (_unjudged(*side, other.asked) for side, other in zip(sides, (after, before)))
    return Comparison(
        base=base,
        candidate=candidate,
        shifts=shifted,
        known_faults=known_faults(pairs, severities, before, after),
        clauses=tuple(_clauses(base, candidate, results, shifted)),
        unjudged=tuple(one for one in unjudged if one.clauses or one.cases),
        groups=walk.groups(),
        compared=len(pairs),
        steps=walk.steps,
        differing=walk.differing,
        diverged=walk.diverged,
        cut_short=walk.cut_short,
        acceptance=acceptance,
        allows_changes=allows_changes,
    )


def _side(run: Run, results: Mapping[str, ClauseResult], lines: Iterable[Line]) -> Side:
    """What a run was asked and knows. Of a stream that lists no known deviations, those that these cases of it show."""
    listed = {(clause, one.reason) for one in run.header.deviations or () for clause in one.clauses}
    violations = [one for line in lines for one in line["violations"] if one["excused"] is not None]
    return Side(
        frozenset(name for name, one in results.items() if one.verdict in _ASKED),
        frozenset(name for name, one in results.items() if one.verdict in _JUDGED),
        frozenset(listed | {(one["clause"], one["excused"]) for one in violations}),
    )


def _explainer(base: Run, candidate: Run, predictors: Predictors | None) -> Explainer:
    older, newer, backwards = in_order(engine_of(base), engine_of(candidate))
    predictor = None if predictors is None else predictors(older, newer)
    return Explainer(predictor, backwards=backwards, names=(" ".join(older), " ".join(newer)))


def _unjudged(run: Run, results: Mapping[str, ClauseResult], lines: Iterable[Line], asked: Container[str]) -> Unjudged:
    """``asked``: the clauses that the other run was asked for."""
    errors = sum(1 for line in lines if line["origin"] == "generated" and line["error"] is not None)
    left_out = tuple(name for name, one in results.items() if one.verdict in _LEFT_OUT and name in asked)
    return Unjudged(run, left_out, errors)


# The same cases -----------------------------------------------------------------------------------------------------------


def _same_cases(base: Run, candidate: Run) -> list[tuple[Line, Line]]:
    """Each case that both runs judged, once: the generated ones, and the listed ones (``regressions/``) of both."""
    (one, listed), (other, also_listed) = map(_judged, (base, candidate))
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
    common = {id: line for id, line in listed.items() if id in also_listed and id not in one}
    of_other = {**also_listed, **other}
    pairs = [(line, of_other[id]) for id, line in {**one, **common}.items()]
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


def _judged(run: Run) -> tuple[dict[str, Line], dict[str, Line]]:
    """The generated cases and the listed ones, by id."""
    found: dict[str, dict[str, Line]] = {"generated": {}, "explicit": {}}
    for case in run.cases:  # sorted, so of a case drawn twice both sides use the same line
        if case.origin in found:
            found[case.origin].setdefault(case.id, to_json(case))
    return found["generated"], found["explicit"]


def _why(base: Run, candidate: Run) -> str:
    """The differences of the headers that explain why the cases differ."""
    reasons = []
    for name in ("profile", "part", "seed"):
        one, other = (
            1 if (own := getattr(run.header, name)) is None and name == "part" else own for run in (base, candidate)
        )
        if one != other:
            reasons.append(f"{name} {one} and {other}")
    versions = [run.header.versions.get("hypothesis") for run in (base, candidate)]
    if versions[0] != versions[1]:
        reasons.append(f"Hypothesis {versions[0]} and {versions[1]}")
    if base.header.engine != candidate.header.engine:
        reasons.append(f"engine {base.header.engine} and {candidate.header.engine}")
    return f" ({'; '.join(reasons)})" if reasons else ""


# Clauses --------------------------------------------------------------------------------------------------------------------


def _clauses(
    base: Run, candidate: Run, results: tuple[Mapping[str, ClauseResult], ...], shifted: Iterable[Shift]
) -> Iterable[ClauseChange]:
    in_cases: dict[str, set[Change]] = {}
    for shift in shifted:
        in_cases.setdefault(shift.clause, set()).add(shift.change)
    listed = {**candidate.clauses, **base.clauses}
    for name in [*base.clauses, *(name for name in candidate.clauses if name not in base.clauses)]:
        one, other = (side.get(name) for side in results)
        change, reason = _change(one, other, in_cases.get(name, set()))
        yield ClauseChange(name, listed[name].sentence, listed[name].severity, change, one, other, reason)


def _change(base: ClauseResult | None, candidate: ClauseResult | None, in_cases: set[Change]) -> tuple[Change, str]:
    """The gravest change of any case; without one, that of the verdicts."""
    judged = [result is not None and result.verdict in _JUDGED for result in (base, candidate)]
    if judged[0] != judged[1]:
        lacking, side = (candidate, "candidate") if judged[0] else (base, "base")
        reason = "The run does not list the clause." if lacking is None else lacking.reason
        return (Change.ONLY_BASE if judged[0] else Change.ONLY_CANDIDATE), f"{side}: {reason}"
    for change in (Change.REGRESSED, Change.KNOWN, Change.UNCOMPARED, Change.ACCEPTED, Change.IMPROVED):
        if change in in_cases:
            return change, ""
    if base is None or candidate is None or not judged[0] or base.verdict is candidate.verdict:
        return Change.SAME, ""
    return Change.CHANGED, candidate.reason or base.reason


# Differences ----------------------------------------------------------------------------------------------------------------


#: A place where a difference was found: the case on both sides, and the step.
_Place = tuple[Line, Line, "int | None"]


class _Walk:
    """Compares case after case and groups the differences."""

    def __init__(self, knowledge: Knowledge, explainer: Explainer) -> None:
        self._knowledge = knowledge
        self._explainer = explainer
        self._found: dict[tuple[Difference, Explanation | None], list[_Place]] = {}
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
            for difference, explanation in self._explained(base, candidate, step["index"], found):
                self._add(difference, explanation, (base, candidate, step["index"]))
            differs = differs or bool(found)
            diverges = any(difference.diverges for difference in found) or deletion_order_differs(step, counterpart)
        self.differing += differs
        self.diverged += diverges
        self.cut_short += not differs and len(base["steps"]) != len(candidate["steps"])

    def _explained(
        self, base: Line, candidate: Line, step: int, found: Iterable[Difference]
    ) -> Iterable[tuple[Difference, Explanation | None]]:
        known = {one: change.explanation for one in found if (change := self._knowledge.of(one)) is not None}
        left = [one for one in found if one not in known]
        explained = {**known, **self._explainer.explain(base, candidate, step, left)}
        return ((one, explained.get(one)) for one in found)

    def _add(self, difference: Difference, explanation: Explanation | None, place: _Place) -> None:
        self._found.setdefault((difference.grouped, explanation), []).append(place)

    def groups(self) -> tuple[Group, ...]:
        """The differences; those of the same command in the same steps are one group."""
        merged: dict[object, tuple[list[Difference], Explanation | None, list[_Place]]] = {}
        for (difference, explanation), places in self._found.items():
            key = (difference.command, explanation, tuple((base["id"], step) for base, _, step in places))
            merged.setdefault(key, ([], explanation, places))[0].append(difference)
        groups = [self._group(*together) for together in merged.values()]
        return tuple(
            sorted(
                groups,
                key=lambda group: (group.explanation is not None, -group.cases, -group.steps, repr(group.differences)),
            )
        )

    def _group(self, together: list[Difference], explanation: Explanation | None, found: list[_Place]) -> Group:
        base, candidate, step = min(found, key=lambda at: (*size(at[0]), -1 if at[2] is None else at[2]))
        places = {(line["id"], index) for line, _, index in found}
        return Group(
            differences=tuple(together),
            explanation=explanation,
            case_ids=frozenset(id for id, _ in places),
            steps=len(places),
            step=step,
            base=base,
            candidate=candidate,
        )
