"""What a DELETE must do: which files it removes, which rows it deletes, which rows survive in the files it removes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from model.evaluate import evaluate
from model.predicate import Predicate, columns_of
from model.values import Row


@dataclass(frozen=True)
class LiveFile:
    """A live file before the DELETE. ``rows`` are full rows in schema order, without those a deletion vector hides."""

    path: str  # relative to the table's root, as on storage
    partition: Row
    rows: tuple[Row, ...]


class Scope(str, Enum):
    """How much a DELETE has to look at (facts 2.2)."""

    TABLE = "table"  # no condition: every file goes
    PARTITIONS = "partitions"  # the condition speaks of partition columns only: whole files go, unread
    ROWS = "rows"


@dataclass(frozen=True)
class DeletePrediction:
    scope: Scope
    removed: tuple[LiveFile, ...]
    deleted: Counter[Row]
    survivors: Counter[tuple[Row, Row]]  # (partition, row) of the rows of removed files that stay in the table
    unknown: int  # rows for which the condition is NULL

    @property
    def removed_paths(self) -> frozenset[str]:
        return frozenset(file.path for file in self.removed)

    @property
    def commits(self) -> bool:
        """A DELETE that removes nothing writes no commit (facts 2.2, "No match")."""
        return bool(self.removed)


def scope_of(where: Predicate | None, partition_by: Iterable[str]) -> Scope:
    """The scope of a condition: it is about partitions where each of its columns is a partition column."""
    if where is None:
        return Scope.TABLE
    return Scope.PARTITIONS if columns_of(where) <= frozenset(partition_by) else Scope.ROWS


def predict_delete(
    live: Iterable[LiveFile], where: Predicate | None, *, columns: tuple[str, ...], partition_by: tuple[str, ...]
) -> DeletePrediction:
    """The prediction for a DELETE on a table whose live files are ``live``; ``columns`` are in schema order.

    SQL deletes the rows for which the condition is TRUE; FALSE and NULL keep them. Without a row to read, a partition
    condition still decides on an empty file, since whole files go by their partition values.
    """
    scope = scope_of(where, partition_by)
    removed: list[LiveFile] = []
    deleted: Counter[Row] = Counter()
    survivors: Counter[tuple[Row, Row]] = Counter()
    unknown = 0
    for file in live:
        if scope is not Scope.ROWS:
            goes = where is None or evaluate(where, dict(zip(partition_by, file.partition)))
            unknown += len(file.rows) if goes is None else 0
            if goes:
                removed.append(file)
                deleted.update(file.rows)
            continue
        assert where is not None
        verdicts = [evaluate(where, dict(zip(columns, row))) for row in file.rows]
        unknown += verdicts.count(None)
        if True in verdicts:
            removed.append(file)
            deleted.update(row for row, goes in zip(file.rows, verdicts) if goes)
            survivors.update((file.partition, row) for row, goes in zip(file.rows, verdicts) if not goes)
    return DeletePrediction(scope, tuple(removed), deleted, survivors, unknown)
