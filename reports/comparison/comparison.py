"""The comparison of two versions on the same cases: what each side fails, case by case, and what the engines did differently.

The cases are read in pairs: only those that are shown are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from model.vocabulary.severity import Severity
from records.known_fault import KnownFault
from records.run import ListedFault, Verdict
from reports.comparison.acceptance import Acceptance, Acceptances, AcceptedEntries, AcceptedText, tables_of
from reports.comparison.cases import ClauseShift, ComparedFault, ComparedSide, Judgements, VerdictChange
from reports.comparison.explanations import Explainer, Explanation, ExplanationKind, Identity, Predictors
from reports.comparison.groups import ComparisonWalk, Group
from reports.comparison.known_changes import in_order, knowledge
from reports.comparison.own_tables import OwnTables, concerns_none
from reports.comparison.pairs import check_same, pairs_of
from reports.comparison.requests import RequestChange
from reports.comparison.shared_tables import SharedTables
from reports.comparison.times import TimeRatio
from reports.comparison.weight import Balance, WeighedWay, balance, better_in, worse_in
from reports.comparison.withdrawn import Withdrawn, withdrawn
from reports.findings.known import ShownFault
from reports.findings.of_run import findings_of
from reports.findings.reach import reaches_of
from reports.findings.verdicts import ClauseFinding
from reports.stream.reading import Run
from reports.text.engines import engine_words, header_words
from reports.text.ladder import Answer, Word, of_two
from reports.together.answer import TurnReport

_JUDGED = (Verdict.HOLDS, Verdict.FAILS, Verdict.KNOWN_FAULT, Verdict.LISTED_BUT_GONE)
_LEFT_OUT = (Verdict.NOT_TESTED, Verdict.ERROR)
_ASKED = (*_JUDGED, *_LEFT_OUT)


@dataclass(frozen=True)
class ClauseChange:
    """A clause on both sides, over all cases. A side is None where its run does not list the clause.

    ``reason``: why it is judged on one side only.
    """

    clause: str
    sentence: str
    severity: Severity
    change: VerdictChange
    base: ClauseFinding | None
    candidate: ClauseFinding | None
    reason: str = ""


@dataclass(frozen=True)
class Unjudged:
    """What a run could not judge: clauses that nothing exercised, and cases that ended in an error; without clauses that the
    other run is never asked for (not promised there, or switched off).
    """

    run: Run = field(repr=False)
    clauses: tuple[str, ...]
    cases: int


@dataclass(frozen=True)
class Comparison:
    """Two runs of the same cases. ``groups``: the unexplained first, then the others, each by their number of cases.
    ``shifts``: what fails on one side only, case by case; ``clauses`` sums them up. ``compared`` and ``steps`` count the
    compared cases and steps: a case is compared up to the step after which its tables differ. ``diverged`` counts these cases,
    ``differing`` the cases with any difference, ``cut_short`` the cases without one in which a violation ended one side
    earlier, ``unpaired`` the generated cases that only one side judged.
    """

    base: Run = field(repr=False)
    candidate: Run = field(repr=False)
    shifts: tuple[ClauseShift, ...]
    known_faults: tuple[ComparedFault, ...]
    clauses: tuple[ClauseChange, ...]
    unjudged: tuple[Unjudged, ...]
    groups: tuple[Group, ...]
    compared: int
    steps: int
    differing: int
    diverged: int
    cut_short: int
    unpaired: int
    withdrawn: tuple[Withdrawn, ...] = ()
    acceptance: Acceptance | None = None
    allows_changes: bool = False
    shared: SharedTables | None = None  # None: the versions did not run in turn
    requests: tuple[RequestChange, ...] = ()
    calls: tuple[int, int] = (0, 0)  # requests to storage in the steps that both ran on the same table
    cost_limit: float | None = None
    times: tuple[TimeRatio, ...] = ()

    def listed(self, shift: ClauseShift) -> ListedFault | None:
        """The header's entry of a known fault, on the side that fails."""
        header = (self.base if shift.change is VerdictChange.IMPROVED else self.candidate).header
        faults = header.known_faults or () if shift.known else ()
        return next((one for one in faults if one.reason == shift.cause), None)

    def of(self, *changes: VerdictChange) -> tuple[ClauseChange, ...]:
        """The clauses with one of these changes."""
        return tuple(clause for clause in self.clauses if clause.change in changes)

    def shifted(self, change: VerdictChange) -> tuple[ClauseShift, ...]:
        """The shifts of one kind, the gravest first."""
        return tuple(one for one in self.shifts if one.change is change)

    @property
    def explained(self) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if group.explanation is not None)

    @property
    def unexplained(self) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if group.explanation is None)

    @property
    def unused(self) -> dict[KnownFault, tuple[str, ...]]:
        """The tables of the user's file that nothing needed, each with its clauses."""
        if self.acceptance is None:
            return {}
        needed = {replace(one, clause="") for shift in self.shifts for one in (shift.accepted, shift.ended) if one}
        tables = tables_of(self.acceptance.entries)
        return {table: clauses for table, clauses in tables.items() if table not in needed}

    @property
    def unused_texts(self) -> tuple[AcceptedText, ...]:
        """The entries of the user's file that are not about faults, and that nothing needed."""
        needed = {(one.accepted.reason, one.accepted.link) for one in self.withdrawn if one.accepted}
        needed |= {(one.sentence, one.source) for one in self.accepted_differences}
        texts = () if self.acceptance is None else self.acceptance.texts
        return tuple(one for one in texts if (one.reason, one.link) not in needed)

    @property
    def accepted_differences(self) -> dict[Explanation, list[Group]]:
        """The differences that the user's file accepts, by its entries."""
        found: dict[Explanation, list[Group]] = {}
        for group in self.explained:
            if group.explanation is not None and group.explanation.kind is ExplanationKind.ACCEPTED:
                found.setdefault(group.explanation, []).append(group)
        return found

    @cached_property
    def worse(self) -> tuple[WeighedWay, ...]:
        """The ways in which the candidate is worse, whether or not the suite knows them, that the user's file does not accept:
        the gravest first, and last those that concern none of the user's tables.
        """
        found = worse_in(self.shifts)
        return found if self.own is None else self.own.in_order(found)

    @property
    def sparing(self) -> tuple[WeighedWay, ...]:
        """The ways to be worse that concern none of the user's tables."""
        counting = self.weighed(self.worse)
        return tuple(one for one in self.worse if one not in counting)

    def weighed(self, ways: Iterable[WeighedWay]) -> tuple[WeighedWay, ...]:
        """Those that count: that may concern one of the user's tables; without ``--like`` all."""
        own = self.own
        return tuple(one for one in ways if own is None or not concerns_none(own.of_shift(one.lead)))

    @cached_property
    def own(self) -> OwnTables | None:
        """The user's tables, if both runs were made with ``--like``."""
        return OwnTables.of(self.base, self.candidate)

    @cached_property
    def better(self) -> tuple[WeighedWay, ...]:
        return better_in(self.shifts)

    @property
    def lost(self) -> tuple[Withdrawn, ...]:
        """The withdrawn promises that the user's file does not accept."""
        return tuple(one for one in self.withdrawn if one.accepted is None)

    @property
    def is_open(self) -> bool:
        """Whether a difference is unexplained, or something could not be judged on a side or in turn."""
        in_turn = self.shared is not None and self.shared.is_open
        return bool(self.unexplained or self.unjudged or self.shifted(VerdictChange.UNCOMPARED) or in_turn)

    @cached_property
    def balance(self) -> Balance:
        """What gets worse beside what gets better, in the ways that count (``reports.comparison.weight``)."""
        return balance(self.weighed(self.worse), self.weighed(self.better))

    @property
    def forbids(self) -> bool:
        """Whether there is a reason not to upgrade: what gets worse, or what goes wrong on tables of the base."""
        return self.balance is Balance.HEAVY or (self.shared is not None and bool(self.shared.forward))

    @property
    def is_trade(self) -> bool:
        """Whether the candidate loses data in new ways, and in more ways no longer, and nothing else forbids the upgrade."""
        return self.balance is Balance.TRADE and not self.forbids

    @property
    def bars_the_way_back(self) -> bool:
        """Whether the base goes wrong on tables of the candidate."""
        return self.shared is not None and bool(self.shared.back)

    @property
    def too_dear(self) -> tuple[RequestChange, ...]:
        """What grows by more than the user's limit."""
        return tuple(one for one in self.requests if self.cost_limit is not None and one.growth > self.cost_limit)

    @property
    def word(self) -> Word:
        """Whether something forbids the upgrade; else whether something is worse, withdrawn, open or too dear, or there is no way
        back.
        """
        asks = self.worse or self.lost or self.is_open or self.bars_the_way_back or self.too_dear
        return of_two(forbids=self.forbids, asks=asks)

    @property
    def exit(self) -> int:
        return Answer(self.word, "", allowed=self.allows_changes).exit


