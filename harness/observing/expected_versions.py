"""The rows that each version of a case's table must have, predicted from the case's steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from harness.observing.observation import ExpectedVersion
from harness.observing.table_state import Rows
from model.prediction.delete import matches, may_fail
from model.prediction.history import hidden_rows, live_ids, visible_rows
from model.vocabulary.steps import Delete, Insert
from model.vocabulary.table import DataFile, Table


class ExpectedVersions:
    """``rows`` are those of the newest version, ``by_version`` those of each version that the log still has."""

    def __init__(self, table: Table, *, start: int) -> None:
        self._table = table
        self.rows: Rows = Counter()
        self.by_version: dict[int, ExpectedVersion] = {}
        files = {file.id: file for file in table.files}
        for version, commit in enumerate(table.commits):
            hidden = hidden_rows(table, version)
            self.rows = Counter(
                table.row(files[id].partition, row)
                for id in live_ids(table, version)
                for row in visible_rows(files[id], hidden.get(id, frozenset()))
            )
            if version >= table.pruned:  # earlier ones cannot be read
                self.commit(version, start + commit.at)

    def commit(self, version: int, committed: int) -> None:
        """Record the current rows as those of this version, committed at ``committed`` (ms since the epoch)."""
        self.by_version[version] = ExpectedVersion(self.rows, committed)

    def append(self, files: Iterable[DataFile]) -> None:
        self.rows = self.rows + Counter(self._table.row(file.partition, row) for file in files for row in file.rows)

    def insert(self, step: Insert) -> None:
        self.rows = self.rows + Counter(step.rows)

    def delete(self, step: Delete) -> None:
        """Remove the rows for which the condition is TRUE. It is not for FALSE, NULL, or an error that the engine may skip."""
        self.rows = Counter(
            {row: count for row, count in self.rows.items() if matches(step, self._table, row) is not True}
        )

    def shift(self, by: int) -> None:
        """The table became ``by`` ms older."""
        self.by_version = {
            version: replace(expected, committed=expected.committed - by)
            for version, expected in self.by_version.items()
        }

    def may_fail(self, step: Delete) -> bool:
        """Whether the condition is an error for some row of the table, or for some partition."""
        nulls = (None,) * len(self._table.data_columns)  # an empty file stands for a row of its partition
        files = self._table.files
        rows = [*self.rows, *(self._table.row(file.partition, row) for file in files for row in (*file.rows, nulls))]
        return may_fail(step, self._table, rows)
