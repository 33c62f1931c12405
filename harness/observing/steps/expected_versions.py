"""The rows that each version of a case's table must have, predicted from the case's steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from deltalog.log import Log
from harness.observing.steps.observation import ExpectedVersion
from harness.observing.table.not_read import UNREAD, UnreadByKey
from harness.observing.table.table_state import Rows
from harness.observing.table.vacuum_inputs import committed
from harness.observing.table.version_rows import VersionRows, converted
from model.prediction.commands import as_read_after, may_be_refused, rows_after
from model.prediction.delete import matches, may_fail
from model.prediction.history import changes
from model.semantics.definitions import table_after
from model.vocabulary.commands import Command, DropColumn, Restore, ShallowClone, added_by
from model.vocabulary.steps import Delete, Insert, OtherCommand, SessionStep
from model.vocabulary.table import DataFile, Feature, Table
from model.vocabulary.values import Row


@dataclass(frozen=True)
class Expected:
    """What a command must make of the table, if it succeeds."""

    rows: Rows
    table: Table
    may_be_refused: bool


class ExpectedVersions:
    """``rows`` and ``table`` are those of the newest version, ``by_version`` has each version that the log still has."""

    def __init__(self, table: Table, *, start: int, unit: int = 1) -> None:
        """The case starts at ``start`` (ms since the epoch). ``unit`` is that of the storage's times, in ms."""
        self.table = table
        self.rows: Rows = Counter()
        self.clone: Rows | None = None  # of the shallow clone that a command made
        self.by_version: dict[int, ExpectedVersion] = {}
        rows: VersionRows | None = None
        for version, (removed, added) in enumerate(changes(table)):
            self.rows.update(added)
            self.rows.subtract(removed)
            if version >= table.pruned:  # earlier ones cannot be read
                rows = VersionRows(+self.rows) if rows is None else VersionRows(added, removed, rows)
                at = start + table.commits[version].at
                self._record(version, at if table.has(Feature.IN_COMMIT_TIMESTAMPS) else at // unit * unit, rows)
        self.rows = +self.rows

    @property
    def so_far(self) -> Mapping[int, ExpectedVersion]:
        """Each version, as it is expected now."""
        return dict(self.by_version)

    def commit(self, version: int, committed: int) -> None:
        """Record the current rows as those of this version, committed at ``committed`` (ms since the epoch)."""
        self._record(version, committed, VersionRows(self.rows))

    def _record(self, version: int, committed: int, rows: VersionRows) -> None:
        self.by_version[version] = ExpectedVersion(rows, committed, self.table, rows)

    def append(self, files: Iterable[DataFile]) -> None:
        self.rows = self.rows + Counter(self.table.row(file.partition, row) for file in files for row in file.rows)

    def insert(self, step: Insert) -> None:
        self.rows = self._after(step, self._now, None).rows

    def delete(self, step: Delete) -> None:
        """Remove the rows for which the condition is TRUE. It is not for FALSE, NULL, or an error that the engine may skip."""
        self.rows = self._after(step, self._now, None).rows

    def promise(self, command: Command, version: int | None) -> Expected:
        """``version`` is the one to which a RESTORE goes back. It may be refused if that is the current one, or if nobody can
        read it any more."""
        if isinstance(command, Restore) and version == max(self.by_version):
            return replace(self._now, may_be_refused=True)
        return self._after(OtherCommand(command), self._now, version)

    def one_after_another(self, steps: Iterable[SessionStep], version: int | None) -> tuple[Expected, ...]:
        """What the table is now, and after each of these steps; ``version`` is the one to which a RESTORE goes back."""
        found = [self._now]
        for step in steps:
            found.append(self._after(step, found[-1], version))
        return tuple(found)

    @property
    def _now(self) -> Expected:
        return Expected(self.rows, self.table, may_be_refused=False)

    def _after(self, step: SessionStep, before: Expected, version: int | None) -> Expected:
        rows, table = before.rows, before.table
        if isinstance(step, Insert):
            return replace(before, rows=rows + Counter(step.rows))
        if isinstance(step, Delete):
            left = {row: count for row, count in rows.items() if matches(step, table, row) is not True}
            return replace(before, rows=Counter(left), may_be_refused=may_fail(step, table, [*rows, *self._stored()]))
        if not isinstance(step, OtherCommand):
            return before
        command = step.command
        back = None if version is None else self.by_version.get(version)
        if isinstance(command, Restore) and back is None:
            return replace(before, may_be_refused=True)
        return Expected(
            rows_after(command, table, rows, restored=None if back is None else back.rows),
            table_after(command, table, restored=None if back is None else back.table),
            may_be_refused(command, table, [*rows, *self._stored()]),
        )

    def adopt(self, command: Command, promise: Expected, table: Table) -> None:
        """The command has succeeded; ``table`` is the definition that the log has now, with the names in files."""
        before = self.table
        self.rows, self.table = promise.rows, table
        if isinstance(command, ShallowClone):
            self.clone = self.rows
        if isinstance(command, DropColumn) or added_by(command) is not None:
            known = (one.as_now for one in self.by_version.values() if one.as_now is not None)
            found = converted(known, lambda rows: as_read_after(command, before, rows))
            self._carry(lambda one: None if one.as_now is None else found[one.as_now])
        elif table.columns != before.columns and isinstance(command, Restore):
            self._carry(lambda one: one.by_case if one.table.columns == table.columns else None)

    def forget(self) -> None:
        """The table was made again: nothing is known of its versions."""
        self.by_version = {}

    def _carry(self, as_now: Callable[[ExpectedVersion], VersionRows | None]) -> None:
        self.by_version = {version: replace(one, as_now=as_now(one)) for version, one in self.by_version.items()}

    def settle(self, promise: Expected, table: Table) -> None:
        """What two sessions at once have made of the table; ``table`` is the definition that the log has, with names in files."""
        self.rows, self.table = promise.rows, table

    def shift(self, by: int) -> None:
        """The table became ``by`` ms older."""
        self.by_version = {
            version: replace(expected, committed=expected.committed - by)
            for version, expected in self.by_version.items()
        }

    def date(self, log: Log) -> None:
        """Take the times of versions from the log: those of commits whose files are as old as their uploads."""
        self.by_version = {
            version: replace(expected, committed=committed(log.commits[version]))
            if version in log.commits
            else expected
            for version, expected in self.by_version.items()
        }

    def may_fail(self, step: Delete) -> bool:
        """Whether the condition is an error for some row of the table, or for some partition."""
        return may_fail(step, self.table, [*self.rows, *self._stored()])

    def _stored(self) -> list[Row]:
        """The rows of all files, also those that are hidden; an empty file stands for a row of its partition."""
        nulls = (None,) * len(self.table.data_columns)
        return [self.table.row(file.partition, row) for file in self.table.files for row in (*file.rows, nulls)]


class UnreadVersions(ExpectedVersions):
    """The versions of a table whose rows nobody has read, and whose condition has no errors: only whole files are deleted."""

    def __init__(self, table: Table) -> None:
        self.table, self.rows, self.clone, self.by_version = table, UNREAD, None, {}

    @property
    def so_far(self) -> Mapping[int, ExpectedVersion]:
        return UnreadByKey()

    def commit(self, version: int, committed: int) -> None:
        """Nothing is known of its rows."""

    def delete(self, step: Delete) -> None:
        """Nothing is known of the rows that stay."""

    def may_fail(self, step: Delete) -> bool:
        return False
