"""The base class of a state machine whose steps are judged while Hypothesis draws them."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from hypothesis.stateful import RuleBasedStateMachine

from engines.port import EngineDied
from harness.case_run import CaseRun
from harness.judge import Failure, Judge, JudgedCase, died
from model.capabilities import EVERYTHING, Capabilities
from model.case import Case
from model.steps import Step
from model.table import Table
from strategies.programs import Program
from strategies.restricted import restricted_step, restricted_table


class JudgedMachine(RuleBasedStateMachine):
    """Runs steps on one table until a clause is broken or no more steps are allowed.

    ``broken`` is called with a case that breaks a clause, and raises the exception that Hypothesis shrinks by; ``ended`` is
    called with every case.
    """

    def __init__(
        self,
        judge: Judge,
        broken: Callable[[JudgedCase], None],
        ended: Callable[[JudgedCase], None],
        capabilities: Capabilities = EVERYTHING,
    ) -> None:
        super().__init__()
        self._judge = judge
        self._broken = broken
        self._ended = ended
        self._capabilities = capabilities
        self._root = judge.new_root()
        self._run: CaseRun | None = None
        self._program: Program | None = None
        self._failure: Failure | None = None
        self._over = False
        self.taken: list[Step] = []

    @property
    def program(self) -> Program:
        """The table after the steps so far, as the model predicts it."""
        assert self._program is not None, "start() comes first"
        return self._program

    def start(self, table: Table, *, engine_steps: int) -> None:
        table = restricted_table(table, capabilities=self._capabilities)
        self._run = self._judge.start(table, self._root)
        self._program = Program(table, engine_steps=engine_steps)

    def may_go_on(self) -> bool:
        return self._failure is None and not self._over and self._program is not None and self.program.engine_steps > 0

    def take(self, step: Step) -> None:
        """Run and judge a step."""
        assert self._run is not None, "start() comes first"
        step = restricted_step(step, capabilities=self._capabilities)
        self.taken.append(step)
        try:
            self._over = self._run.take(step)
        except EngineDied as death:
            self._failure = died(death)
            return
        # A known deviation ends a case too: the table no longer matches the model.
        if self._over and (case := self._case(self._run)).failed:
            self._broken(case)

    def _case(self, run: CaseRun) -> JudgedCase:
        case = Case(self.program.initial, tuple(self.taken))
        return JudgedCase(case, tuple(run.records), run.tallies, self._failure, run.coverage, run.processors)

    def teardown(self) -> None:
        if self.taken and self._run is not None:
            self._ended(self._case(self._run))
        shutil.rmtree(self._root.parent, ignore_errors=True)
