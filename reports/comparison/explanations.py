"""Why two versions did different things in a step: a rule that differs between them, or a clause that one of them violates.

The rules of each version predict what its engine must do (``Predictor``). A rule explains a difference if both sides did what
their rules predict, and changing this rule alone in the prediction for one gives the other's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from model.vocabulary.case import Case
from model.vocabulary.rules import RuleChange
from model.vocabulary.withdrawals import Withdrawal
from records.run import Header, RecordedCase, RecordedStep, RecordedViolation
from reports.comparison.differences import Difference, value_of
from reports.comparison.facts import Facts, facts

#: An engine's name and version.
Identity = tuple[str, str]


class Predictor(Protocol):
    """What a healthy engine does, by the rules of the older of two versions and by those that the newer one changed."""

    @property
    def changes(self) -> Sequence[RuleChange]:
        """How the rules differ, from the older to the newer, in the order of the releases."""
        ...

    def steps(self, case: Case, changes: Sequence[RuleChange]) -> Sequence[RecordedStep]:
        """The records of the engine's steps in a case by the older rules with these changes."""
        ...


#: Makes the predictor for the engines of two runs, the older first; None where the rules of either are not known.
Predictors = Callable[[Header, Header], "Predictor | None"]


class ExplanationKind(str, Enum):
    """What explains a difference."""

    RULE = "rule"  # rules that differ between the versions
    KNOWN_CHANGE = "known change"  # listed with its fields and values: nothing predicts it
    KNOWN_FAULT = "known fault"  # one side fails, and the suite knows the reason
    VIOLATION = "violation"  # one side breaks a clause
    PREDICTION = "prediction"  # the candidate did what the model predicts, and the base did not
    ACCEPTED = "accepted"  # by the user's file


class Right(str, Enum):
    """Which side did what it must in a step, as far as the verdicts and the model of both sides tell."""

    BASE = "base"
    CANDIDATE = "candidate"
    BOTH = "both"  # each by its own rules
    NEITHER = "neither"
    UNKNOWN = "unknown"

    @property
    def exchanged(self) -> Right:
        """The same with base and candidate exchanged."""
        return {Right.BASE: Right.CANDIDATE, Right.CANDIDATE: Right.BASE}.get(self, self)


@dataclass(frozen=True)
class ExplanationReason:
    """``since``: the release, empty if it is no change of a release. ``withdrawal``: the promise that the candidate no longer
    gives. ``rule``: the field of the rules that changed; ``fault``: the reason of the known fault; either may be empty.
    """

    since: str
    sentence: str
    source: str
    withdrawal: Withdrawal | None = None
    rule: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Explanation:
    kind: ExplanationKind
    reasons: tuple[ExplanationReason, ...]

    @property
    def since(self) -> str:
        """``4.1``; with several rules, each; empty if no release changed it."""
        return ", ".join(dict.fromkeys(one.since for one in self.reasons if one.since))

    @property
    def sentence(self) -> str:
        return " And: ".join(one.sentence for one in self.reasons)

    @property
    def source(self) -> str:
        return ", ".join(dict.fromkeys(one.source for one in self.reasons))

    @property
    def word(self) -> str:
        """``rule since 4.1``, ``known change``."""
        return f"{self.kind.value} since {self.since}" if self.since else self.kind.value


@dataclass(frozen=True)
class Finding:
    """The explanation of a difference, if there is one, and which side is right. ``predicted``: the model alone says so, and
    that side violates no clause.
    """

    explanation: Explanation | None
    right: Right
    predicted: bool = False


#: The commands whose effects the model predicts completely.
_PREDICTED = ("delete", "truncate", "vacuum", "read", "read_changes", "invalid_delete", "invalid_vacuum")

#: Which side is right, by whether the base and the candidate did something else than is predicted.
_RIGHT: Mapping[tuple[bool, bool], Right] = {
    (False, False): Right.BOTH,
    (False, True): Right.BASE,
    (True, False): Right.CANDIDATE,
    (True, True): Right.NEITHER,
}


