"""DELETE and VACUUM together: programs of both on one table, with other writers' appends and an advancing clock."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from harness.campaigns.campaign import cases_from, explored_by
from harness.campaigns.machine import ProgramMachine
from model.vocabulary.operations import Operation
from model.vocabulary.table import Table
from strategies.cases.commands import command_cases, everyday_cases
from strategies.cases.corpus.pairs import pairs
from strategies.cases.deletes import programs
from strategies.cases.earlier_sessions import earlier_sessions
from strategies.cases.evolved_tables import evolved_tables
from strategies.steps.operations import operations
from strategies.tables.program_tables import program_tables

#: Steps of the engine in one run of the state machine: each costs about a second.
ENGINE_STEPS = 10

#: Whole programs with a chosen distribution, which matters with tens of cases.
test_programs = cases_from("programs", "DEL VAC READ CRASH", 32, programs())

#: Tables that other writers changed: types widened, features that came and went, checkpoints written otherwise or by half.
test_evolved_tables = cases_from("evolved-tables", "DEL VAC", 40, evolved_tables())

#: DELETE and VACUUM between the other commands of a table's life, and these themselves.
test_commands = cases_from("commands", "DEL VAC READ LIFE", 64, command_cases())

#: A table in use: what the engine wrote, merged, updated, deleted, compacted and vacuumed in turn.
test_everyday = cases_from("everyday", "DEL VAC READ LIFE", 64, everyday_cases())

#: Commands and queries of a session that opened the table before others committed.
test_earlier_sessions = cases_from("earlier-sessions", "LIFE DEL VAC READ", 24, earlier_sessions())

#: Each command that changes a table, before each kind of DELETE and VACUUM; also of a session that opened it before.
test_pairs = cases_from("pairs", "LIFE DEL VAC", 128, pairs())


def _rule_of(*chosen: Operation, name: str = "") -> Callable[..., None]:
    """The rule of an operation, or of several equally often. Hypothesis sorts rules by their names, so a name is part of what a
    seed draws."""

    def run(self: ProgramMachine, data: st.DataObject) -> None:
        possible = [operation for operation in chosen if self.allows(operation)]
        operation = possible[0] if len(possible) == 1 else data.draw(st.sampled_from(possible))
        self.take(data.draw(operations(self.program, operation)))

    run.__name__ = name or chosen[0].name.lower()
    possible = precondition(lambda self: any(map(self.allows, chosen)))
    decorated: Callable[..., None] = possible(rule(data=st.data())(run))
    return decorated


class TableMachine(ProgramMachine):
    """The same operations, drawn one by one: Hypothesis explores unforeseen sequences. Rules are chosen equally often, each but
    four and that of crashes of one operation."""

    @initialize(table=program_tables())
    def begin(self, table: Table) -> None:
        self.start(table, engine_steps=ENGINE_STEPS)

    delete = _rule_of(Operation.DELETE)
    invalid_delete = _rule_of(Operation.INVALID_DELETE)
    vacuum = _rule_of(Operation.VACUUM)
    retain = _rule_of(Operation.RETAIN)
    lite = _rule_of(Operation.LITE)
    inventory = _rule_of(Operation.INVENTORY)
    dry_run = _rule_of(Operation.DRY_RUN)
    io_fault = _rule_of(Operation.IO_FAULT)
    invalid_vacuum = _rule_of(Operation.INVALID_VACUUM)
    killed = _rule_of(Operation.KILLED_DELETE, Operation.KILLED_VACUUM, name="killed")
    read = _rule_of(Operation.READ)
    read_before = _rule_of(Operation.READ_BEFORE)
    read_changes = _rule_of(Operation.READ_CHANGES)
    insert = _rule_of(Operation.INSERT)
    append = _rule_of(Operation.APPEND)
    stray_files = _rule_of(Operation.STRAY_FILES)
    clock = _rule_of(Operation.CLOCK)
    rewrite = _rule_of(Operation.OPTIMIZE, Operation.PURGE, Operation.RESTORE, name="rewrite")
    change = _rule_of(Operation.UPDATE, Operation.MERGE, Operation.OVERWRITE, Operation.STREAM_APPEND, name="change")
    maintain = _rule_of(
        *(Operation.CHECKPOINT, Operation.COMPACT_LOG, Operation.CLEAN_UP_LOG),
        *(Operation.SHALLOW_CLONE, Operation.VACUUM_CLONE),
        name="maintain",
    )
    alter = _rule_of(
        *(Operation.ADD_COLUMN, Operation.RENAME_COLUMN, Operation.DROP_COLUMN, Operation.WIDEN_COLUMN),
        *(Operation.SWITCH, Operation.DROP_FEATURE, Operation.SET_RETENTION),
        name="alter",
    )

    @precondition(lambda self: not self.may_go_on())
    @rule()
    def rest(self) -> None:
        """The case is complete, but Hypothesis needs at least one rule to choose."""


#: Runs of the state machine. A fixed profile draws its cases first, so that every engine judges the same.
test_exploration = explored_by("exploration", "DEL VAC READ LIFE CRASH", 20, TableMachine)
