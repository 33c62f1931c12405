"""The comparison of two runs of the same cases: what each side fails, case by case, and what the engines did differently.

The cases are read in pairs, one after the other: only those that are shown are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from model.vocabulary.severity import Severity
from model.vocabulary.steps import ENGINE_STEPS
from records.mistakes import UsageMistake
from records.run import JudgedCase, Step
from reports.compare.acceptance import Acceptance, Accepted, tables_of
from reports.compare.cases import Change, Entry, Judgements, KnownFault, Shift, Side, Size, size
from reports.compare.commands import Command, command_of
from reports.compare.differences import Difference, deletion_order_differs, differences
from reports.compare.explanations import Explainer, Explanation, Identity, Predictors
from reports.compare.facts import Facts, Field, facts
from reports.compare.known_changes import Knowledge, in_order, knowledge
from reports.compare.typed import case_of, header_of
from reports.deviations import Deviation
from reports.findings import findings_of
from reports.quantities import counted
from reports.stream import Run
from reports.verdicts import ClauseResult, Verdict


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

    ``base`` and ``candidate`` are the smallest of its cases, ``step`` its first step with these differences. It is None if the
    case was not judged on one side.
    """

    differences: tuple[Difference, ...]
    explanation: Explanation | None
    case_ids: frozenset[str] = field(repr=False)
    steps: int
    step: int | None
    base: JudgedCase = field(repr=False)
    candidate: JudgedCase = field(repr=False)

    @property
    def cases(self) -> int:
        """How many cases have them."""
        return len(self.case_ids)

    @property
    def subject(self) -> str:
        """The command, in words."""
        return self.differences[0].command.text

    def step_of(self, case: JudgedCase) -> Step | None:
        """The record of the step to show in the case of one side."""
        return next((step for step in case.steps if step.index == self.step), None)


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
        needed = {replace(one, clause="") for shift in self.shifts for one in (shift.accepted, shift.ended) if one}
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
    header = header_of(run)
    return header.engine, next(iter(header.versions.values()), "")


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
    sides = _Cases.of(base), _Cases.of(candidate)
    pairs = _pairs(base, candidate, *sides)
    results = tuple({result.clause: result for result in findings_of(run).results} for run in (base, candidate))
    before, after = (_side(*one) for one in zip((base, candidate), results, sides, zip(*pairs)))
    severities = {one.id: one.severity for run in (base, candidate) for one in header_of(run).clauses}
    accepted = Accepted(acceptance, engine_of(candidate)[1]) if acceptance is not None else None
    judgements = Judgements(severities, before, after, accepted)
    walk = _Walk(knowledge(engine_of(base), engine_of(candidate)), _explainer(base, candidate, predictors))
    for mine, theirs in pairs:
        cases = case_of(base.cases[mine]), case_of(candidate.cases[theirs])
        _check_same(*cases)
        walk.take(*cases)
        judgements.take(*cases)
    for place in sides[1].without(theirs for _, theirs in pairs):
        judgements.take_alone(case_of(candidate.cases[place]))
    shifts = judgements.shifts()
    unjudged = (
        Unjudged(
            run, tuple(name for name, one in own.items() if one.verdict in _LEFT_OUT and name in other.asked), errors
        )
        for run, own, other, errors in zip((base, candidate), results, (after, before), (side.errors for side in sides))
    )
    return Comparison(
        base=base,
        candidate=candidate,
        shifts=shifts,
        known_faults=judgements.known_faults(),
        clauses=tuple(_clauses(base, candidate, results, shifts)),
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


def _side(run: Run, results: Mapping[str, ClauseResult], cases: _Cases, places: Iterable[int]) -> Side:
    """What a run was asked and knows. Of a stream that lists no known deviations, those that these cases of it show."""
    listed = {(clause, one.reason) for one in header_of(run).deviations or () for clause in one.clauses}
    return Side(
        frozenset(name for name, one in results.items() if one.verdict in _ASKED),
        frozenset(name for name, one in results.items() if one.verdict in _JUDGED),
        frozenset(listed).union(*(cases.excused[place] for place in places)),
    )


def _explainer(base: Run, candidate: Run, predictors: Predictors | None) -> Explainer:
    older, newer, backwards = in_order(engine_of(base), engine_of(candidate))
    predictor = None if predictors is None else predictors(older, newer)
    return Explainer(predictor, backwards=backwards, names=(" ".join(older), " ".join(newer)))


# The same cases -----------------------------------------------------------------------------------------------------------


class _Cases:
    """Where the cases of a run are, by id: the generated ones, and the listed ones (``regressions/``).

    They may be too many to be in memory: of each there is what is needed before they are compared, pair after pair.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.excused: list[frozenset[Entry]] = []  # by place: the known deviations that the case shows
        self.generated: dict[str, int] = {}
        self.listed: dict[str, int] = {}
        self.errors = 0  # the generated cases that ended in an error

    @classmethod
    def of(cls, run: Run) -> _Cases:
        found = cls()
        by_origin = {"generated": found.generated, "explicit": found.listed}
        for place, case in enumerate(map(case_of, run.cases)):
            found.ids.append(case.id)
            found.excused.append(frozenset((one.clause, one.excused) for one in case.violations if one.excused))
            of_origin = by_origin.get(case.origin)
            # They are sorted, so of a case drawn twice both sides use the same one.
            if of_origin is not None and case.id not in of_origin:
                of_origin[case.id] = place
                found.errors += case.origin == "generated" and case.error is not None
        return found

    def without(self, places: Iterable[int]) -> Iterable[int]:
        """The places of the cases that have not the id of one of these."""
        ids = {self.ids[place] for place in places}
        return (place for place, id in enumerate(self.ids) if id not in ids)


def _pairs(base: Run, candidate: Run, one: _Cases, other: _Cases) -> Sequence[tuple[int, int]]:
    """The places of each case that both runs judged, once: of the generated ones, and of the listed ones of both."""
    if not one.generated and not other.generated:
        raise Incomparable("Neither run judged any case: there is nothing to compare.")
    only = [
        [id for id in mine.generated if id not in theirs.generated] for mine, theirs in ((one, other), (other, one))
    ]
    if only[0] or only[1]:
        run, cases, first = (base, one, only[0][0]) if only[0] else (candidate, other, only[1][0])
        campaign = case_of(run.cases[cases.generated[first]]).campaign
        raise Incomparable(
            f"The runs judged different cases: {len(only[0])} of {counted(len(one.generated), 'case')} are in the base only "
            f"and {len(only[1])} of {len(other.generated)} in the candidate only, the first being {first} of {campaign}"
            f"{_why(base, candidate)}: run both with the same cases."
        )
    common = [id for id in one.listed if id in other.listed and id not in one.generated]
    return [
        *((place, other.generated[id]) for id, place in one.generated.items()),
        *((one.listed[id], other.listed[id]) for id in common),
    ]


def _check_same(base: JudgedCase, candidate: JudgedCase) -> None:
    texts = [{step.index: step.text for step in case.steps} for case in (base, candidate)]
    differing = [index for index in texts[0] if texts[1].get(index, texts[0][index]) != texts[0][index]]
    if differing or base.document != candidate.document:
        where = f"in step {differing[0]}" if differing else "in its JSON form"
        raise Incomparable(
            f"Case {base.id} is not the same in both runs ({where}), though its id is: different releases of the suite "
            "wrote them, so run both with one."
        )


def _why(base: Run, candidate: Run) -> str:
    """The differences of the headers that explain why the cases differ."""
    one, other = header_of(base), header_of(candidate)
    pairs = {
        "profile": (one.profile, other.profile),
        "part": (one.part or 1, other.part or 1),
        "seed": (one.seed, other.seed),
        "Hypothesis": (one.versions.get("hypothesis"), other.versions.get("hypothesis")),
        "engine": (one.engine, other.engine),
    }
    reasons = [f"{name} {mine} and {theirs}" for name, (mine, theirs) in pairs.items() if mine != theirs]
    return f" ({'; '.join(reasons)})" if reasons else ""


# Clauses --------------------------------------------------------------------------------------------------------------------


def _clauses(
    base: Run, candidate: Run, results: tuple[Mapping[str, ClauseResult], ...], shifted: Iterable[Shift]
) -> Iterable[ClauseChange]:
    in_cases: dict[str, set[Change]] = {}
    for shift in shifted:
        in_cases.setdefault(shift.clause, set()).add(shift.change)
    before, after = ({one.id: one for one in header_of(run).clauses} for run in (base, candidate))
    for name, listed in {**before, **after, **before}.items():
        one, other = (side.get(name) for side in results)
        change, reason = _change(one, other, in_cases.get(name, set()))
        yield ClauseChange(name, listed.sentence, listed.severity, change, one, other, reason)


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


class _Places:
    """Where a difference was found: cases with a step, and the smallest of them on both sides."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int | None]] = []
        self._smallest: tuple[tuple[Size, int], JudgedCase, JudgedCase] | None = None

    def add(self, base: JudgedCase, candidate: JudgedCase, step: int | None) -> None:
        self.found.append((base.id, step))
        own = size(base), -1 if step is None else step
        if self._smallest is None or own < self._smallest[0]:
            self._smallest = own, base, candidate

    def group(self, together: Iterable[Difference], explanation: Explanation | None) -> Group:
        assert self._smallest is not None
        (_, step), base, candidate = self._smallest
        return Group(
            differences=tuple(together),
            explanation=explanation,
            case_ids=frozenset(id for id, _ in self.found),
            steps=len(set(self.found)),
            step=None if step < 0 else step,
            base=base,
            candidate=candidate,
        )


class _Walk:
    """Compares case after case and groups the differences."""

    def __init__(self, knowledge: Knowledge, explainer: Explainer) -> None:
        self._knowledge = knowledge
        self._explainer = explainer
        self._found: dict[tuple[Difference, Explanation | None], _Places] = {}
        self.steps = self.differing = self.diverged = self.cut_short = 0

    def take(self, base: JudgedCase, candidate: JudgedCase) -> None:
        """Compare a case step by step, as long as its tables are the same."""
        one, other = (case.error.kind if case.error else "judged" for case in (base, candidate))
        if one != other:
            self._add(Difference(Command("case"), Field("case"), one, other), None, base, candidate, None)
            self.differing += 1
            return
        of_candidate = {step.index: step for step in candidate.steps}
        differs = diverges = False
        for step in base.steps:
            counterpart = of_candidate.get(step.index)
            if counterpart is None or diverges:
                break
            self.steps += 1
            seen = facts(step), facts(counterpart)
            if seen[0] == seen[1]:
                continue
            found = differences(_command(base, step.index), *seen)
            for difference, explanation in self._explained((base, candidate), step.index, seen, found):
                self._add(difference, explanation, base, candidate, step.index)
            differs = differs or bool(found)
            diverges = any(difference.diverges for difference in found) or deletion_order_differs(*seen)
        self.differing += differs
        self.diverged += diverges
        self.cut_short += not differs and len(base.steps) != len(candidate.steps)

    def _explained(
        self, cases: tuple[JudgedCase, JudgedCase], step: int, seen: tuple[Facts, Facts], found: Iterable[Difference]
    ) -> Iterable[tuple[Difference, Explanation | None]]:
        known = {one: change.explanation for one in found if (change := self._knowledge.of(one)) is not None}
        left = [one for one in found if one not in known]
        explained = {**known, **self._explainer.explain(cases, step, seen, left)}
        return ((one, explained.get(one)) for one in found)

    def _add(
        self,
        difference: Difference,
        explanation: Explanation | None,
        base: JudgedCase,
        candidate: JudgedCase,
        step: int | None,
    ) -> None:
        self._found.setdefault((difference.grouped, explanation), _Places()).add(base, candidate, step)

    def groups(self) -> tuple[Group, ...]:
        """The differences; those of the same command in the same steps are one group."""
        merged: dict[object, tuple[list[Difference], Explanation | None, _Places]] = {}
        for (difference, explanation), places in self._found.items():
            key = (difference.command, explanation, tuple(places.found))
            merged.setdefault(key, ([], explanation, places))[0].append(difference)
        groups = [places.group(together, explanation) for together, explanation, places in merged.values()]
        return tuple(
            sorted(
                groups,
                key=lambda group: (group.explanation is not None, -group.cases, -group.steps, repr(group.differences)),
            )
        )


def _command(case: JudgedCase, index: int) -> Command:
    step = case.case.steps[index]
    assert isinstance(step, ENGINE_STEPS)
    return command_of(step)
