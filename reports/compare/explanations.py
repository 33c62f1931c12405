"""Why two engines did different things in a step: a rule that differs between them, or a clause that one of them breaks.

What each engine had to do is predicted by the rules of its version (``Predictor``). A difference is explained by a rule if
both sides did what their rules predict, and changing this rule alone in the prediction for one gives the other's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from model.vocabulary.case import Case
from model.vocabulary.rules import RuleChange
from records.run import Header, JudgedCase, Step, Violation
from reports.compare.differences import Difference, value_of
from reports.compare.facts import Facts, facts

#: An engine's name and version.
Identity = tuple[str, str]


class Predictor(Protocol):
    """What a healthy engine does, by the rules of the older of two versions and by those that the newer one changed."""

    @property
    def changes(self) -> Sequence[RuleChange]:
        """How the rules differ, from the older to the newer, in the order of the releases."""
        ...

    def steps(self, case: Case, changes: Sequence[RuleChange]) -> Sequence[Step]:
        """The records of the engine's steps in a case by the older rules with these changes."""
        ...


#: Makes the predictor for the engines of two runs, the older first; None where the rules of either are not known.
Predictors = Callable[[Header, Header], "Predictor | None"]


class Kind(str, Enum):
    """What explains a difference."""

    RULE = "rule"  # rules that differ between the versions
    KNOWN_CHANGE = "known change"  # listed with its fields and values: nothing predicts it
    KNOWN_DEVIATION = "known deviation"  # one side fails, and the suite knows the reason
    VIOLATION = "violation"  # one side breaks a clause


@dataclass(frozen=True)
class Reason:
    """``since``: the release; empty for what is no change of a release."""

    since: str
    sentence: str
    source: str


@dataclass(frozen=True)
class Explanation:
    kind: Kind
    reasons: tuple[Reason, ...]

    @property
    def since(self) -> str:
        """``4.1``; of several rules, each; empty where it is no change of a release."""
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


class Explainer:
    """Explains differences between two engines. ``names``: of the older and the newer, for sentences."""

    def __init__(self, predictor: Predictor | None, *, backwards: bool, names: tuple[str, str]) -> None:
        self._predictor = predictor
        self._backwards = backwards
        self._names = names
        self._case = ""
        self._predicted: _Predicted = {}  # of this case: its steps are explained one after the other

    def explain(
        self, cases: tuple[JudgedCase, JudgedCase], step: int, seen: tuple[Facts, Facts], found: Sequence[Difference]
    ) -> dict[Difference, Explanation]:
        """The differences of a step of a case, given on both sides with the step's facts, that can be explained."""
        if self._predictor is None or not found:
            return {}
        if self._backwards:
            cases, seen = cases[::-1], seen[::-1]
        if cases[0].id != self._case:
            self._case, self._predicted = cases[0].id, {}
        predicted = _Prediction(self._predictor, cases[0], step, seen, self._predicted)
        broken = [[one for one in case.violations if one.step == step] for case in cases]
        explanations = {}
        for difference in found:
            if not any(map(_unexcused, broken)) and (changes := predicted.changes_behind(difference)):
                reasons = tuple(Reason(one.since, one.sentence, one.source) for one in changes)
                explanations[difference] = Explanation(Kind.RULE, reasons)
                continue
            if _both_known(broken) and all(broken[side] for side in (0, 1) if predicted.is_wrong(difference, side)):
                explanations[difference] = _of_faults(broken, self._names)
            if difference.form:
                continue  # of how something is written, the prediction has no more than what rules change
            for mine, theirs, name in ((0, 1, self._names[0]), (1, 0, self._names[1])):
                only = [one for one in broken[mine] if _fault(one) not in map(_fault, broken[theirs])]
                if only and predicted.is_wrong(difference, mine) and not predicted.is_wrong(difference, theirs):
                    explanations[difference] = _of_fault(only, name)
        return explanations


#: The facts of a case by step, by the changed rules that they are predicted with.
_Predicted = dict[tuple[RuleChange, ...], Mapping[int, Facts]]

#: The predicted value where a case could not be predicted: no side has it.
_UNKNOWN = object()


@dataclass(frozen=True)
class _Prediction:
    """What each side did in a step of a case, and what was predicted; the older side is 0, the newer 1."""

    predictor: Predictor
    case: JudgedCase
    step: int
    seen: tuple[Facts, Facts]
    predicted: _Predicted

    def is_wrong(self, difference: Difference, side: int) -> bool:
        """Whether a side did something else than its rules predict."""
        changes = tuple(self.predictor.changes) if side else ()
        return self._value(difference, changes) != value_of(difference, self.seen[side])

    def changes_behind(self, difference: Difference) -> tuple[RuleChange, ...]:
        """The smallest set of changes that explains a difference; empty: none does."""
        every = tuple(self.predictor.changes)
        if self.is_wrong(difference, 0) or self.is_wrong(difference, 1):
            return ()
        wanted = value_of(difference, self.seen[1])
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
        return _UNKNOWN if found is None else value_of(difference, found)


def _unexcused(violations: Iterable[Violation]) -> bool:
    return any(one.excused is None for one in violations)


def _fault(violation: Violation) -> tuple[str, str, str | None]:
    return violation.clause, violation.cause, violation.excused


def _both_known(broken: Sequence[Sequence[Violation]]) -> bool:
    """Whether all that the two sides violate in a step is known of them, and not all of it of both."""
    reasons = [{one.excused for one in violations} for violations in broken]
    return None not in reasons[0] | reasons[1] and reasons[0] != reasons[1]


def _of_faults(broken: Sequence[Sequence[Violation]], names: Sequence[str]) -> Explanation:
    """What each side violates, and the other does not for the same reason."""
    reasons = [{str(one.excused) for one in violations} for violations in broken]
    sides = zip(names, reasons, reversed(reasons))
    return _known((name, one) for name, mine, theirs in sides for one in sorted(mine - theirs))


def _of_fault(violations: Sequence[Violation], name: str) -> Explanation:
    """A side breaks clauses that the other does not break in this step."""
    if _unexcused(violations):
        clauses = ", ".join(sorted({one.clause for one in violations if one.excused is None}))
        return Explanation(Kind.VIOLATION, (Reason("", f"{name} breaks {clauses}.", clauses),))
    return _known((name, one) for one in sorted({str(one.excused) for one in violations}))


def _known(faults: Iterable[tuple[str, str]]) -> Explanation:
    """``faults``: the version that has it, and the reason of each."""
    reasons = (Reason("", f"{name}: {fault}", "deviations/") for name, fault in faults)
    return Explanation(Kind.KNOWN_DEVIATION, tuple(reasons))
