"""Judges a case on two engines in turn: what counts is what neither shows alone."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from deltalog.entries.commits import parse_commit
from engines.port import EngineDied
from harness.judging.failure import died, failure_of, raised
from harness.judging.side import Side
from harness.judging.step_judge import Tally
from harness.running.coverage import Cell
from harness.running.judge import JudgedCase
from harness.turns.turn_run import Sides, Taken, TurnRun, on_one_clock
from model.codec import case_id
from model.vocabulary.case import Case
from records.run import CaseError, InTurn, RecordedViolation

#: Who runs the first step of a case, and so on in turn.
PATTERNS = ("AB", "BA")

#: By what a violation of a side alone is the same as one in turn: the side, the clause, the cause, and the step.
_Mark = tuple[str, str, str, int]


@dataclass(frozen=True)
class _Ran:
    """What a run of a case in one pattern did, with so many processors."""

    pattern: str
    taken: tuple[Taken, ...] = ()
    failure: CaseError | None = None
    processors: int | None = None
    tallies: dict[str, Tally] = field(default_factory=dict)
    coverage: Counter[Cell] = field(default_factory=Counter)


class TurnJudge:
    """Judges cases on two sides. Tables are created below ``directory``, which nothing else may use."""

    def __init__(self, a: Side, b: Side, directory: Path) -> None:
        self.sides: Sides = on_one_clock(a, b)
        self._directory = directory
        self._made = 0
        self._alone: dict[str, frozenset[_Mark]] = {}  # by case

    def judge(self, case: Case) -> JudgedCase:
        """The case in each pattern, with the steps of both. A violation has the side in its cause."""
        ran = [self._run(case, pattern) for pattern in PATTERNS]
        tallies: dict[str, Tally] = {}
        for each in ran:
            for id, tally in each.tallies.items():
                found = tallies.setdefault(id, Tally())
                found.met += tally.met
                found.subjects += tally.subjects
                found.seconds += tally.seconds
        for each in ran:
            for one in self._news(case, each):
                tallies[one.clause].violations.append(one)
        return JudgedCase(
            case,
            tuple(replace(taken.step, pattern=each.pattern) for each in ran for taken in each.taken),
            tallies,
            next((each.failure for each in ran if each.failure is not None), None),
            coverage=sum((each.coverage for each in ran), Counter[Cell]()),
            processors=ran[0].processors,
        )

    def _news(self, case: Case, ran: _Ran) -> Iterator[RecordedViolation]:
        """The violations that neither side shows alone. One that is a known fault of its side is news too where the other side
        brings it about."""
        known: dict[str, str] = {}  # by side, its latest known fault
        for one in ran.taken:
            side = one.step.side
            (other,) = (each.name for each in self.sides if each.name != side)
            for violation in one.violations:
                is_of_both = violation.excused is None or one.step.aside or other in known
                if is_of_both and _mark(side, one, violation) not in self._shown_alone(case):
                    also = _mark(other, one, violation) in self._shown_alone(case)
                    turn = InTurn(side, other, ran.pattern, known.get(other), also)
                    yield replace(violation, cause=f"{side}: {violation.cause}", turn=turn)
            for violation in one.violations:
                if violation.excused is not None:
                    known[side] = violation.excused

    def _shown_alone(self, case: Case) -> frozenset[_Mark]:
        """What each side violates in the case by itself. It is judged when it is asked for the first time."""
        id = case_id(case)
        if id not in self._alone:
            self._alone[id] = frozenset(
                _mark(one.step.side, one, violation)
                for letter in "AB"
                for one in self._run(case, letter).taken
                for violation in one.violations
            )
        return self._alone[id]

    def _run(self, case: Case, pattern: str) -> _Ran:
        self._made += 1
        root = self._directory / f"case-{self._made}" / case.table.root.value
        run: TurnRun | None = None
        failure: CaseError | None = None
        try:
            run = TurnRun(self.sides, case.table, root, pattern)
            for step in case.steps:
                if run.take(step):
                    break
        except EngineDied as death:
            failure = died(death)
        except Exception as error:  # noqa: BLE001 - reported as a failure of the suite
            failure = failure_of([raised("Making the table", None, error)])
        finally:
            shutil.rmtree(root.parent, ignore_errors=True)
            parse_commit.cache_clear()  # no other case has these bytes
        if run is None:
            return _Ran(pattern, failure=failure)
        return _Ran(
            pattern, tuple(run.taken), failure_of(run.raised, failure), run.processors, run.tallies, run.coverage
        )


def _mark(side: str, taken: Taken, violation: RecordedViolation) -> _Mark:
    return side, violation.clause, violation.cause, taken.step.index
