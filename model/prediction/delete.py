"""The model of DELETE: which rows it must delete, and what it must do with their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from model.semantics.domains import combined, distinct, domain
from model.semantics.evaluate import evaluate_avoiding_errors, might_fail
from model.vocabulary.predicate import Predicate, columns_of, verbatim_tests
from model.vocabulary.steps import Delete
from model.vocabulary.table import Feature, Table
from model.vocabulary.values import AnyType, Row, Value, required_fields


@dataclass(frozen=True, slots=True)  # there may be 100,000
class LiveFile:
    """A live file before the DELETE. ``rows`` are all stored rows, as full rows in schema order."""

    path: str  # relative to the table's root, as on storage
    partition: Row
    rows: tuple[Row, ...]
    hidden: frozenset[int] = frozenset()  # indexes of the rows that its deletion vector hides
    counted: bool = True  # whether its statistics have numRecords

    @property
    def visible(self) -> tuple[Row, ...]:
        """The rows that are not hidden."""
        return tuple(row for index, row in enumerate(self.rows) if index not in self.hidden)


class ConditionScope(str, Enum):
    """What a condition depends on (docs/delta.md 2.2)."""

    TABLE = "table"  # no condition: all files are removed
    PARTITIONS = "partitions"  # partition columns only: whole files are removed without being read
    ROWS = "rows"


class DeleteMethod(str, Enum):
    """What a DELETE does with the files that contain matching rows (docs/delta.md 2.2)."""

    METADATA_ONLY = "whole"  # removes whole files: scopes TABLE and PARTITIONS
    REWRITE = "rewrite"  # removes them, and writes the other rows into new files
    DELETION_VECTORS = "vectors"  # hides the matching rows by deletion vectors, and removes files without other rows


@dataclass(frozen=True)
class DeletePrediction:
    scope: ConditionScope
    method: DeleteMethod
    removed: tuple[LiveFile, ...]  # without an add of the same path
    hidden_rows: dict[str, frozenset[int]]  # by path: all row indexes in the new deletion vector
    matching: Counter[Row]  # the rows that a condition on rows deletes
    survivors: Counter[tuple[Row, Row]]  # (partition, row) of the remaining rows of the touched files

    @cached_property
    def removed_paths(self) -> frozenset[str]:
        return frozenset(file.path for file in self.removed)

    @cached_property
    def deleted(self) -> Counter[Row]:
        """All rows that it deletes. Those of whole files are read only here."""
        if self.method is not DeleteMethod.METADATA_ONLY:
            return self.matching
        return Counter(row for file in self.removed for row in file.visible)

    @cached_property
    def touched(self) -> frozenset[str]:
        """The paths of the files that get a remove action."""
        return self.removed_paths | frozenset(self.hidden_rows)

    def writes_required_null(self, table: Table) -> bool:
        """Whether it writes a row with a NULL struct that has a NOT NULL field (docs/delta.md 2.2, "Constraints")."""
        if self.method is not DeleteMethod.REWRITE:
            return False
        places = [place for place, column in enumerate(table.columns) if required_fields(column.type)]
        return any(row[place] is None for _, row in self.survivors for place in places)

    @property
    def commits(self) -> bool:
        """Whether it writes a commit: not if no file is touched (docs/delta.md 2.2, "No match")."""
        return bool(self.removed or self.hidden_rows)


def scope_of(where: Predicate | None, partition_by: Iterable[str]) -> ConditionScope:
    """The scope of a condition: PARTITIONS if it uses partition columns only."""
    if where is None:
        return ConditionScope.TABLE
    return ConditionScope.PARTITIONS if columns_of(where) <= frozenset(partition_by) else ConditionScope.ROWS


def method_of(table: Table, scope: ConditionScope, *, writes_vectors: bool = True) -> DeleteMethod:
    """The method: deletion vectors if the table has them enabled (PROTOCOL.md, "Deletion Vectors") and the engine writes them."""
    if scope is not ConditionScope.ROWS:
        return DeleteMethod.METADATA_ONLY
    with_vectors = writes_vectors and table.has(Feature.DELETION_VECTORS)
    return DeleteMethod.DELETION_VECTORS if with_vectors else DeleteMethod.REWRITE


def matches(step: Delete, table: Table, row: Row) -> bool | None:
    """Whether the step deletes a full row: it does if its condition is TRUE, not if it is FALSE or NULL (``None``).

    If the condition is an error for the row, the result of an engine that avoids the error.
    """
    return _truth(step, table, dict(zip((column.name for column in table.columns), row)))


def _truth(step: Delete, table: Table, values: Mapping[str, Value]) -> bool | None:
    if step.where is None:
        return True
    return evaluate_avoiding_errors(step.where, values, types=types_of(table), zone=step.zone)


def may_fail(step: Delete, table: Table, rows: Iterable[Row]) -> bool:
    """Whether the condition may be an error on a table with these full rows; hidden rows count too."""
    if step.where is None:
        return False
    names = [column.name for column in table.columns]
    return might_fail(step.where, (dict(zip(names, row)) for row in rows), types=types_of(table), zone=step.zone)


def _first_row(files: Iterable[LiveFile], otherwise: Row) -> Row:
    return next((row for file in files for row in file.visible), otherwise)


def types_of(table: Table) -> dict[str, AnyType]:
    """The types of the table's columns, by name."""
    return {column.name: column.type for column in table.columns}


