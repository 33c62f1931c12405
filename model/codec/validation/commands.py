"""Checks that a command other than DELETE and VACUUM fits the table that it finds, and the steps before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from model.codec.plain import refuse, within
from model.codec.validation.conditions import check_types, satisfies
from model.semantics.definitions import VECTORS
from model.vocabulary.commands import (
    AddColumn,
    Assignment,
    Command,
    CompactLog,
    DropColumn,
    DropFeature,
    Merge,
    MergeClause,
    Optimize,
    Overwrite,
    RenameColumn,
    Restore,
    ShallowClone,
    Then,
    Update,
    VacuumClone,
    When,
    WidenColumn,
    assignments_of,
)
from model.vocabulary.predicate import Constant, Predicate, columns_of, verbatim_tests
from model.vocabulary.steps import OtherCommand, Step
from model.vocabulary.table import WIDER, Column, Feature, Table
from model.vocabulary.values import Type, is_nested, type_name, types_in
from model.vocabulary.widening import keeps_texts


def check_command(command: Command, before: Sequence[Step], tables: Sequence[Table]) -> None:
    """``tables`` are those before each of the steps ``before``, and now. Raises InvalidCase, with a path from the command."""
    table = tables[-1]
    match command:
        case Restore():
            _restore(command, before, tables[0])
        case Optimize():
            _optimize(command, table)
        case Update():
            _check_condition(command.where, table, "where")
            _check_assignments(command, table)
        case Merge():
            _merge(command, table)
        case Overwrite():
            _overwrite(command, table)
        case CompactLog(commits=int(commits)) if commits - command.but_newest < 2:
            refuse("leaves fewer than two commits", "but_newest")
        case AddColumn():
            _check_new(command.column, table, "column")
        case RenameColumn() | DropColumn():
            _rename_or_drop(command, table)
        case WidenColumn():
            _widen(command, table)
        case DropFeature(feature):
            features = VECTORS if feature in VECTORS else (feature,)
            if not any(table.has(*features) for table in tables):
                refuse(f"the table never had the feature {feature.value}", "feature")
        case ShallowClone() | VacuumClone():
            is_cloned = any(
                isinstance(step, OtherCommand) and isinstance(step.command, ShallowClone) for step in before
            )
            if isinstance(command, ShallowClone) and is_cloned:
                refuse("the table has a clone already, and a case has at most one")
            if isinstance(command, VacuumClone) and not is_cloned:
                refuse("no step before makes a clone")


def _restore(command: Restore, before: Sequence[Step], first: Table) -> None:
    """A place before the first step is that of a commit of the initial table, before which it has a version with its columns."""
    place = command.before_step
    if place >= len(before):
        refuse(f"is {place}, but must be an earlier step than this one ({len(before)})", "before_step")
    if place < 0 and first.version_before(place) < first.pruned:
        refuse(f"is {place}, but the initial table has no version before such a commit", "before_step")
    if place < 0 and first.has(Feature.ALTERED, Feature.WIDENED):
        refuse(f"is {place}, but the last commit of the initial table changes its columns", "before_step")


# Rows and conditions --------------------------------------------------------------------------------------------------


def _optimize(command: Optimize, table: Table) -> None:
    _check_condition(command.where, table, "where")
    if command.where is not None:
        if not columns_of(command.where):
            refuse("tests no partition column", "where")
        for name in sorted(columns_of(command.where) - set(table.partition_by)):
            refuse(f"{name!r} is not a partition column", "where")
    for index, name in enumerate(command.zorder_by):
        if is_nested(_data_column(table, name, f"zorder_by[{index}]").type):
            refuse(f"{name!r} has no order", f"zorder_by[{index}]")


def _merge(command: Merge, table: Table) -> None:
    _check_condition(command.on, table, "on")
    for index, name in enumerate(command.keys):
        _column(table, name, f"keys[{index}]")
    for index, clause in enumerate(command.clauses):
        _merge_clause(clause, table, f"clauses[{index}]")
    if not command.rows and (command.keys or command.can(Then.INSERT, Then.UPDATE_ALL)):
        refuse("must have a row of the source", "rows")
    places = [[column.name for column in table.columns].index(key) for key in command.keys]
    if len({tuple(row[place] for place in places) for row in command.rows}) < len(command.rows):
        refuse("must differ in the keys", "rows")
    if command.by_name and command.conditions != (Constant(True),):
        refuse("a source with the names of the table goes with ON TRUE and no other condition", "by_name")
    if command.adds is not None:
        _check_new(command.adds, table, "adds")
        if not (command.by_name and command.can(Then.INSERT, Then.UPDATE_ALL)):
            refuse("is a column of a source with the names of the table, of which a clause writes whole rows", "adds")


def _merge_clause(clause: MergeClause, table: Table, at: str) -> None:
    if (clause.then is Then.INSERT) != (clause.when is When.NOT_MATCHED):
        refuse("a clause that is NOT MATCHED inserts, and no other one", f"{at}.then")
    if clause.then is Then.UPDATE_ALL and clause.when is When.BY_SOURCE:
        refuse("there is no row of the source", f"{at}.then")
    if (clause.to is None) == (clause.then is Then.UPDATE):
        refuse("UPDATE SET has an assignment, and nothing else has", f"{at}.to")
    if clause.to is None and clause.also:
        refuse("goes with an assignment in `to`", f"{at}.also")
    _check_assignments(clause, table, f"{at}.")
    if clause.where is not None:
        if clause.then is Then.INSERT:
            refuse("an insert has no condition", f"{at}.where")
        _check_condition(clause.where, table, f"{at}.where")


def _overwrite(command: Overwrite, table: Table) -> None:
    options = [command.where is not None, command.dynamic, command.adds is not None]
    if sum(options) > 1:
        refuse("an overwrite has a condition, goes by its partitions, or adds a column", "where")
    if command.dynamic and not (table.partition_by and command.rows):
        refuse("goes with rows and a table that has partitions", "dynamic")
    if command.adds is not None:
        _check_new(command.adds, table, "adds")
    if command.where is None:
        return
    _check_condition(command.where, table, "where")
    types = {column.name: column.type for column in table.columns}
    for index, row in enumerate(command.rows):
        if not satisfies(
            command.where, dict(zip(types, row)), types, "the condition of the overwrite", f"rows[{index}]"
        ):
            refuse("does not satisfy the condition of the overwrite", f"rows[{index}]")


def _check_condition(condition: Predicate | None, table: Table, at: str) -> None:
    if condition is None:
        return
    if verbatim_tests(condition):
        refuse("has a verbatim test, of which the engine is asked only before a whole DELETE", at)
    types = {column.name: column.type for column in table.columns}
    for name in sorted(columns_of(condition) - set(types)):
        _unknown(name, at)
    within(at, lambda condition: check_types(condition, types), condition)


def _check_assignments(part: Update | MergeClause, table: Table, at: str = "") -> None:
    places = ("to", *(f"also[{index}]" for index in range(len(part.also))))
    for place, to in zip(places, assignments_of(part)):
        _check_assignment(to, table, at + place)
    for name, count in Counter(to.column for to in assignments_of(part)).items():
        if count > 1:
            refuse(f"has {name!r} more than once", f"{at}also")


def _check_assignment(to: Assignment, table: Table, at: str) -> None:
    column = _column(table, to.column, f"{at}.column")
    if column.type != to.type:
        refuse(f"is {type_name(to.type)}, but {to.column!r} is of type {type_name(column.type)}", f"{at}.type")
    for other in table.columns:
        if other.generated_from == to.column:
            refuse(
                f"the column {other.name!r} is generated from {to.column!r}, and would change with it", f"{at}.column"
            )
    if to.value == "" and to.column in table.partition_by:
        refuse("is the empty string, which cannot be a partition value: it means NULL in the log", f"{at}.value")


# Columns and features -------------------------------------------------------------------------------------------------


def _check_new(column: Column, table: Table, at: str) -> None:
    _check_free(table, column.name, f"{at}.name")
    if column != Column(column.name, column.type):
        refuse("is added with NULL in all rows: it must be nullable, and have no rule", at)
    used = (kind for one in table.columns for kind in types_in(one.type))
    if Type.TIMESTAMP_NTZ in types_in(column.type) and Type.TIMESTAMP_NTZ not in used:
        refuse("timestamp_ntz is a feature, which the table lacks", f"{at}.type")


def _rename_or_drop(command: RenameColumn | DropColumn, table: Table) -> None:
    if not table.maps_columns:
        refuse("the table needs column mapping", "column")
    find = _column if isinstance(command, RenameColumn) else _data_column
    _check_unruled(table, find(table, command.column, "column").name, "column")
    if isinstance(command, RenameColumn):
        _check_free(table, command.to, "to")
    elif len(table.data_columns) == 1:
        refuse("leaves no column for the data files", "column")


def _widen(command: WidenColumn, table: Table) -> None:
    column = _column(table, command.column, "column")
    _check_unruled(table, command.column, "column")
    if column.identity or not isinstance(column.type, Type) or column.type not in WIDER:
        refuse(f"{column.name!r} cannot be widened: it is of type {type_name(column.type)}", "column")
    if column.name in table.partition_by and not keeps_texts(column.type):
        refuse(
            f"{column.name!r} is a partition column, whose texts in the log are other values of the wider type",
            "column",
        )


def _check_unruled(table: Table, name: str, at: str) -> None:
    """No rule of the table is about the column: Delta refuses to change it then."""
    for column in table.columns:
        if column.generated_from is not None and name in (column.name, column.generated_from):
            refuse(f"{column.name!r} is generated from {column.generated_from!r}, so neither can change", at)
    for index, check in enumerate(table.checks):
        if name in columns_of(check):
            refuse(f"{name!r} cannot change, as the table's checks[{index}] uses it", at)


def _check_free(table: Table, name: str, at: str) -> None:
    # Spark's names are case-insensitive.
    if name.lower() in (column.name.lower() for column in table.columns):
        refuse(f"the column name {name} is already taken", at)


def _column(table: Table, name: str, at: str) -> Column:
    for column in table.columns:
        if column.name == name:
            return column
    _unknown(name, at)


def _data_column(table: Table, name: str, at: str) -> Column:
    column = _column(table, name, at)
    if name in table.partition_by:
        refuse(f"{name!r} is a partition column", at)
    return column


def _unknown(name: str, at: str) -> NoReturn:
    refuse(f"{name!r} is not a column that the table has then", at)