def engine_of(run: Run) -> Identity:
    """The engine's name and version."""
    return run.header.engine, run.header.version


def compare(
    base: Run,
    candidate: Run,
    predictors: Predictors | None = None,
    acceptance: Acceptance | None = None,
    *,
    allows_changes: bool = False,
    together: TurnReport | None = None,
    cost_limit: float | None = None,
    times: tuple[TimeRatio, ...] = (),
) -> Comparison:
    """Compare two complete runs. Raises Incomparable if they judged different engines, or too few of the same cases.

    Shrunk cases depend on what failed. Without ``predictors`` no difference is explained by a
    rule. ``acceptance``: what does not count as worse. ``allows_changes``: differences, and what could not be judged, do not
    hold the upgrade back. ``together``: the same two versions in turn. ``cost_limit``: the factor by which requests may grow.
    ``times``: of both on large tables.
    """
    runs = base, candidate
    pairs = pairs_of(base, candidate)
    results = tuple({result.clause: result for result in findings_of(run).results} for run in runs)
    before, after = map(_side, runs, results)
    severities = {one.id: one.severity for run in runs for one in run.header.clauses}
    judgements = Judgements(severities, before, after, AcceptedEntries.by(acceptance, engine_of(candidate)[1]))
    texts = Acceptances.by(acceptance, engine_of(candidate)[1])
    walk = ComparisonWalk(
        knowledge(engine_of(base), engine_of(candidate)), _explainer(base, candidate, predictors), texts
    )
    for mine, theirs in pairs.both:
        pair = base.cases[mine], candidate.cases[theirs]
        check_same(*pair)
        walk.take(*pair)
        judgements.take(*pair)
    for place in pairs.alone:
        judgements.take_alone(candidate.cases[place])
    shifts = judgements.shifts()
    unjudged = (
        Unjudged(
            run, tuple(name for name, one in own.items() if one.verdict in _LEFT_OUT and name in other.asked), errors
        )
        for run, own, other, errors in zip(runs, results, (after, before), walk.errors)
    )
    groups = walk.groups()
    listed = {one.id: one for one in base.header.clauses}
    gone = withdrawn(listed, results[0], results[1], groups, texts)
    return Comparison(
        base=base,
        candidate=candidate,
        shifts=shifts,
        known_faults=judgements.known_faults(),
        clauses=tuple(_clauses(base, candidate, results, shifts, gone)),
        unjudged=tuple(one for one in unjudged if one.clauses or one.cases),
        groups=groups,
        compared=len(pairs.both),
        steps=walk.steps,
        differing=walk.differing,
        diverged=walk.diverged,
        cut_short=walk.cut_short,
        unpaired=pairs.unpaired,
        withdrawn=gone,
        acceptance=acceptance,
        allows_changes=allows_changes,
        requests=walk.requests.changes(),
        calls=walk.requests.calls,
        cost_limit=cost_limit,
        times=times,
        shared=None
        if together is None
        else SharedTables.of(together, *(header_words(run.header).partition(" ")[2] for run in runs)),
    )


