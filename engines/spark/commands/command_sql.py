"""The SQL of commands other than DELETE and VACUUM, for the adapter and for reproduction scripts. Without PySpark."""

from __future__ import annotations

from collections.abc import Sequence

from engines.targets import table_text
from model.text.commands import command_text, merge_text
from model.text.layout import clone_of
from model.text.literals import identifier, type_sql, typed_literal
from model.text.sql import vacuum_sql
from model.vocabulary.commands import (
    AddColumn,
    Command,
    DropColumn,
    DropFeature,
    Merge,
    Optimize,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    Switch,
    Update,
    VacuumClone,
    WidenColumn,
)
from model.vocabulary.steps import Vacuum
from model.vocabulary.table import WIDER, Feature
from model.vocabulary.values import AnyType, Row, Type

#: The columns of a table: their names and types.
TypedColumns = Sequence[tuple[str, AnyType]]

#: The VACUUM of a clone.
VACUUM_OF_CLONE = Vacuum(retain_hours=0, safety_check=False)

#: The property of each feature that commands switch, and its name (PROTOCOL.md, "Valid Feature Names in Table Features").
_PROPERTIES = {
    Feature.DELETION_VECTORS: "delta.enableDeletionVectors",
    Feature.CHANGE_DATA_FEED: "delta.enableChangeDataFeed",
    Feature.ROW_TRACKING: "delta.enableRowTracking",
    Feature.IN_COMMIT_TIMESTAMPS: "delta.enableInCommitTimestamps",
}
_NAMES = {
    Feature.DELETION_VECTORS: "deletionVectors",
    Feature.CHANGE_DATA_FEED: "changeDataFeed",
    Feature.ROW_TRACKING: "rowTracking",
    Feature.IN_COMMIT_TIMESTAMPS: "inCommitTimestamp",
}

#: Commands whose text is the same for people and for Spark.
_PLAIN = (Optimize, Purge, Update, SetRetention, AddColumn, RenameColumn, DropColumn)

#: Those whose text depends on the columns of the table.
NEED_COLUMNS = (Merge, WidenColumn)


def command_sql(command: Command, root: str, columns: TypedColumns, version: object) -> Sequence[str]:
    """The statements of a command on the table at ``root``; none if it is no SQL.

    ``columns`` are those of the table, of no matter for commands other than ``NEED_COLUMNS``, as is ``version`` for others
    than RESTORE.
    """
    table = table_text(root)
    if isinstance(command, _PLAIN):
        return (command_text(command, table),)
    if isinstance(command, Restore):
        return (f"RESTORE TABLE {table} TO VERSION AS OF {version}",)
    if isinstance(command, Merge):
        return (_merge(command, table, columns),)
    if isinstance(command, Switch):
        return (_set_property(table, _PROPERTIES[command.feature], on=command.on),)
    if isinstance(command, DropFeature):
        return (f"ALTER TABLE {table} DROP FEATURE {_NAMES[command.feature]}",)
    if isinstance(command, WidenColumn):
        type = dict(columns)[command.column]
        wider = WIDER[type] if isinstance(type, Type) else type
        widened = f"ALTER TABLE {table} ALTER COLUMN {identifier(command.column)} TYPE {type_sql(wider)}"
        return _set_property(table, "delta.enableTypeWidening", on=True), widened
    if isinstance(command, ShallowClone):
        return (f"CREATE TABLE {table_text(clone_of(root))} SHALLOW CLONE {table}",)
    if isinstance(command, VacuumClone):
        return (vacuum_sql(VACUUM_OF_CLONE, table_text(clone_of(root))),)
    return ()


def rows_sql(rows: Sequence[Row], columns: TypedColumns) -> str:
    """A query of these rows, with exactly the types of the columns."""
    types = [type for _, type in columns]
    names = ", ".join(identifier(name) for name, _ in columns)
    shown = rows or [(None,) * len(columns)]
    values = ", ".join(f"({', '.join(map(typed_literal, row, types))})" for row in shown)
    return f"SELECT * FROM VALUES {values} AS t({names})" + ("" if rows else " WHERE FALSE")


def plain_names(columns: TypedColumns) -> TypedColumns:
    """The columns under names that occur in no table of a case, without any character that a file or a query cannot have."""
    return tuple((f"source_{place}", type) for place, (_, type) in enumerate(columns))


def _set_property(table: str, name: str, *, on: bool) -> str:
    return f"ALTER TABLE {table} SET TBLPROPERTIES ('{name}' = '{'true' if on else 'false'}')"


def _merge(command: Merge, table: str, columns: TypedColumns) -> str:
    """The source has names of its own, as conditions name columns of the table alone, or those of the table in reverse."""
    source = columns if command.by_name else plain_names(columns)
    rows = command.rows or [(None,) * len(columns)]
    query = rows_sql([row[::-1] for row in rows], source[::-1]) if command.by_name else rows_sql(rows, source)
    names = {name: other for (name, _), (other, _) in zip(columns, source)}
    return merge_text(command, table, f"({query})", columns=names)
