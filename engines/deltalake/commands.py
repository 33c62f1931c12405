"""The call of delta-rs for a command other than DELETE and VACUUM, for the adapter and for reproduction scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.deltalake.sql import identifier, literal, sql
from model.vocabulary.commands import (
    AddColumn,
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    Merge,
    MergeClause,
    Optimize,
    Overwrite,
    Restore,
    SetRetention,
    Switch,
    Then,
    Update,
    When,
    assignments_of,
)
from model.vocabulary.predicate import And, Compare, In, Not, Op, Predicate
from model.vocabulary.table import Column, Feature, retention_text
from model.vocabulary.values import AnyType, ArrayOf, MapOf, StructOf, Value, type_name


@dataclass(frozen=True)
class KnownArgument:
    """An argument whose value is only known at the call, by its name in scripts."""

    name: str


TABLE = KnownArgument("ROOT")
ROWS = KnownArgument("added")  # the rows of the command, an Arrow table
SOURCE = KnownArgument("source")  # ... with the names of ``source_columns``; one row if the command has none
VERSION = KnownArgument("version")  # the one to restore, or its time
FIRST, LAST = KnownArgument("first"), KnownArgument("last")  # the first commit of a log compaction, and the last one


@dataclass(frozen=True)
class ColumnSchema:
    """A column as an element of a schema's JSON form."""

    text: str


@dataclass(frozen=True)
class MethodCall:
    """A call with its arguments by name: of ``write_deltalake``, of a method of ``DeltaTable`` (of an attribute of it, as in
    ``optimize.compact``), or of a method of what the call before it returned."""

    name: str
    arguments: Mapping[str, Any]


WRITE = "write_deltalake"

#: The properties of the features that delta-rs can switch.
_PROPERTIES = {
    Feature.DELETION_VECTORS: "delta.enableDeletionVectors",
    Feature.CHANGE_DATA_FEED: "delta.enableChangeDataFeed",
}


def calls_of(command: Command, columns: Sequence[str]) -> tuple[MethodCall, ...]:
    """The calls for a command on a table with these columns, one after the other.

    Raises ValueError for a command that deltalake does not have, and TypeError for a condition or value that it does not support.
    """
    if isinstance(command, Optimize):
        return (_optimize(command),)
    if isinstance(command, Restore):
        return (MethodCall("restore", {"target": VERSION}),)
    if isinstance(command, Update):
        return (MethodCall("update", {"updates": _updates(command), "predicate": _condition(command.where)}),)
    if isinstance(command, Merge):
        return _merge(command, columns)
    if isinstance(command, Overwrite):
        arguments = {"table_or_uri": TABLE, "data": ROWS, "mode": "overwrite", "predicate": _condition(command.where)}
        return (MethodCall(WRITE, arguments if command.adds is None else {**arguments, "schema_mode": "overwrite"}),)
    if isinstance(command, Checkpoint):
        return (MethodCall("create_checkpoint", {}),)
    if isinstance(command, CompactLog):
        return (MethodCall("compact_logs", {"starting_version": FIRST, "ending_version": LAST}),)
    if isinstance(command, CleanUpLog):
        return (MethodCall("cleanup_metadata", {}),)
    if isinstance(command, AddColumn):
        return (MethodCall("alter.add_columns", {"fields": schema_of(command.column)}),)
    if isinstance(command, SetRetention):
        name = "delta.logRetentionDuration" if command.of_log else "delta.deletedFileRetentionDuration"
        return (_set_property(name, retention_text(command.hours)),)
    if isinstance(command, Switch) and command.feature in _PROPERTIES:
        return (_set_property(_PROPERTIES[command.feature], str(command.on).lower()),)
    raise ValueError(f"deltalake has no such command: {command}")


def schema_of(column: Column) -> ColumnSchema:
    field = {"name": column.name, "type": _json_type(column.type), "nullable": True, "metadata": {}}
    return ColumnSchema(json.dumps(field))


def source_columns(count: int) -> list[str]:
    """Names for the columns of a MERGE's source: no column of a table has one, so that a condition means the table's."""
    return [f"source column {place}" for place in range(count)]


def _optimize(command: Optimize) -> MethodCall:
    filters = _partition_filters(command.where)
    arguments: dict[str, Any] = {} if filters is None else {"partition_filters": filters}
    if command.target_size is not None:
        arguments["target_size"] = command.target_size
    if command.zorder_by:
        return MethodCall("optimize.z_order", {"columns": list(command.zorder_by), **arguments})
    return MethodCall("optimize.compact", arguments)


