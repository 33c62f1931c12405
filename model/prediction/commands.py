"""What commands other than DELETE and VACUUM do to the rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from model.prediction.delete import matches, may_fail
from model.prediction.merges import assigned, inserted_rows, merged
from model.vocabulary.commands import (
    KEEP_ROWS,
    AddColumn,
    Assignment,
    AsWritten,
    Command,
    DropColumn,
    DropFeature,
    Merge,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    StreamAppend,
    Update,
    added_by,
    assignments_of,
    conditions_of,
)
from model.vocabulary.predicate import Predicate, columns_of
from model.vocabulary.steps import Delete
from model.vocabulary.table import DEFAULT_LOG_RETENTION, DEFAULT_RETENTION, HOUR, Feature, Table
from model.vocabulary.values import Row, required_fields

Rows = Counter[Row]


def rows_after(command: Command, table: Table, rows: Rows, *, restored: Rows | None = None) -> Rows:
    """The rows after the command, if it succeeds. ``table`` and ``rows`` are those before it, ``restored`` the rows to which a
    RESTORE goes back."""
    if isinstance(command, (*KEEP_ROWS, AsWritten)):
        return rows
    if isinstance(command, (AddColumn, DropColumn)):
        return as_read_after(command, table, rows)
    if isinstance(command, Restore):
        assert restored is not None, "a RESTORE has a version"
        return restored
    if isinstance(command, StreamAppend):
        return rows + Counter(command.rows)
    if isinstance(command, Overwrite):
        return _kept(command, table, rows) + Counter(command.rows)
    if isinstance(command, Update):
        matched = _matched(table, command.where, rows)
        changed: Rows = Counter()
        for row, count in matched.items():
            changed[assigned(command, table, row)] += count
        return (rows - matched) + changed
    assert isinstance(command, Merge), "no other command is left"
    left: Rows = Counter()
    changed = Counter(inserted_rows(command, table, rows))
    for row, count in rows.items():
        after = merged(command, table, row)
        if after is None:
            left[row] += count
        else:
            changed.update(dict.fromkeys(after, count))
    return changed + as_read_after(command, table, left)


def as_read_after(command: Command, table: Table, rows: Rows) -> Rows:
    """Rows of any version as they are read by the columns that the table has after the command."""
    if added_by(command) is not None:
        return Counter({(*row, None): count for row, count in rows.items()})
    if isinstance(command, DropColumn):
        place = [column.name for column in table.columns].index(command.column)
        left: Rows = Counter()
        for row, count in rows.items():
            left[row[:place] + row[place + 1 :]] += count
        return left
    return rows


def may_be_refused(command: Command, table: Table, rows: Iterable[Row]) -> bool:
    """Whether the condition of the command may be an error on a table with these rows, hidden ones too, or whether the table
    does not allow the command, or lacks what it needs."""
    if isinstance(command, AsWritten):
        return True
    if isinstance(command, (RenameColumn, DropColumn)) and not table.maps_columns:
        return True
    if isinstance(command, DropFeature) and not table.has(command.feature):
        return True
    if isinstance(command, (Update, Merge, Overwrite, Restore)) and table.has(Feature.APPEND_ONLY):
        return True
    if isinstance(command, SetRetention):
        # Delta compares what is set with the default of the other retention, whatever that is in the table.
        return (
            command.hours * HOUR < DEFAULT_RETENTION if command.of_log else command.hours * HOUR > DEFAULT_LOG_RETENTION
        )
    if _may_break_a_rule(command, table):
        return True
    seen = tuple(rows)
    return any(may_fail(Delete(where), table, seen) for where in conditions_of(command))


def _may_break_a_rule(command: Command, table: Table) -> bool:
    """Whether a rule for writers is about what the command writes: a column's, or a CHECK constraint."""
    rewrites = not isinstance(command, KEEP_ROWS) or isinstance(command, (Optimize, Purge))
    if rewrites and any(required_fields(column.type) for column in table.columns):
        return True  # a NULL struct may not be written again (model.prediction.delete.DeletePrediction.writes_required_null)
    rows = getattr(command, "rows", ())
    ruled = [column for column in table.columns if column.identity or column.generated_from is not None]
    if rows and (ruled or table.checks):
        return True
    checked = {name for check in table.checks for name in columns_of(check)}
    by_name = {column.name: column for column in table.columns}
    return any(
        by_name[to.column] in ruled or to.column in checked or (to.value is None and not by_name[to.column].nullable)
        for to in _assignments(command)
    )


def _assignments(command: Command) -> list[Assignment]:
    if isinstance(command, Update):
        return [*assignments_of(command)]
    return [to for clause in command.clauses for to in assignments_of(clause)] if isinstance(command, Merge) else []


def _kept(command: Overwrite, table: Table, rows: Rows) -> Rows:
    if not command.dynamic:
        return rows - _matched(table, command.where, rows)
    replaced = {table.partition_of(row) for row in command.rows}
    return Counter({row: count for row, count in rows.items() if table.partition_of(row) not in replaced})


def _matched(table: Table, where: Predicate | None, rows: Rows) -> Rows:
    """The rows for which the condition is TRUE."""
    return Counter({row: count for row, count in rows.items() if matches(Delete(where), table, row) is True})
