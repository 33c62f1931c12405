"""What the reproduction script of two engines in turn consists of: who runs which step, up to the one that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.dialect import ScriptedCase, ScriptRun
from harness.turns.turn_judge import News
from harness.turns.turn_run import Taken
from model.codec import case_id
from model.semantics.definitions import definitions
from model.vocabulary.case import Case
from model.vocabulary.steps import AddStrayFiles, Append, Moment, SetClock
from model.vocabulary.table import Table
from records.expectations import Expectation
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


def turn_plan(news: News, names: tuple[str, str], sentence: str) -> TurnPlan:
    """The plan for a violation. ``names`` are those of A and B; ``sentence`` is the clause's."""
    case, violation = news.case, news.violation
    id = case_id(case)
    root = Path(HOME.format(case=id), case.table.root.value)
    things = things_of(case.table, root)
    steps = tuple(_steps(case, news.taken, root, names[0]))
    own = tuple(step.run for step in steps if isinstance(step, Turn) and not step.aside)
    last = news.taken[-1].index
    return TurnPlan(
        violation.clause,
        sentence,
        violation.expectation,
        violation.message,
        id,
        names,
        ScriptedCase(case.table, str(root), own, news.processors, bool(things.checkpoints)),
        definitions(case.table, case.steps[: max(last, -1) + 1])[-1],
        things,
        steps,
        cut=violation.step != max(last, 0),
    )


def _steps(case: Case, taken: Sequence[Taken], root: Path, a: str) -> Iterator[Turn | Arranged]:
    """The steps that were taken, with those of the case between them that no engine runs."""
    clock, tables, waiting = Moment(0), definitions(case.table, case.steps), list(enumerate(case.steps))
    for one in taken:
        while waiting and waiting[0][0] <= one.index:
            index, step = waiting.pop(0)
            if isinstance(step, SetClock):
                clock = step.to
            elif isinstance(step, (Append, AddStrayFiles)):
                yield arranged_step(index, step, case.table, root, clock)
        table = tables[min(max(one.index, 0), len(tables) - 1)]
        run = ScriptRun(one.index, one.step, clock, one.refused, rows_file_of(table, one.step))
        yield Turn(SIDES[one.side != a], run, one.aside)