def _by_verdicts(broken: Sequence[Sequence[RecordedViolation]]) -> Right:
    """By the violations of both sides in a step. Without any, nothing is known: no clause may be about it."""
    right = _RIGHT[bool(broken[0]), bool(broken[1])]
    return Right.UNKNOWN if right is Right.BOTH else right


class Explainer:
    """Explains differences between two versions. ``names``: the older and the newer, for sentences."""

    def __init__(self, predictor: Predictor | None, *, backwards: bool, names: tuple[str, str]) -> None:
        self._predictor = predictor
        self._backwards = backwards
        self._names = names
        self._case = ""
        self._predicted: _Predicted = {}  # of this case: its steps are explained one after the other

    def explain(
        self,
        cases: tuple[RecordedCase, RecordedCase],
        step: int,
        seen: tuple[Facts, Facts],
        found: Sequence[Difference],
    ) -> dict[Difference, Finding]:
        """The findings about the differences of a step; the case and the step's facts are given for both sides."""
        broken = [[one for one in case.violations if one.step == step] for case in cases]
        if self._predictor is None or not found:
            return {one: Finding(None, Right.UNKNOWN if one.form else _by_verdicts(broken)) for one in found}
        if self._backwards:
            cases, seen = cases[::-1], seen[::-1]
        made = self._explain(self._predictor, cases, step, seen, found)
        if self._backwards:
            made = {one: replace(own, right=own.right.exchanged) for one, own in made.items()}
        return {one: self._by_the_model(own) for one, own in made.items()}

    def _by_the_model(self, found: Finding) -> Finding:
        """A difference without another explanation is explained if the model says that only the candidate is right."""
        if found.explanation is not None or found.right is not Right.CANDIDATE or not found.predicted:
            return found
        base, candidate = self._names[::-1] if self._backwards else self._names
        sentence = f"{candidate} does what the model predicts, and {base} does not."
        return replace(
            found,
            explanation=Explanation(
                ExplanationKind.PREDICTION, (ExplanationReason("", sentence, "model/prediction/"),)
            ),
        )

    def _explain(
        self,
        predictor: Predictor,
        cases: tuple[RecordedCase, RecordedCase],
        step: int,
        seen: tuple[Facts, Facts],
        found: Sequence[Difference],
    ) -> dict[Difference, Finding]:
        """The same with the older side first, which is then called the base."""
        if cases[0].id != self._case:
            self._case, self._predicted = cases[0].id, {}
        predicted = _Prediction(predictor, cases[0], step, seen, self._predicted)
        broken = [[one for one in case.violations if one.step == step] for case in cases]
        made = {}
        for difference in found:
            if not any(map(_unexcused, broken)) and (changes := predicted.changes_behind(difference)):
                reasons = (
                    ExplanationReason(
                        one.since, one.sentence, one.source, None if self._backwards else one.withdrawal, one.field
                    )
                    for one in changes
                )
                made[difference] = Finding(Explanation(ExplanationKind.RULE, tuple(reasons)), Right.BOTH)
                continue
            explanation = None
            if _both_known(broken) and all(broken[side] for side in (0, 1) if predicted.is_wrong(difference, side)):
                explanation = _of_faults(broken, self._names)
            made[difference] = Finding(explanation, Right.UNKNOWN if difference.form else _by_verdicts(broken))
            if difference.form:
                continue  # of how something is written, the prediction has no more than what rules change
            wrong = predicted.is_wrong(difference, 0), predicted.is_wrong(difference, 1)
            if difference.command.kind in _PREDICTED and not all(wrong):
                proves = not any(own for own, side in zip(broken, wrong, strict=True) if not side)
                made[difference] = Finding(explanation, _RIGHT[wrong], proves)
            for mine, theirs, name in ((0, 1, self._names[0]), (1, 0, self._names[1])):
                only = [one for one in broken[mine] if _fault(one) not in map(_fault, broken[theirs])]
                holds = not broken[theirs] and difference.command.kind not in _PREDICTED
                if only and wrong[mine] and (holds or not wrong[theirs]):
                    made[difference] = Finding(_of_fault(only, name), _RIGHT[wrong])
        return made


