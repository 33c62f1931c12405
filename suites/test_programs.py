"""DELETE and VACUUM together: programs of both on one table, with other writers' appends and an advancing clock."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from harness.campaign import Shard, Worker, cases_from, explored_by
from harness.machine import JudgedMachine
from model.steps import AddStrayFiles, Append, Read
from model.table import Table
from strategies.cases import programs
from strategies.programs import any_vacuums, appends, deletes, next_clocks
from strategies.stray_files import stray_files
from strategies.vacuum_tables import vacuumable_tables

#: Steps of the engine in one run of the state machine: each costs about a second.
ENGINE_STEPS = 12


@cases_from(programs(), judged_by=("DEL", "VAC"), smoke=5, gate=32)
def test_programs(shard: Shard, worker: Worker) -> None:
    """Whole programs with a chosen distribution, which matters with tens of cases."""
    worker.judge(shard)


class TableMachine(JudgedMachine):
    """The same steps, drawn one by one: with thousands of them Hypothesis explores unforeseen sequences."""

    @initialize(table=vacuumable_tables())
    def begin(self, table: Table) -> None:
        self.start(table, engine_steps=ENGINE_STEPS)

    @precondition(JudgedMachine.may_go_on)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        step = data.draw(deletes(self.program.table))
        self.program.run(step)
        self.take(step)

    @precondition(JudgedMachine.may_go_on)
    @rule(dry_run=st.booleans(), data=st.data())
    def vacuum(self, dry_run: bool, data: st.DataObject) -> None:
        step = data.draw(any_vacuums(self.program, dry_run=dry_run))
        self.program.run(step)
        self.take(step)

    @precondition(JudgedMachine.may_go_on)
    @rule()
    def read(self) -> None:
        self.program.run(Read())
        self.take(Read())

    @precondition(lambda self: self.may_go_on() and self.taken)
    @rule(data=st.data())
    def read_before(self, data: st.DataObject) -> None:
        """Time travel to the version before a step."""
        step = Read(before_step=data.draw(st.integers(0, len(self.taken) - 1)))
        self.program.run(step)
        self.take(step)

    @precondition(JudgedMachine.may_go_on)
    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        """Another writer's commit."""
        files = data.draw(appends(self.program))
        self.program.append(files)
        self.take(Append(files))

    @precondition(JudgedMachine.may_go_on)
    @rule(data=st.data())
    def new_stray_files(self, data: st.DataObject) -> None:
        age = self.program.table.retention - self.program.clock
        found = data.draw(stray_files(self.program.table, cutoff_age=age, min_size=1, max_size=4))
        if found:
            self.program.new_stray_files(found)
            self.take(AddStrayFiles(found))

    @precondition(JudgedMachine.may_go_on)
    @rule(data=st.data())
    def set_clock(self, data: st.DataObject) -> None:
        step = data.draw(next_clocks(self.program))
        self.program.set_clock(step)
        self.take(step)

    @precondition(lambda self: not self.may_go_on())
    @rule()
    def rest(self) -> None:
        """The case is complete, but Hypothesis needs at least one rule to choose."""


@explored_by(TableMachine, judged_by=("DEL", "VAC"))
def test_exploration(shard: Shard, worker: Worker) -> None:
    """Runs of the state machine, only in the profiles nightly and soak."""
    worker.judge(shard)
