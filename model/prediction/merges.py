"""What a MERGE makes of the rows of a table and of its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from model.prediction.delete import matches
from model.semantics.evaluate import evaluate
from model.vocabulary.commands import Merge, MergeClause, Then, Update, When, assignments_of
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete
from model.vocabulary.table import Table
from model.vocabulary.values import Row


def merged(command: Merge, table: Table, row: Row) -> tuple[Row, ...] | None:
    """What a row of the table becomes: one row, or none if it is deleted; None: no clause is about it."""
    source = source_of(command, table, row)
    when = When.BY_SOURCE if source is None else When.MATCHED
    for clause in command.clauses:
        if clause.when is not when or not (clause.where is None or _is_true(table, clause.where, row)):
            continue
        if clause.then is Then.DELETE:
            return ()
        if clause.then is Then.UPDATE_ALL:
            assert source is not None, "a row that is matched"
            return (source,)
        new = assigned(clause, table, row)
        return (new if command.adds is None else (*new, None),)
    return None


def assigned(part: Update | MergeClause, table: Table, row: Row) -> Row:
    """The row with what the command sets."""
    set_to = {to.column: to.value for to in assignments_of(part)}
    return tuple(set_to.get(column.name, value) for column, value in zip(table.columns, row))


def inserted_rows(command: Merge, table: Table, rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows of the source that match none of the ``rows`` of the table, if the command inserts them."""
    if not command.can(Then.INSERT):
        return ()
    matched = Counter(source_of(command, table, row) for row in rows)
    return tuple(row for row in command.rows if not matched[row])


def source_of(command: Merge, table: Table, row: Row) -> Row | None:
    """The row of the source that matches a row of the table: the empty one where the source only matches."""
    if not _is_true(table, command.on, row):
        return None
    types = {column.name: column.type for column in table.columns}
    named = dict(zip(types, row))
    for source in command.rows or ((),):
        values = dict(zip(types, source))
        if all(
            evaluate(Compare(key, Op.EQ, values[key], types[key]), named, types=types) is True for key in command.keys
        ):
            return source
    return None


def _is_true(table: Table, where: object, row: Row) -> bool:
    return matches(Delete(where), table, row) is True  # type: ignore[arg-type]