def _partition_filters(where: Predicate | None) -> list[tuple[str, str, Any]] | None:
    """A conjunction of comparisons with values and of ``[NOT] IN (values)`` as partition filters: strings and whole numbers, as
    texts.

    None (all partitions) for any other condition: it only says which files are rewritten, and no row depends on that.
    """
    if isinstance(where, And):
        left, right = _partition_filters(where.left), _partition_filters(where.right)
        return None if left is None or right is None else left + right
    if isinstance(where, Compare) and where.op in _FILTERS and _is_filter(where.value):
        return [(where.column, _FILTERS[where.op], str(where.value))]
    word, test = ("not in", where.operand) if isinstance(where, Not) else ("in", where)
    if isinstance(test, In) and all(map(_is_filter, test.values)):
        return [(test.column, word, [str(value) for value in test.values])]
    return None


#: As partition filters write them.
_FILTERS = {Op.EQ: "=", Op.NE: "!=", Op.LT: "<", Op.LE: "<=", Op.GT: ">", Op.GE: ">="}


def _is_filter(value: Value) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _merge(command: Merge, columns: Sequence[str]) -> tuple[MethodCall, ...]:
    names = columns if command.by_name else source_columns(len(columns))
    source = {column: f"s.{identifier(name)}" for column, name in zip(columns, names)}
    # Without an alias deltalake looks for the source's columns in the table.
    tests = [f"t.{identifier(key)} = {source[key]}" for key in command.keys]
    if not command.goes_by_keys_alone:
        tests.insert(0, f"({sql(command.on)})" if tests else sql(command.on))
    merged = {"source": SOURCE, "predicate": " AND ".join(tests), "source_alias": "s", "target_alias": "t"}
    evolution = {} if command.adds is None else {"merge_schema": True}
    calls = [MethodCall("merge", {**merged, **evolution})]
    for clause in command.clauses:
        name = _CLAUSES[clause.when, clause.then]
        arguments: dict[str, Any] = {} if clause.where is None else {"predicate": sql(clause.where)}
        if clause.to is not None:
            arguments = {"updates": _updates(clause), **arguments}
        elif clause.then is not Then.DELETE and command.by_name:
            name = _BY_NAME[clause.then]
        elif clause.then is not Then.DELETE:
            arguments = {"updates": {identifier(column): source[column] for column in columns}, **arguments}
        calls.append(MethodCall(name, arguments))
    return (*calls, MethodCall("execute", {}))


_CLAUSES = {
    (When.MATCHED, Then.DELETE): "when_matched_delete",
    (When.MATCHED, Then.UPDATE): "when_matched_update",
    (When.MATCHED, Then.UPDATE_ALL): "when_matched_update",
    (When.NOT_MATCHED, Then.INSERT): "when_not_matched_insert",
    (When.BY_SOURCE, Then.DELETE): "when_not_matched_by_source_delete",
    (When.BY_SOURCE, Then.UPDATE): "when_not_matched_by_source_update",
}
_BY_NAME = {Then.UPDATE_ALL: "when_matched_update_all", Then.INSERT: "when_not_matched_insert_all"}


def _updates(part: Update | MergeClause) -> dict[str, str]:
    return {identifier(to.column): literal(to.value, to.type) for to in assignments_of(part)}


def _condition(where: Predicate | None) -> str | None:
    return None if where is None else sql(where)


def _set_property(name: str, value: str) -> MethodCall:
    return MethodCall("alter.set_table_properties", {"properties": {name: value}})


def _json_type(type: AnyType) -> Any:
    """The type as in a schema (PROTOCOL.md, "Schema Serialization Format")."""
    if isinstance(type, ArrayOf):
        return {"type": "array", "elementType": _json_type(type.element), "containsNull": True}
    if isinstance(type, MapOf):
        entries = {"keyType": _json_type(type.key), "valueType": _json_type(type.value)}
        return {"type": "map", **entries, "valueContainsNull": True}
    if isinstance(type, StructOf):
        fields = [
            {"name": name, "type": _json_type(field), "nullable": name not in type.required, "metadata": {}}
            for name, field in type.fields
        ]
        return {"type": "struct", "fields": fields}
    return type_name(type)
