"""The calls for a command other than DELETE and VACUUM; for those without SQL Delta's own classes. Without PySpark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engines.spark.commands.calls import (
    INSTANT,
    SPARK,
    Calls,
    Do,
    Let,
    Name,
    Named,
    Needed,
    Operation,
    Place,
    TypedColumns,
)
from engines.targets import table_text
from model.text.commands import command_text, merge_text
from model.text.layout import clone_of
from model.text.literals import identifier, type_sql, typed_literal
from model.text.sql import sql, vacuum_sql
from model.vocabulary.commands import (
    AddColumn,
    AsWritten,
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    DropColumn,
    DropFeature,
    Merge,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Update,
    VacuumClone,
    WidenColumn,
)
from model.vocabulary.steps import Vacuum
from model.vocabulary.table import WIDER, Feature
from model.vocabulary.values import Row, Type

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

#: The size of a file that OPTIMIZE writes, in bytes.
FILE_SIZE = "spark.databricks.delta.optimize.maxFileSize"

#: Whether a MERGE may add a column to the table.
EVOLUTION = "spark.databricks.delta.schema.autoMerge.enabled"

#: Commands whose text is the same for people and for Spark.
_PLAIN = (Optimize, Purge, Update, SetRetention, AddColumn, RenameColumn, DropColumn)


def calls_of_command(command: Command, place: Place) -> Calls:
    root, table, log = place.root, table_text(place.root), Name("delta_log")(SPARK, place.root)
    if isinstance(command, Optimize) and command.target_size is not None:
        size = Do(SPARK.conf.set(FILE_SIZE, str(command.target_size)), undo=SPARK.conf.unset(FILE_SIZE))
        return _sql(command_text(replace(command, target_size=None), table), size)
    if isinstance(command, _PLAIN):
        return _sql(command_text(command, table))
    if isinstance(command, Restore):
        if command.by_time:
            return Calls(
                SPARK.sql(Operation("+", (f"RESTORE TABLE {table} TO ", Name("as_of")(SPARK, root, place.version))))
            )
        return _sql(f"RESTORE TABLE {table} TO VERSION AS OF {place.version}")
    if isinstance(command, Merge):
        evolves = Do(SPARK.conf.set(EVOLUTION, "true"), undo=SPARK.conf.unset(EVOLUTION))
        return _sql(_merge(command, table, place.columns()), *([] if command.adds is None else [evolves]))
    if isinstance(command, Switch):
        return _sql(_set_property(table, _PROPERTIES[command.feature], on=command.on))
    if isinstance(command, DropFeature):
        return _sql(f"ALTER TABLE {table} DROP FEATURE {_NAMES[command.feature]}")
    if isinstance(command, WidenColumn):
        type = dict(place.columns())[command.column]
        wider = WIDER[type] if isinstance(type, Type) else type
        first = SPARK.sql(_set_property(table, "delta.enableTypeWidening", on=True))
        return _sql(f"ALTER TABLE {table} ALTER COLUMN {identifier(command.column)} TYPE {type_sql(wider)}", Do(first))
    if isinstance(command, Overwrite):
        return _overwrite(command, place)
    if isinstance(command, StreamAppend):
        rows = Let(Name("rows"), SPARK.sql(rows_sql(command.rows, plain_names(place.columns()))))
        return Calls(Name("append_by_stream")(SPARK, root, rows.name), (rows,))
    if isinstance(command, Checkpoint):
        return Calls(log.checkpoint())
    if isinstance(command, CompactLog):
        but_newest = (command.but_newest,) if command.but_newest else ()
        return Calls(Name("compact_log")(SPARK, root, command.commits or 0, *but_newest))
    if isinstance(command, AsWritten):
        return _as_written(command, place)
    if isinstance(command, CleanUpLog):
        return Calls(Name("clean_up_log")(SPARK, root))
    clone = clone_of(root)
    clock = Do(Name("clock")(SPARK, INSTANT, clone), undo=Name("forget")(SPARK, clone))
    if isinstance(command, ShallowClone):
        return _sql(f"CREATE TABLE {table_text(clone)} SHALLOW CLONE {table}", clock)
    assert isinstance(command, VacuumClone), "no other command is left"
    return _sql(vacuum_sql(VACUUM_OF_CLONE, table_text(clone)), clock)


def _as_written(command: AsWritten, place: Place) -> Calls:
    """In SQL ``{name}`` is the table by its name in the catalog, ``{other}`` the name of something else."""
    if command.python:
        return Calls(Name("as_written")(SPARK, place.root, command.text))
    text = command.text
    needed: tuple[Needed, ...] = (Named(place.name, False),) if "{name}" in text else ()
    names = {
        "{table}": table_text(place.root),
        "{name}": place.name,
        "{other}": f"{place.name}_other",
        "{root}": place.root,
    }
    for name, value in names.items():
        text = text.replace(name, value)
    *first, last = text.split("\n")
    return Calls(SPARK.sql(last).collect(), (*needed, *(Do(SPARK.sql(one)) for one in first)))


def _sql(statement: str, *needed: Do) -> Calls:
    return Calls(SPARK.sql(statement), needed)


def _overwrite(command: Overwrite, place: Place) -> Calls:
    """A DataFrame's overwrite, which takes any condition; that of SQL's INSERT must be one that a source can evaluate."""
    columns = place.columns()
    if command.adds is not None:
        columns = (*columns, (command.adds.name, command.adds.type))
    rows = Let(Name("rows"), SPARK.sql(rows_sql(command.rows, columns)))
    writer = rows.name.write.format("delta").mode("overwrite")
    if command.dynamic:
        writer = writer.option("partitionOverwriteMode", "dynamic")
    if command.adds is not None:
        writer = writer.option("overwriteSchema", "true").partitionBy(*place.partition_by())
    if command.where is None:
        return Calls(writer.save(place.root), (rows,))
    replaced = Let(Name("replaced"), sql(command.where))
    return Calls(writer.option("replaceWhere", replaced.name).save(place.root), (rows, replaced))


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
    added = () if command.adds is None else ((command.adds.name, command.adds.type),)
    source = (*columns, *added) if command.by_name else plain_names(columns)
    rows = command.rows or [(None,) * len(source)]
    query = rows_sql([row[::-1] for row in rows], source[::-1]) if command.by_name else rows_sql(rows, source)
    names = {name: other for (name, _), (other, _) in zip(columns, source)}
    return merge_text(command, table, f"({query})", columns=names)