def _side(run: Run, results: Mapping[str, ClauseFinding]) -> ComparedSide:
    """What a run was asked and knows. If a stream lists no known faults, those that its cases show."""
    listed: list[ListedFault | ShownFault] = [*(run.header.known_faults or ()), *findings_of(run).known]
    return ComparedSide(
        frozenset(name for name, one in results.items() if one.verdict in _ASKED),
        frozenset(name for name, one in results.items() if one.verdict in _JUDGED),
        frozenset((clause, one.reason) for one in listed for clause in one.clauses),
        reaches_of(run.header),
    )


def _explainer(base: Run, candidate: Run, predictors: Predictors | None) -> Explainer:
    older, newer, backwards = in_order(engine_of(base), engine_of(candidate))
    headers = (candidate.header, base.header) if backwards else (base.header, candidate.header)
    predictor = None if predictors is None else predictors(*headers)
    return Explainer(predictor, backwards=backwards, names=(engine_words(*older), engine_words(*newer)))


# Clauses --------------------------------------------------------------------------------------------------------------------


def _clauses(
    base: Run,
    candidate: Run,
    results: tuple[Mapping[str, ClauseFinding], ...],
    shifted: Iterable[ClauseShift],
    gone: Iterable[Withdrawn],
) -> Iterable[ClauseChange]:
    in_cases: dict[str, set[VerdictChange]] = {}
    for shift in shifted:
        in_cases.setdefault(shift.clause, set()).add(shift.change)
    for clause in (clause for one in gone for clause in one.clauses):
        in_cases.setdefault(clause, set()).add(VerdictChange.WITHDRAWN)
    before, after = ({one.id: one for one in run.header.clauses} for run in (base, candidate))
    for name, listed in {**before, **after, **before}.items():
        one, other = (side.get(name) for side in results)
        change, reason = _change(one, other, in_cases.get(name, set()))
        yield ClauseChange(name, listed.sentence, listed.severity, change, one, other, reason)


def _change(
    base: ClauseFinding | None, candidate: ClauseFinding | None, in_cases: set[VerdictChange]
) -> tuple[VerdictChange, str]:
    """The gravest change in a case; without one, that of the verdicts."""
    judged = [result is not None and result.verdict in _JUDGED for result in (base, candidate)]
    if judged[0] != judged[1]:
        lacking, side = (candidate, "candidate") if judged[0] else (base, "base")
        reason = "The run does not list the clause." if lacking is None else lacking.reason
        only = VerdictChange.ONLY_BASE if judged[0] else VerdictChange.ONLY_CANDIDATE
        return (VerdictChange.WITHDRAWN if VerdictChange.WITHDRAWN in in_cases else only), f"{side}: {reason}"
    for change in (
        VerdictChange.REGRESSED,
        VerdictChange.KNOWN,
        VerdictChange.UNCOMPARED,
        VerdictChange.ACCEPTED,
        VerdictChange.IMPROVED,
    ):
        if change in in_cases:
            return change, ""
    if base is None or candidate is None or not judged[0] or base.verdict is candidate.verdict:
        return VerdictChange.SAME, ""
    return VerdictChange.CHANGED, candidate.reason or base.reason
