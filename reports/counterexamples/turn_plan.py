"""What the reproduction script of two engines in turn consists of: who runs which step, up to the one that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.dialect import ScriptedCase, ScriptRun
from harness.turns.turn_run import step_of
from model.semantics.definitions import definitions
from model.vocabulary.case import Case
from model.vocabulary.steps import AddStrayFiles, Append, Moment, SetClock
from model.vocabulary.table import Table
from records.expectations import Expectation
from records.run import RecordedCase, RecordedStep, RecordedViolation
from reports.counterexamples.plan import HOME, Arranged, Things, arranged_step, rows_file_of, things_of

#: The sides of a plan: A and B of the report.
SIDES = ("a", "b")


@dataclass(frozen=True)
class Turn:
    """A step of an engine. ``side``: one of ``SIDES``; ``aside``: it is a read that the case does not have."""

    side: str
    run: ScriptRun
    aside: bool


@dataclass(frozen=True)
class TurnPlan:
    """``names`` and ``judged_by``: both sides, and which one violates the clause, in the last of ``steps``. ``cut``: whether
    the violation was made by an earlier step than the one that showed it.
    """

    clause: str
    sentence: str
    expectation: Expectation | None
    message: str
    case_id: str
    names: tuple[str, str]
    scripted: ScriptedCase
    table: Table  # as the case defines it after the last step
    things: Things
    steps: tuple[Turn | Arranged, ...]
    cut: bool = False

    @property
    def judged(self) -> Turn:
        last = self.steps[-1]
        assert isinstance(last, Turn), "an engine runs the step that is judged"
        return last

    @property
    def turns(self) -> Sequence[Turn]:
        return [step for step in self.steps if isinstance(step, Turn)]

    def name_of(self, turn: Turn) -> str:
        """Who runs it."""
        return self.names[SIDES.index(turn.side)]


def turn_plan(judged: RecordedCase, violation: RecordedViolation, names: tuple[str, str], sentence: str) -> TurnPlan:
    """The plan for a violation of two engines in turn. ``names`` are those of A and B; ``sentence`` is the clause's."""
    assert violation.turn is not None
    case = judged.case
    root = Path(HOME.format(case=judged.id), case.table.root.value)
    things = things_of(case.table, root)
    taken = tuple(_taken(judged.steps_before(violation), violation))
    steps = tuple(_steps(case, taken, root, names[0]))
    own = tuple(step.run for step in steps if isinstance(step, Turn) and not step.aside)
    last = taken[-1].index
    return TurnPlan(
        violation.clause,
        sentence,
        violation.expectation,
        violation.message,
        judged.id,
        names,
        ScriptedCase(case.table, str(root), own, judged.processors, bool(things.checkpoints)),
        definitions(case.table, case.steps[: last + 1])[-1],
        things,
        steps,
        cut=judged.steps_before(violation)[-1].index != violation.step,  # a violation that is not known ends the case
    )


def _taken(steps: Sequence[RecordedStep], violation: RecordedViolation) -> Iterator[RecordedStep]:
    """The steps up to the last one of the side that violates the clause, at its index."""
    assert violation.turn is not None
    side = violation.turn.side
    last = max(place for place, one in enumerate(steps) if one.index == violation.step and one.side == side)
    yield from steps[: last + 1]


def _steps(case: Case, taken: Sequence[RecordedStep], root: Path, a: str) -> Iterator[Turn | Arranged]:
    """The steps that were taken, with those of the case between them that no engine runs."""
    clock, tables, waiting = Moment(0), definitions(case.table, case.steps), list(enumerate(case.steps))
    for one in taken:
        while waiting and waiting[0][0] <= one.index:
            index, step = waiting.pop(0)
            if isinstance(step, SetClock):
                clock = step.to
            elif isinstance(step, (Append, AddStrayFiles)):
                yield arranged_step(index, step, case.table, root, clock)
        own = step_of(case, one)
        refused = one.outcome.error is not None
        run = ScriptRun(one.index, own, clock, refused, rows_file_of(tables[one.index], own))
        yield Turn(SIDES[one.side != a], run, one.aside)
