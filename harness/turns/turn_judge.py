"""Judges a case on two engines in turn, and says what is new in that."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from deltalog.entries.commits import parse_commit
from engines.port import EngineDied
from harness.judging.failure import died, failure_of, raised
from harness.judging.side import Side
from harness.turns.turn_run import Sides, Taken, TurnRun, on_one_clock
from model.codec import case_id
from model.vocabulary.case import Case
from records.run import CaseError, RecordedViolation

#: Who runs the first step of a case, and so on in turn.
PATTERNS = ("AB", "BA")

#: How many DELETEs of a value follow a case.
QUESTIONS = 2


@dataclass(frozen=True)
class News:
    """A violation that only two engines in turn show.

    ``side`` ran the step that violates the clause. ``inherited`` is the known fault of the other side that came before it. A
    violation that is a known fault of ``side`` is news too where it does not show it alone: the other side brings it about.
    ``also_alone``: whether the other side, alone, violates the same at the same step: it is no better on such a table.
    ``taken``: what both ran, up to the step that violates the clause. ``processors``: how many they might use (None: all).
    """

    case: Case
    pattern: str
    side: str
    violation: RecordedViolation
    aside: bool
    inherited: str | None
    also_alone: bool = False
    taken: tuple[Taken, ...] = ()
    processors: int | None = None

    @property
    def kind(self) -> tuple[str, str, str | None, str | None]:
        """News of one kind is one way in which the two do not go together."""
        return self.side, self.violation.cause, self.inherited, self.violation.excused


@dataclass(frozen=True)
class TurnCase:
    """A case in one pattern."""

    case: Case
    pattern: str
    taken: tuple[Taken, ...]
    failure: CaseError | None
    news: tuple[News, ...] = ()


@dataclass(frozen=True)
class _Ran:
    """What a run of a case in one pattern did, with so many processors."""

    taken: tuple[Taken, ...]
    failure: CaseError | None
    processors: int | None


class TurnJudge:
    """Judges cases on two sides. Tables are created below ``directory``, which nothing else may use.

    ``prelude``: whether A first writes each table itself.
    """

    def __init__(self, a: Side, b: Side, directory: Path, *, prelude: bool = False) -> None:
        self.sides: Sides = on_one_clock(a, b)
        self._directory = directory
        self._prelude = prelude
        self._made = 0
        self._alone: dict[str, frozenset[tuple[str, str, str, int]]] = {}  # by case

    def judge(self, case: Case) -> Iterator[TurnCase]:
        """The case in each pattern. What one side shows alone, on the same case, is not new."""
        for pattern in PATTERNS:
            ran = self._run(case, pattern)
            yield TurnCase(case, pattern, ran.taken, ran.failure, tuple(self._news(case, pattern, ran)))

    def _news(self, case: Case, pattern: str, ran: _Ran) -> Iterator[News]:
        known: dict[str, str] = {}  # by side, its latest known fault
        for number, one in enumerate(ran.taken, start=1):
            (other,) = (side.name for side in self.sides if side.name != one.side)
            for violation in one.violations:
                is_of_both = violation.excused is None or one.aside or known.get(other) is not None
                if is_of_both and _mark(one, violation) not in self._shown_alone(case):
                    yield News(
                        case,
                        pattern,
                        one.side,
                        violation,
                        one.aside,
                        known.get(other),
                        _mark(replace(one, side=other), violation) in self._shown_alone(case),
                        ran.taken[:number],
                        ran.processors,
                    )
            for violation in one.violations:
                if violation.excused is not None:
                    known[one.side] = violation.excused

    def _shown_alone(self, case: Case) -> frozenset[tuple[str, str, str, int]]:
        """What each side violates in the case by itself. It is judged when it is asked for the first time."""
        id = case_id(case)
        if id not in self._alone:
            self._alone[id] = frozenset(
                _mark(one, violation)
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
            ended = self._prelude and run.begin()
            for step in () if ended else case.steps:
                if ended := run.take(step):
                    break
            if not ended:
                run.ask(QUESTIONS)
        except EngineDied as death:
            failure = died(death)
        except Exception as error:  # noqa: BLE001 - reported as a failure of the suite
            failure = failure_of([raised("Making the table", None, error)])
        finally:
            shutil.rmtree(root.parent, ignore_errors=True)
            parse_commit.cache_clear()  # no other case has these bytes
        if run is None:
            return _Ran((), failure, None)
        return _Ran(tuple(run.taken), failure_of(run.raised, failure), run.processors)


def _mark(taken: Taken, violation: RecordedViolation) -> tuple[str, str, str, int]:
    """By what a violation of a side alone is the same as one in turn."""
    return taken.side, violation.clause, violation.cause, taken.index
