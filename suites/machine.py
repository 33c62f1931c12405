"""The focused state machine of the random profiles: the same steps as ``strategies.programs``, chosen one by one.

A program strategy keeps the distribution ours, which matters with tens of cases. With thousands of steps Hypothesis'
own exploration finds what we did not think of: it leaves out rules at random, and repeats what was interesting.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from engines.port import EngineDied
from model.capabilities import EVERYTHING, Capabilities
from model.case import Case
from model.steps import Append, Delete, AddStrayFiles, Read, SetClock, Step, Vacuum
from model.table import Table
from strategies.restricted import fitted_step, fitted_table
from strategies.programs import Program, any_vacuums, appends, deletes, next_clocks
from strategies.stray_files import stray_files
from strategies.vacuum_tables import vacuumable_tables
from harness.judge import Failure, Judge, JudgedCase, Trial

#: Steps of the engine in one run of the machine: each costs about a second.
ENGINE_STEPS = 12


class TableMachine(RuleBasedStateMachine):
    """One table, and steps until a clause is broken or the steps run out.

    ``broken`` gets the case that breaks a clause, and raises what Hypothesis is to shrink by; ``ended`` gets every case.
    """

    def __init__(
        self,
        judge: Judge,
        broken: Callable[[JudgedCase], None],
        ended: Callable[[JudgedCase], None],
        capabilities: Capabilities = EVERYTHING,
    ) -> None:
        super().__init__()
        self._capabilities = capabilities
        self._judge = judge
        self._broken = broken
        self._ended = ended
        self._root = judge.new_root()
        self._trial: Trial | None = None
        self._program: Program | None = None
        self._taken: list[Step] = []
        self._failure: Failure | None = None
        self._over = False

    @property
    def program(self) -> Program:
        assert self._program is not None, "begin() comes first"
        return self._program

    @initialize(table=vacuumable_tables())
    def begin(self, table: Table) -> None:
        table = fitted_table(table, capabilities=self._capabilities)
        self._trial = self._judge.trial(table, self._root)
        self._program = Program(table, engine_steps=ENGINE_STEPS)

    def may_run(self) -> bool:
        going = self._failure is None and not self._over
        return going and self._program is not None and self.program.engine_steps > 0

    @precondition(may_run)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        self._run(data.draw(deletes(self.program.table)))

    @precondition(may_run)
    @rule(dry_run=st.booleans(), data=st.data())
    def vacuum(self, dry_run: bool, data: st.DataObject) -> None:
        self._run(data.draw(any_vacuums(self.program, dry_run=dry_run)))

    @precondition(may_run)
    @rule()
    def read(self) -> None:
        self._run(Read())

    @precondition(lambda self: self.may_run() and self._taken)
    @rule(data=st.data())
    def read_before(self, data: st.DataObject) -> None:
        self._run(Read(before_step=data.draw(st.integers(0, len(self._taken) - 1))))

    @precondition(may_run)
    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        files = data.draw(appends(self.program))
        self.program.append(files)
        self._take(Append(files))

    @precondition(may_run)
    @rule(data=st.data())
    def new_stray_files(self, data: st.DataObject) -> None:
        age = self.program.table.retention - self.program.clock
        found = data.draw(stray_files(self.program.table, cutoff_age=age, min_size=1, max_size=4))
        if found:
            self.program.new_stray_files(found)
            self._take(AddStrayFiles(found))

    @precondition(may_run)
    @rule(data=st.data())
    def set_clock(self, data: st.DataObject) -> None:
        step: SetClock = data.draw(next_clocks(self.program))
        self.program.set_clock(step)
        self._take(step)

    @precondition(lambda self: not self.may_run())
    @rule()
    def rest(self) -> None:
        """The case is at its end, and Hypothesis must have something to choose."""

    def _run(self, step: Delete | Vacuum | Read) -> None:
        self.program.run(step)
        self._take(step)

    def _take(self, step: Step) -> None:
        assert self._trial is not None
        step = fitted_step(step, capabilities=self._capabilities)
        self._taken.append(step)
        try:
            self._over = self._trial.take(step)
        except EngineDied as death:
            self._failure = Failure("engine-died", str(death).partition("\n")[0], str(death))
            return
        # What is known of the engine ends a case, too: the table is no longer what it should be.
        if self._over and (case := self._case()).failed:
            self._broken(case)

    def _case(self) -> JudgedCase:
        trial: Any = self._trial
        case = Case(self.program.initial, tuple(self._taken))
        return JudgedCase(case, tuple(trial.records), trial.tallies, self._failure, trial.coverage)

    def teardown(self) -> None:
        if self._taken:
            self._ended(self._case())
        shutil.rmtree(self._root.parent, ignore_errors=True)
