"""What both versions ask of storage for the same steps: where one of them asks for more, and never for less.

Counts do not depend on the machine, as seconds do. Nobody has promised most of them: they are reported, and judge nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from model.prediction.delete import ConditionScope, scope_of
from model.vocabulary.accesses import Operation
from model.vocabulary.case import Case
from model.vocabulary.steps import ENGINE_STEPS, Delete
from model.vocabulary.table import Feature
from records.run import Asked, RecordedStep
from reports.comparison.commands import command_of
from reports.text.quantities import counted

#: A difference in fewer steps of a kind is no rule.
_LEAST = 3

#: Nor is a smaller part of what is asked: the texts in two commits differ by a few bytes.
_PART = 0.02

#: The most blocks of a bar.
_WIDTH = 20


class Measure(str, Enum):
    CALLS = "requests"
    BYTES = "bytes"


@dataclass(frozen=True)
class RequestChange:
    """What the steps of a kind ask of storage: how much on both sides, over all steps. In ``differing`` of them one side asks for
    more, always the same side. ``asked``: an operation and a kind of path, as in ``RecordedStep.asked``.
    """

    command: str
    asked: str
    measure: Measure
    steps: int
    differing: int
    base: int
    candidate: int

    @property
    def more(self) -> int:
        """How much more the candidate asks."""
        return self.candidate - self.base

    @property
    def growth(self) -> float:
        """The candidate's part of the base's: 2.0 for twice as much; infinite if the base asks for nothing."""
        return self.candidate / self.base if self.base else float("inf")

    @property
    def does(self) -> str:
        """``opens data files``."""
        operation, _, kind = self.asked.partition(" ")
        return f"{_DOES[Operation(operation)]} {kind}"

    def sentence(self, base: str) -> str:
        """``VACUUM lists directories of data 131 times, 3.3.2 70 (more in 17 of 70 steps)``."""
        unit = "times" if self.measure is Measure.CALLS else "bytes"
        where = f"{'more' if self.more > 0 else 'fewer'} in {self.differing} of {counted(self.steps, 'step')}"
        return f"{self.command} {self.does} {self.candidate:,} {unit}, {base} {self.base:,} ({where})"

    @property
    def amounts(self) -> tuple[int, int]:
        return self.base, self.candidate

    @property
    def bars(self) -> tuple[str, str]:
        """The base's and the candidate's amount, drawn."""
        most = max(self.base, self.candidate)
        first, second = ("█" * round(_WIDTH * one / most) for one in (self.base, self.candidate))
        return first, second


_DOES: Mapping[Operation, str] = {
    Operation.OPEN: "opens",
    Operation.LIST: "lists",
    Operation.STATUS: "asks for the status of",
    Operation.CREATE: "creates",
    Operation.RENAME: "renames to",
    Operation.DELETE: "deletes",
}


class RequestWalk:
    """Takes the steps that both sides ran on the same table."""

    def __init__(self) -> None:
        self._steps: dict[tuple[str, str], list[tuple[Asked | None, Asked | None]]] = {}
        self.calls = 0, 0  # of both, in all steps

    def take(self, case: Case, base: RecordedStep, candidate: RecordedStep) -> None:
        """Nothing of a step that was not counted on both sides, or that failed on one."""
        if base.asked is None or candidate.asked is None or base.outcome.error or candidate.outcome.error:
            return
        command = kind_of(case, base.index)
        mine, theirs = (sum(one.calls for one in side.values()) for side in (base.asked, candidate.asked))
        self.calls = self.calls[0] + mine, self.calls[1] + theirs
        for asked in sorted({*base.asked, *candidate.asked}):
            pair = base.asked.get(asked), candidate.asked.get(asked)
            self._steps.setdefault((command, asked), []).append(pair)

    def changes(self) -> tuple[RequestChange, ...]:
        """What grows first, by how much; then what shrinks."""
        found = [
            change for (command, asked), pairs in self._steps.items() for change in _changes(command, asked, pairs)
        ]
        return tuple(sorted(found, key=lambda one: (one.measure is Measure.BYTES, -one.more, one.command, one.asked)))


def _changes(command: str, asked: str, pairs: list[tuple[Asked | None, Asked | None]]) -> Iterator[RequestChange]:
    for measure in Measure:
        amounts = [(_amount(one, measure), _amount(other, measure)) for one, other in pairs]
        more, fewer = (sum((other - one) * sign > 0 for one, other in amounts) for sign in (1, -1))
        if max(more, fewer) >= _LEAST and not (more and fewer):
            base, candidate = (sum(side) for side in zip(*amounts))
            if abs(candidate - base) >= _PART * max(base, candidate):
                yield RequestChange(command, asked, measure, len(pairs), more or fewer, base, candidate)


def _amount(asked: Asked | None, measure: Measure) -> int:
    if asked is None:
        return 0
    return asked.calls if measure is Measure.CALLS else asked.size


def kind_of(case: Case, index: int) -> str:
    """The command of a step by what it must ask: a DELETE by its condition and the table, a VACUUM by its mode."""
    step = case.steps[index]
    assert isinstance(step, ENGINE_STEPS)
    text = replace(command_of(step), retain="").text
    if not isinstance(step, Delete):
        return text
    if scope_of(step.where, case.table.partition_by) is not ConditionScope.ROWS:
        return f"{text} of whole files"
    return f"{text} of rows" + (" with deletion vectors" if case.table.has(Feature.DELETION_VECTORS) else "")
