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
from harness.turns.questions import prelude_of, questions_about
from model.prediction.fates import Fate
from model.vocabulary.rules import Rules
from model.vocabulary.steps import (
    ENGINE_STEPS,
    Delete,
    EngineStep,
    OpenSession,
    Read,
    ReadChanges,
    Step,
)
from model.vocabulary.table import Feature, Table
from records.run import RecordedViolation

#: Two sides of a table. Patterns name them A and B.
Sides = tuple[Side, Side]


@dataclass(frozen=True)
class Taken:
    """A step of an engine: who ran it, on what, and the clauses that it violates."""

    side: str
    step: EngineStep
    index: int  # in the case; the steps of the prelude come before 0
    aside: bool  # a read that the case does not have
    refused: bool
    violations: tuple[RecordedViolation, ...]


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
    that opened it. After each step that may have changed the table the other side reads it, and its change feed. A known
    fault does not end the case while the table has its rows and files. ``taken`` has the steps of the engines.
    """

    def __init__(self, sides: Sides, table: Table, root: Path, pattern: str) -> None:
        self.taken: list[Taken] = []
        self._sides = sides
        self._whose = cycle(["AB".index(letter) for letter in pattern])
        self._alone = len(set(pattern)) == 1
        self._opener: Side | None = None
        self._last_writer = sides["AB".index(pattern[0])]
        super().__init__(sides["AB".index(pattern[0])], table, root)
        if self.processors is not None:
            for side in sides:
                side.engine.use_processors(self.processors)

    def begin(self) -> bool:
        """Let A write the table again by its own commands, or the side that is alone; True ends the case."""
        self._last_writer = self._side = self._last_writer if self._alone else self._sides[0]
        steps = prelude_of(self._expected, self._side.engine.capabilities)
        for index, step in enumerate(steps, start=-len(steps)):
            if self._taken(step, index=index):
                return True
            del self._version_before[-1], self._aged_before[-1]  # the steps of the case keep their numbers
            self.observations.clear()
        return False

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
        if isinstance(step, (Read, ReadChanges, OpenSession)):
            return False
        self._last_writer = self._side
        return self._read_by_the_other(step)

    def ask(self, number: int) -> bool:
        """Let the side that did not write last delete up to so many values that the table has; True ends the case."""
        for question in questions_about(self._expected)[:number]:
            if self._state.rows != self._expected.rows:
                return True
            self._side = self._other(self._last_writer)
            if self._taken(question):
                return True
            self._last_writer = self._side
        return False

    def _other(self, side: Side) -> Side:
        if self._alone:
            return side
        return self._sides[1] if side is self._sides[0] else self._sides[0]

    def _read_by_the_other(self, step: EngineStep) -> bool:
        """Reads that the case does not have: they have the number of the step before, and no later step knows of them."""
        if not self._is_whole(self.observations[-1]):
            return True
        if self._initial.damaged_files:
            return False  # nobody can read them
        mine = self._side
        self._side = self._other(mine)
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

    def _taken(self, step: EngineStep, *, aside: bool = False, index: int | None = None) -> bool:
        index, earlier = len(self._version_before) if index is None else index, len(self._judge.found)
        ends = super().take(step)
        refused = bool(self.observations) and self.observations[-1].outcome.error is not None
        self.taken.append(Taken(self._side.name, step, index, aside, refused, tuple(self._judge.found[earlier:])))
        return ends

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
