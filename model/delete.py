"""What a DELETE must do: which rows it deletes, and what becomes of the files that hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from model.evaluate import WouldFail, evaluate, might_fail
from model.predicate import Predicate, columns_of
from model.steps import Delete
from model.table import Feature, Table
from model.values import AnyType, Row, Value


@dataclass(frozen=True)
class LiveFile:
    """A live file before the DELETE. ``rows`` are all that it stores, as full rows in schema order."""

    path: str  # relative to the table's root, as on storage
    partition: Row
    rows: tuple[Row, ...]
    hidden: frozenset[int] = frozenset()  # the indexes of the rows that its deletion vector hides
    counted: bool = True  # whether its statistics say how many rows it stores

    @property
    def visible(self) -> tuple[Row, ...]:
        """The rows that the table has in this file."""
        return tuple(row for index, row in enumerate(self.rows) if index not in self.hidden)


class ConditionScope(str, Enum):
    """How much a DELETE has to look at (docs/delta.md 2.2)."""

    TABLE = "table"  # no condition: every file goes
    PARTITIONS = "partitions"  # the condition speaks of partition columns only: whole files go, unread
    ROWS = "rows"


class DeleteMethod(str, Enum):
    """What a DELETE does with the files that hold matching rows (docs/delta.md 2.2)."""

    METADATA_ONLY = "whole"  # removes them, whatever else they hold: scopes TABLE and PARTITIONS
    REWRITE = "rewrite"  # removes them, and writes the rows that stay into new files
    DELETION_VECTORS = (
        "vectors"  # hides the matching rows by deletion vectors, and removes files of which no row is left
    )


@dataclass(frozen=True)
class DeletePrediction:
    scope: ConditionScope
    method: DeleteMethod
    removed: tuple[LiveFile, ...]  # for good: no add of the same path
    hidden_rows: dict[str, frozenset[int]]  # by path: all rows that the new deletion vector hides
    deleted: Counter[Row]
    survivors: Counter[tuple[Row, Row]]  # (partition, row) of the rows of the touched files that stay in the table

    @property
    def removed_paths(self) -> frozenset[str]:
        return frozenset(file.path for file in self.removed)

    @property
    def touched(self) -> frozenset[str]:
        """The paths of the files that get a remove."""
        return self.removed_paths | frozenset(self.hidden_rows)

    @property
    def commits(self) -> bool:
        """A DELETE that touches nothing writes no commit (docs/delta.md 2.2, "No match")."""
        return bool(self.removed or self.hidden_rows)


def scope_of(where: Predicate | None, partition_by: Iterable[str]) -> ConditionScope:
    """The scope of a condition: it is about partitions where each of its columns is a partition column."""
    if where is None:
        return ConditionScope.TABLE
    return ConditionScope.PARTITIONS if columns_of(where) <= frozenset(partition_by) else ConditionScope.ROWS


def method_of(table: Table, scope: ConditionScope, *, writes_vectors: bool = True) -> DeleteMethod:
    """New deletion vectors are written where the table asks for them (PROTOCOL.md, "Deletion Vectors"), and the engine can."""
    if scope is not ConditionScope.ROWS:
        return DeleteMethod.METADATA_ONLY
    return (
        DeleteMethod.DELETION_VECTORS
        if writes_vectors and table.has(Feature.DELETION_VECTORS)
        else DeleteMethod.REWRITE
    )


def matches(step: Delete, table: Table, row: Row) -> bool | None:
    """Whether the step deletes a full row: TRUE of its condition deletes; FALSE and NULL (``None``) keep.

    Where the condition is an error for the row, it is what an engine finds that does not come upon the error.
    """
    return _truth(step, table, dict(zip((column.name for column in table.columns), row)))


def _truth(step: Delete, table: Table, values: Mapping[str, Value]) -> bool | None:
    if step.where is None:
        return True
    try:
        return evaluate(step.where, values, types=_types(table), zone=step.zone)
    except WouldFail as failure:
        return failure.otherwise


def may_fail(step: Delete, table: Table, rows: Iterable[Row]) -> bool:
    """Whether the condition may be an error on a table whose files hold ``rows``, full ones and hidden ones too."""
    if step.where is None:
        return False
    names = [column.name for column in table.columns]
    return might_fail(step.where, (dict(zip(names, row)) for row in rows), types=_types(table), zone=step.zone)


def _any_row(file: LiveFile, live: tuple[LiveFile, ...], table: Table) -> dict[str, Value]:
    """A row of the file, or of the table where it has none: a condition about partitions is alike for all."""
    names = [column.name for column in table.columns]
    rows = (row for one in (file, *live) for row in one.visible)
    return dict(zip(names, next(rows, (None,) * len(names))))


def _types(table: Table) -> dict[str, AnyType]:
    return {column.name: column.type for column in table.columns}


def says_nothing_of_rows(live: Iterable[LiveFile], step: Delete, table: Table) -> bool:
    """Whether the condition is alike for all rows of each file, so that it may be one about partitions in disguise.

    ``v IS NULL OR v IS NOT NULL`` names a data column and is TRUE of every row. An optimizer that sees it makes a DELETE
    of whole files out of the DELETE of rows; one that does not see it reads the files. Both are right.
    """
    return all(len({matches(step, table, row) is True for row in file.visible}) < 2 for file in live)


def predict_delete(
    live: Iterable[LiveFile], step: Delete, table: Table, *, folded: bool = False, writes_vectors: bool = True
) -> DeletePrediction:
    """The prediction for a DELETE on a table whose live files are ``live``.

    ``folded``: the engine found that the condition says nothing of rows, and takes it for one about partitions.

    Without a row to read, a partition condition still decides on an empty file, since whole files go by their partition
    values. A file whose rows are not counted is never found to have lost them all: it stays, with all its rows hidden
    (docs/delta.md 2.2).
    """
    live = tuple(live)
    columns = [column.name for column in table.columns]
    scope = ConditionScope.PARTITIONS if folded else scope_of(step.where, table.partition_by)
    method = method_of(table, scope, writes_vectors=writes_vectors)
    removed: list[LiveFile] = []
    hidden_rows: dict[str, frozenset[int]] = {}
    deleted: Counter[Row] = Counter()
    survivors: Counter[tuple[Row, Row]] = Counter()
    for file in live:
        if scope is not ConditionScope.ROWS:
            if _truth(step, table, _any_row(file, live, table) | dict(zip(table.partition_by, file.partition))):
                removed.append(file)
                deleted.update(file.visible)
            continue
        truths = {
            index: _truth(step, table, dict(zip(columns, row)))
            for index, row in enumerate(file.rows)
            if index not in file.hidden
        }
        matching = frozenset(index for index, truth in truths.items() if truth is True)
        if not matching:
            continue
        deleted.update(file.rows[index] for index in matching)
        survivors.update((file.partition, file.rows[index]) for index in truths if index not in matching)
        if method is DeleteMethod.DELETION_VECTORS and (len(matching) < len(truths) or not file.counted):
            hidden_rows[file.path] = file.hidden | matching
            continue
        removed.append(file)
    return DeletePrediction(scope, method, tuple(removed), hidden_rows, deleted, survivors)
