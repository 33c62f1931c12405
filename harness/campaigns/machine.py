"""The base class of a state machine that draws programs step by step, and what is done with the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hypothesis import assume, target
from hypothesis.stateful import RuleBasedStateMachine

from engines.port import EngineDied
from harness.judging.failure import died
from harness.running.case_run import CaseRun
from harness.running.judge import CaseJudge, Judge, JudgedCase, judged_case
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.operations import Operation
from model.vocabulary.steps import Step
from model.vocabulary.table import Table
from records.run import CaseError
from strategies.restriction.capabilities import (
    capabilities_on,
    knows_types,
    restricted_step_on,
    restricted_table,
    restricted_to,
)
from strategies.steps.operations import allows
from strategies.steps.program_state import Program


class Follower(Protocol):
    """What follows a machine: it gets the table, and after each step the case so far."""

    def start(self, table: Table) -> None: ...

    def take(self, case: Case) -> bool:
        """Take the last step of the case. True ends the case."""
        ...

    def end(self, case: Case) -> None: ...


class Collecting:
    """Collects the cases without running them: what is drawn then depends on no engine."""

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def start(self, table: Table) -> None:
        """Nothing runs."""

    def take(self, case: Case) -> bool:
        return False

    def end(self, case: Case) -> None:
        self.cases.append(case)


class Judging:
    """Runs and judges each step on one table, until a clause is broken.

    ``broken`` is called with a case that breaks a clause, and raises the exception that Hypothesis shrinks by; ``ended`` is
    called with every case. One for each run of the machine.
    """

    def __init__(self, judge: Judge, broken: Callable[[JudgedCase], None], ended: Callable[[JudgedCase], None]) -> None:
        self._judge = judge
        self._broken = broken
        self._ended = ended
        self._root = judge.new_root()
        self._run: CaseRun | None = None
        self._failure: CaseError | None = None

    def start(self, table: Table) -> None:
        self._run = self._judge.start(table, self._root)

    def take(self, case: Case) -> bool:
        assert self._run is not None, "start() comes first"
        try:
            over = self._run.take(case.steps[-1])
        except EngineDied as death:
            self._failure = died(death)
            return True
        # A known fault ends a case too: the table no longer matches the model.
        if over and (judged := self._judged(case, self._run)).failed:
            self._broken(judged)
        return over

    def _judged(self, case: Case, run: CaseRun) -> JudgedCase:
        return judged_case(case, run, self._failure)

    def end(self, case: Case) -> None:
        self._judge.remove(self._root)
        if self._run is not None and case.steps:
            judged = self._judged(case, self._run)
            _prefer_more(judged)
            self._ended(judged)


class JudgingAtEnd:
    """Judges each case as a whole, restricted to ``capabilities``: what a time must be apart from is known at the end only.

    ``broken`` and ``ended`` are those of Judging.
    """

    def __init__(
        self,
        judge: CaseJudge,
        capabilities: Capabilities,
        broken: Callable[[JudgedCase], None],
        ended: Callable[[JudgedCase], None],
    ) -> None:
        self._judge = judge
        self._capabilities = capabilities
        self._broken = broken
        self._ended = ended

    def start(self, table: Table) -> None:
        """Nothing runs yet."""

    def take(self, case: Case) -> bool:
        return False

    def end(self, case: Case) -> None:
        if not case.steps:
            return
        judged = self._judge.judge(restricted_to(case, capabilities=self._capabilities))
        if judged.failed:
            self._broken(judged)
        _prefer_more(judged)
        self._ended(judged)


def _prefer_more(judged: JudgedCase) -> None:
    """Hypothesis prefers runs that exercise more clauses, and more of what coverage counts."""
    target(float(len(judged.tallies) + len(judged.coverage)), label="clauses and cells of coverage")


class ProgramMachine(RuleBasedStateMachine):
    """Draws a table and the steps of a program, restricted to ``capabilities``, until its steps of the engine are used up."""

    def __init__(self, follower: Follower, capabilities: Capabilities = EVERYTHING) -> None:
        super().__init__()
        self._follower = follower
        self._capabilities = capabilities
        self._program: Program | None = None
        self._over = False

    @property
    def program(self) -> Program:
        """The table after the steps so far, as the model predicts it."""
        assert self._program is not None, "start() comes first"
        return self._program

    @property
    def _case(self) -> Case:
        return Case(self.program.initial, tuple(self.program.steps))

    def start(self, table: Table, *, engine_steps: int) -> None:
        assume(knows_types(Case(table, ()), capabilities=self._capabilities))
        table = restricted_table(table, capabilities=self._capabilities)
        self._capabilities = capabilities_on(table, self._capabilities)
        self._program = Program(table, engine_steps=engine_steps)
        self._follower.start(table)

    def may_go_on(self) -> bool:
        return not self._over and self._program is not None and self.program.engine_steps > 0

    def allows(self, operation: Operation) -> bool:
        """Whether the operation can follow the steps so far."""
        return self.may_go_on() and allows(self.program, operation)

    def take(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            if not self.may_go_on():
                return
            self.program.take(restricted_step_on(self.program.table, step, capabilities=self._capabilities))
            self._over = self._follower.take(self._case)

    def teardown(self) -> None:
        if self._program is not None:
            self._follower.end(self._case)