def is_constant(live: Iterable[LiveFile], step: Delete, table: Table) -> bool:
    """Whether the condition has the same result for all rows of each partition: for the values that the table's columns
    have, for those that the condition names, for others beside these, and for NULL where it is allowed.

    ``v IS NULL OR v IS NOT NULL`` uses a data column and is TRUE for every row. An optimizer may notice that and remove
    whole files, or not notice it and read the files. Both are right.
    """
    live, where = tuple(live), step.where
    if where is None:
        return True
    if any(len({matches(step, table, row) is True for row in file.visible}) > 1 for file in live):
        return False
    if verbatim_tests(where):
        return True  # of other values nothing is known
    rows = [row for file in live for row in file.rows]
    domains = {
        column.name: domain(column, (where,), (row[place] for row in rows))
        for place, column in enumerate(table.columns)
        if column.name in columns_of(where) and column.name not in table.partition_by
    }
    names = [column.name for column in table.columns]
    any_row = dict(zip(names, rows[0] if rows else (None,) * len(names)))
    for partition in distinct(file.partition for file in live):
        base = any_row | dict(zip(table.partition_by, partition))
        combinations = combined(domains, _MOST_COMBINATIONS)
        if len({_truth(step, table, base | values) is True for values in combinations}) > 1:
            return False
    return True


#: Of the values of a condition's columns, so many combinations are tried.
_MOST_COMBINATIONS = 64


def predict_delete(
    live: Iterable[LiveFile],
    step: Delete,
    table: Table,
    *,
    whole_files: bool = False,
    writes_vectors: bool = True,
    keeps_emptied_files: bool = False,
) -> DeletePrediction:
    """The prediction for a DELETE on a table whose live files are ``live``.

    ``whole_files``: the engine noticed that the condition is constant per file, and treats it as a partition condition.

    A partition condition decides on empty files too, by their partition values. A file without numRecords is never
    removed by deletion vectors: it stays live with all its rows hidden (docs/delta.md 2.2); with ``keeps_emptied_files`` any is.
    """
    live = tuple(live)
    columns = [column.name for column in table.columns]
    scope = ConditionScope.PARTITIONS if whole_files else scope_of(step.where, table.partition_by)
    method = method_of(table, scope, writes_vectors=writes_vectors)
    removed: list[LiveFile] = []
    hidden_rows: dict[str, frozenset[int]] = {}
    matched: Counter[Row] = Counter()
    survivors: Counter[tuple[Row, Row]] = Counter()
    # A condition that is the same for all rows may name their columns: with a row of the file, or of the table if it has none.
    any_row = _first_row(live, (None,) * len(columns)) if whole_files else ()
    for file in live:
        if scope is not ConditionScope.ROWS:
            row = dict(zip(columns, _first_row((file,), any_row) if whole_files else ()))
            if _truth(step, table, row | dict(zip(table.partition_by, file.partition))):
                removed.append(file)
            continue
        truths = {
            index: _truth(step, table, dict(zip(columns, row)))
            for index, row in enumerate(file.rows)
            if index not in file.hidden
        }
        matching = frozenset(index for index, truth in truths.items() if truth is True)
        if not matching:
            continue
        matched.update(file.rows[index] for index in matching)
        survivors.update((file.partition, file.rows[index]) for index in truths if index not in matching)
        stays = len(matching) < len(truths) or not file.counted or keeps_emptied_files
        if method is DeleteMethod.DELETION_VECTORS and stays:
            hidden_rows[file.path] = file.hidden | matching
            continue
        removed.append(file)
    return DeletePrediction(scope, method, tuple(removed), hidden_rows, matched, survivors)