#: The facts of a case by step, by the changed rules that they are predicted with.
_Predicted = dict[tuple[RuleChange, ...], Mapping[int, Facts]]

#: The predicted value where a case could not be predicted: no side has it.
_UNKNOWN = object()


@dataclass(frozen=True)
class _Prediction:
    """What each side did in a step of a case, and what was predicted; the older side is 0, the newer 1."""

    predictor: Predictor
    case: RecordedCase
    step: int
    seen: tuple[Facts, Facts]
    predicted: _Predicted

    def is_wrong(self, difference: Difference, side: int) -> bool:
        """Whether a side differs from the prediction by its rules."""
        changes = tuple(self.predictor.changes) if side else ()
        return self._value(difference, changes) != value_of(difference, self.seen[side], self.seen)

    def changes_behind(self, difference: Difference) -> tuple[RuleChange, ...]:
        """The smallest set of changes that explains a difference; empty: none does."""
        every = tuple(self.predictor.changes)
        if self.is_wrong(difference, 0) or self.is_wrong(difference, 1):
            return ()
        wanted = value_of(difference, self.seen[1], self.seen)
        for change in every:
            if self._value(difference, (change,)) == wanted:
                return (change,)
        left = every
        for change in every:
            fewer = tuple(one for one in left if one is not change)
            left = fewer if self._value(difference, fewer) == wanted else left
        return left

    def _value(self, difference: Difference, changes: tuple[RuleChange, ...]) -> object:
        if changes not in self.predicted:
            steps = self.predictor.steps(self.case.case, changes)
            self.predicted[changes] = {one.index: facts(one) for one in steps}
        found = self.predicted[changes].get(self.step)
        return _UNKNOWN if found is None else value_of(difference, found, self.seen)


def _unexcused(violations: Iterable[RecordedViolation]) -> bool:
    return any(one.excused is None for one in violations)


def _fault(violation: RecordedViolation) -> tuple[str, str, str | None]:
    return violation.clause, violation.cause, violation.excused


def _both_known(broken: Sequence[Sequence[RecordedViolation]]) -> bool:
    """Whether all violations of both sides in a step are known faults, but not all of them of both versions."""
    reasons = [{one.excused for one in violations} for violations in broken]
    return None not in reasons[0] | reasons[1] and reasons[0] != reasons[1]


def _of_faults(broken: Sequence[Sequence[RecordedViolation]], names: Sequence[str]) -> Explanation:
    """The violations of each side that the other does not have for the same reason."""
    reasons = [{str(one.excused) for one in violations} for violations in broken]
    sides = zip(names, reasons, reversed(reasons))
    return _known((name, one) for name, mine, theirs in sides for one in sorted(mine - theirs))


def _of_fault(violations: Sequence[RecordedViolation], name: str) -> Explanation:
    """A side breaks clauses that the other does not break in this step."""
    if _unexcused(violations):
        clauses = ", ".join(sorted({one.clause for one in violations if one.excused is None}))
        return Explanation(ExplanationKind.VIOLATION, (ExplanationReason("", f"{name} breaks {clauses}.", clauses),))
    return _known((name, one) for one in sorted({str(one.excused) for one in violations}))


def _known(faults: Iterable[tuple[str, str]]) -> Explanation:
    """``faults``: the version that has it, and the reason of each."""
    reasons = (ExplanationReason("", f"{name}: {fault}", "known_faults/", fault=fault) for name, fault in faults)
    return Explanation(ExplanationKind.KNOWN_FAULT, tuple(reasons))
