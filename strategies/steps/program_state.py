"""A program while it is drawn, by a strategy or by a state machine: its steps, and the table and the clock that they make."""

from __future__ import annotations

from dataclasses import replace

from model.semantics.definitions import definition_after
from model.vocabulary.commands import (
    AddColumn,
    DropColumn,
    Overwrite,
    RenameColumn,
    Restore,
    SetRetention,
    StreamAppend,
    WidenColumn,
)
from model.vocabulary.steps import AddStrayFiles, Append, AtOnce, Delete, Insert, OtherCommand, SetClock, Step, Vacuum
from model.vocabulary.table import DAY, DEFAULT_LOG_RETENTION, HOUR, MINUTE, Commit, Table

#: No case runs this long (ms): this long after a DELETE's timestamp is after all timestamps of the program.
LONGER_THAN_A_CASE = DAY

#: No program takes this long until a step (ms).
LONGER_THAN_A_STEP = 10 * MINUTE


class Program:
    """The steps so far. ``tables`` are the tables before each step and now, with appends.

    Rows are those of the initial table and of other writers: predicates may use values that were deleted or changed.
    """

    def __init__(self, table: Table, *, engine_steps: int) -> None:
        self.initial = table
        self.engine_steps = engine_steps  # how many more the program may have
        self.steps: list[Step] = []
        self.tables = [table]
        self.log_retentions = [DEFAULT_LOG_RETENTION]  # of the log, in ms, before each step and now
        self.made = [table.commits[-1].at]  # when the version before each step and now was made at the earliest
        self.clock = 0  # ms from the start; relative to a DELETE's timestamp, the least that it can be
        self.stamp: int | None = None  # the DELETE step that the clock is relative to

    @property
    def table(self) -> Table:
        return self.tables[-1]

    @property
    def log_retention(self) -> int:
        return self.log_retentions[-1]

    def take(self, step: Step) -> bool:
        """Add a step, and return whether it was: the engine's only while the program may have more of them."""
        table, log_retention = self.table, self.log_retention
        if isinstance(step, SetClock):
            self.clock, self.stamp = step.to.offset, step.to.removed_by_step
        elif isinstance(step, AddStrayFiles):
            table = replace(table, stray_files=table.stray_files + step.stray_files)
        elif isinstance(step, Append):
            commit = Commit(at=self.clock, adds=tuple(file.id for file in step.files))
            table = replace(table, files=table.files + step.files, commits=(*table.commits, commit))
        elif self.engine_steps > 0:
            self.engine_steps -= 1
        else:
            return False
        if isinstance(step, AtOnce):
            table = definition_after(step, self.tables)
        if isinstance(step, OtherCommand):
            table = definition_after(step, self.tables)
            if isinstance(step.command, Restore):
                back = max(0, step.command.before_step)  # earlier ones have the same definition
                table = replace(table, files=self.tables[back].files, commits=self.tables[back].commits)
                log_retention = self.log_retentions[back]
            elif isinstance(step.command, SetRetention) and step.command.of_log:
                log_retention = step.command.hours * HOUR
        self.steps.append(step)
        self.tables.append(table)
        self.log_retentions.append(log_retention)
        # The time of an engine's commit is the machine's, whatever its clock is set to.
        self.made.append(0 if _commits(step) else self.made[-1])
        return True

    def is_restorable(self, place: int) -> bool:
        """Whether a RESTORE to the version before that step certainly succeeds: no file of it can be gone, and it is inside
        retention."""
        deletes = any(isinstance(step, Vacuum) and not step.dry_run for step in self.steps[place:])
        now = self.clock if self.stamp is None else self.clock + LONGER_THAN_A_CASE
        return not deletes and now + LONGER_THAN_A_STEP - self.made[place] <= self.table.retention

    def next_file(self) -> int:
        """The least id that no file of the case has or had."""
        files = [*self.initial.files, *(file for step in self.steps if isinstance(step, Append) for file in step.files)]
        return max((file.id for file in files), default=-1) + 1

    def deletes(self) -> list[int]:
        """The DELETEs that are not killed: those may have committed nothing."""
        return [place for place, step in enumerate(self.steps) if isinstance(step, Delete) and step.crash is None]


#: The commands that make a version, whatever the table is.
_ALWAYS_COMMIT = (AddColumn, DropColumn, Overwrite, RenameColumn, SetRetention, StreamAppend, WidenColumn)


def _commits(step: Step) -> bool:
    """Whether the step certainly makes a version."""
    return isinstance(step, (Insert, Append)) or (
        isinstance(step, OtherCommand) and isinstance(step.command, _ALWAYS_COMMIT)
    )
