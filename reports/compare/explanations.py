"""Why two engines did different things in a step: a rule that differs between them, or a clause that one of them breaks.

What each engine had to do is predicted by the rules of its version (``Predictor``). A difference is explained by a rule if
both sides did what their rules predict, and changing this rule alone in the prediction for one gives the other's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from model.vocabulary.rules import RuleChange
from reports.compare.differences import Difference, value_of
from reports.stream import Line

#: An engine's name and version.
Identity = tuple[str, str]


class Predictor(Protocol):
    """What a healthy engine does, by the rules of the older of two versions and by those that the newer one changed."""

    @property
    def changes(self) -> Sequence[RuleChange]:
        """How the rules differ, from the older to the newer, in the order of the releases."""
        ...

    def steps(self, case: Line, changes: Sequence[RuleChange]) -> Sequence[Line]:
        """The records of the engine's steps in a case by the older rules with these changes, as in a run stream."""
        ...


#: Makes the predictor for two engines, the older first; None where the rules of either are not known.
Predictors = Callable[[Identity, Identity], "Predictor | None"]


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


class Explainer:
    """Explains differences between two engines. ``names``: of the older and the newer, for sentences."""

    def __init__(self, predictor: Predictor | None, *, backwards: bool, names: tuple[str, str]) -> None:
        self._predictor = predictor
        self._backwards = backwards
        self._names = names
        self._case: Line | None = None
        self._predicted: _Predicted = {}  # of this case: its steps are explained one after the other

    def explain(
        self, base: Line, candidate: Line, step: int, found: Iterable[Difference]
    ) -> dict[Difference, Explanation]:
        """The differences of a step of a case that can be explained."""
        unexplained = list(found)
        if self._predictor is None or not unexplained:
            return {}
        lines = (candidate, base) if self._backwards else (base, candidate)
        if lines[0]["case"] is not self._case:
            self._case, self._predicted = lines[0]["case"], {}
        case = _Case(self._predictor, lines, step, self._predicted)
        broken = [_violations(line, step) for line in lines]
        explanations = {}
        for difference in unexplained:
            if not any(_unexcused(violations) for violations in broken):
                changes = case.changes_behind(difference)
                if changes:
                    reasons = tuple(Reason(one.since, one.sentence, one.source) for one in changes)
                    explanations[difference] = Explanation(Kind.RULE, reasons)
                    continue
            if _both_known(broken) and all(broken[side] for side in (0, 1) if case.is_wrong(difference, side)):
                explanations[difference] = _of_faults(broken, self._names)
            if difference.form:
                continue  # of how something is written, the prediction has no more than what rules change
            for mine, theirs, name in ((0, 1, self._names[0]), (1, 0, self._names[1])):
                only = [one for one in broken[mine] if _fault(one) not in map(_fault, broken[theirs])]
                if only and case.is_wrong(difference, mine) and not case.is_wrong(difference, theirs):
                    explanations[difference] = _of_fault(only, name)
        return explanations


#: The steps of a case, by the changed rules that they are predicted with.
_Predicted = dict[tuple[RuleChange, ...], Sequence[Line]]

#: The predicted value where a case could not be predicted: no side has it.
_UNKNOWN = object()


class _Case:
    """A case with what each side did in a step, and what was predicted; the older side is 0, the newer 1."""

    def __init__(self, predictor: Predictor, lines: tuple[Line, Line], step: int, predicted: _Predicted) -> None:
        self._predictor = predictor
        self._case: Line = lines[0]["case"]
        self._step = step
        self._seen = [next(one for one in line["steps"] if one["index"] == step) for line in lines]
        self._predicted = predicted

    def is_wrong(self, difference: Difference, side: int) -> bool:
        """Whether a side did something else than its rules predict."""
        changes = tuple(self._predictor.changes) if side else ()
        return self._value(difference, changes) != value_of(difference, self._seen[side])

    def changes_behind(self, difference: Difference) -> tuple[RuleChange, ...]:
        """The smallest set of changes that explains a difference; empty: none does."""
        every = tuple(self._predictor.changes)
        if self.is_wrong(difference, 0) or self.is_wrong(difference, 1):
            return ()
        wanted = value_of(difference, self._seen[1])
        for change in every:
            if self._value(difference, (change,)) == wanted:
                return (change,)
        left = every
        for change in every:
            fewer = tuple(one for one in left if one is not change)
            left = fewer if self._value(difference, fewer) == wanted else left
        return left

    def _value(self, difference: Difference, changes: tuple[RuleChange, ...]) -> object:
        if changes not in self._predicted:
            self._predicted[changes] = self._predictor.steps(self._case, changes)
        record = next((one for one in self._predicted[changes] if one["index"] == self._step), None)
        return _UNKNOWN if record is None else value_of(difference, record)


def _violations(line: Line, step: int) -> list[Line]:
    return [one for one in line["violations"] if one["step"] == step]


def _unexcused(violations: Iterable[Line]) -> bool:
    return any(one["excused"] is None for one in violations)


def _fault(violation: Line) -> tuple[str, str, str | None]:
    return violation["clause"], violation["cause"], violation["excused"]


def _both_known(broken: Sequence[Sequence[Line]]) -> bool:
    """Whether all that the two sides violate in a step is known of them, and not all of it of both."""
    reasons = [{one["excused"] for one in violations} for violations in broken]
    return None not in reasons[0] | reasons[1] and reasons[0] != reasons[1]


def _of_faults(broken: Sequence[Sequence[Line]], names: Sequence[str]) -> Explanation:
    """What each side violates, and the other does not for the same reason."""
    reasons = [sorted({str(one["excused"]) for one in violations}) for violations in broken]
    own = [
        (name, one)
        for name, mine, theirs in zip(names, reasons, reversed(reasons))
        for one in mine
        if one not in theirs
    ]
    return Explanation(Kind.KNOWN_DEVIATION, tuple(Reason("", f"{name}: {one}", "deviations/") for name, one in own))


def _of_fault(violations: Sequence[Line], name: str) -> Explanation:
    """A side breaks clauses that the other does not break in this step."""
    if _unexcused(violations):
        clauses = ", ".join(sorted({one["clause"] for one in violations if one["excused"] is None}))
        return Explanation(Kind.VIOLATION, (Reason("", f"{name} breaks {clauses}.", clauses),))
    excuses = sorted({str(one["excused"]) for one in violations})
    return Explanation(
        Kind.KNOWN_DEVIATION,
        tuple(Reason("", f"{name}: {excuse}", "deviations/") for excuse in excuses),
    )
