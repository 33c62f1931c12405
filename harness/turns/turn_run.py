"""Runs a case in turn on two engines, and lets the other one read what each leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

from engines.wrapped import WrappedEngine
from harness.judging.side import Side
from harness.observing.steps.observation import Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.running.case_run import CaseRun
from model.prediction.fates import Fate
from model.vocabulary.case import Case
from model.vocabulary.rules import Rules
from model.vocabulary.steps import ENGINE_STEPS, Delete, EngineStep, OpenSession, Read, ReadChanges, Step
from model.vocabulary.table import Feature, Table
from records.run import RecordedStep, RecordedViolation

#: Two sides of a table. Patterns name them A and B.
Sides = tuple[Side, Side]


@dataclass(frozen=True)
class Taken:
    """A step of an engine as it is recorded, and the clauses that it violates."""

    step: RecordedStep
    violations: tuple[RecordedViolation, ...]


def step_of(case: Case, taken: RecordedStep) -> EngineStep:
    """The step that was recorded: of the case, or a read that it does not have, of the table or of its change feed."""
    if taken.aside:
        return Read() if taken.kind == "read" else ReadChanges(taken.index)
    step = case.steps[taken.index]
    assert isinstance(step, ENGINE_STEPS)
    return step


class SameClock(WrappedEngine):
    """An engine beside another one, with the rules that only both together can have."""

    def __init__(self, side: Side, other: Side) -> None:
        super().__init__(side.engine)
        mine, others = side.engine.rules, other.engine.rules
        self._rules = replace(
            mine,
            own_clock=mine.own_clock and others.own_clock,
            draws_processors=mine.draws_processors or others.draws_processors,
        )

    @property
    def rules(self) -> Rules:
        return self._rules


def on_one_clock(a: Side, b: Side) -> Sides:
    """Both sides as they are on one table: its clock is the machine's, unless both can set theirs."""
    return replace(a, engine=SameClock(a, b)), replace(b, engine=SameClock(b, a))


class TurnRun(CaseRun):
    """Makes the table at ``root``; then ``take`` has one step after another run by the side whose turn it is.

    ``pattern`` says who: ``AB`` is A, B, A, B, and so on; ``A`` is A alone. A step by what a session has opened is its engine's
    that opened it. After each step that may have changed the table the other side reads it, and its change feed. While the
    table has its rows and files, no known fault ends the case, and of a side alone no violation: all that it shows must be
    known. ``taken`` has the steps of the engines.
    """

    def __init__(self, sides: Sides, table: Table, root: Path, pattern: str) -> None:
        self.taken: list[Taken] = []
        self._sides = sides
        self._whose = cycle(["AB".index(letter) for letter in pattern])
        self._alone = len(set(pattern)) == 1
        self._opener: Side | None = None
        super().__init__(sides["AB".index(pattern[0])], table, root)
        if self.processors is not None:
            for side in sides:
                side.engine.use_processors(self.processors)

    def take(self, step: Step) -> bool:
        if not isinstance(step, ENGINE_STEPS):
            return super().take(step)
        self._side = self._sides[next(self._whose)]
        if getattr(step, "by_earlier", False) and self._opener is not None:
            self._side = self._opener
        if isinstance(step, OpenSession):
            self._opener = self._side
        if self._taken(step):
            return True
        return not isinstance(step, (Read, ReadChanges, OpenSession)) and self._read_by_the_other(step)

    def _read_by_the_other(self, step: EngineStep) -> bool:
        """Reads that the case does not have: they have the number of the step before, and no later step knows of them."""
        if not self._is_whole(self.observations[-1]):
            return True
        if self._initial.damaged_files:
            return False  # nobody can read them
        mine = self._side
        if not self._alone:
            self._side = self._sides[1] if mine is self._sides[0] else self._sides[0]
        ends = False
        for read in self._reads_after(step):
            kept = self._version_before.pop(), self._aged_before.pop()
            number = len(self.observations), len(self.records)
            try:
                ends = self._taken(read, aside=True) or ends
            finally:
                self._version_before[-1], self._aged_before[-1] = kept
                del self.observations[number[0] :], self.records[number[1] :]
        self._side = mine
        return ends

    def _reads_after(self, step: EngineStep) -> Iterable[Read | ReadChanges]:
        yield Read()
        last = self.observations[-1]
        table, capabilities = self._expected.table, self._side.engine.capabilities
        reads_feed = capabilities.mapped_change_feed if table.maps_columns else capabilities.change_feed
        feeds = table.has(Feature.CHANGE_DATA_FEED) and isinstance(step, Delete)
        if feeds and last.commits and reads_feed:
            yield ReadChanges(last.index)

    def _taken(self, step: EngineStep, *, aside: bool = False) -> bool:
        earlier, recorded = len(self._judge.found), len(self.records)
        ends = super().take(step)
        if len(self.records) > recorded:
            record = replace(self.records[-1], side=self._side.name, aside=aside)
            self.taken.append(Taken(record, tuple(self._judge.found[earlier:])))
        return ends

    def _judged(self, observation: Observation) -> bool:
        is_whole = self._is_whole(observation)
        return self._judge.judge(observation, self._side, is_whole=is_whole) and not (self._alone and is_whole)

    def _is_whole(self, observation: Observation) -> bool:
        """Whether the table has its rows and the files that it needs, and a VACUUM has left what it must keep."""
        after = observation.after
        kept = set(after.live)
        if isinstance(observation, VacuumObservation):
            fates = observation.fates.items()
            there = (path for path, predicted in fates if predicted.fate is Fate.KEEP)
            kept.update(path for path in there if observation.before.entry(path) is not None)
        return (
            after.broken is None
            and after.rows == self._expected.rows
            and all(after.entry(path) is not None for path in kept)
        )
