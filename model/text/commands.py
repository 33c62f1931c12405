"""Commands other than DELETE and VACUUM as users write them."""

from __future__ import annotations

from collections.abc import Mapping

from model.text.literals import identifier, literal, type_sql
from model.text.sql import sql
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
    MergeClause,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Then,
    Update,
    VacuumClone,
    WidenColumn,
    assignments_of,
)
from model.vocabulary.predicate import Or, Predicate
from model.vocabulary.table import Column


def command_text(command: Command, table: str = "t") -> str:
    """The command on ``table``, for reports: SQL, or words where there is none."""
    if isinstance(command, Optimize):
        columns = ", ".join(map(identifier, command.zorder_by))
        sorted_by = f" ZORDER BY ({columns})" if columns else ""
        size = f" into files of {_count(command.target_size, 'byte')}" if command.target_size else ""
        return f"OPTIMIZE {table}{_where(command.where)}{sorted_by}{size}"
    if isinstance(command, Purge):
        return f"REORG TABLE {table} APPLY (PURGE)"
    if isinstance(command, Restore):
        older = "" if command.before_step >= 0 else f"{_count(-command.before_step, 'commit')} older than that "
        what = "time of the version" if command.by_time else "version"
        return f"RESTORE TABLE {table} to the {what} {older}before step {max(0, command.before_step)}"
    if isinstance(command, Update):
        return f"UPDATE {table} SET {_set_text(command)}{_where(command.where)}"
    if isinstance(command, Merge):
        source = _count(max(1, len(command.rows)), "row")
        if command.adds is None:
            return merge_text(command, table, f"({source})")
        source += f" with the new column {_column(command.adds)}"
        return merge_text(command, table, f"({source})").replace("MERGE", "MERGE WITH SCHEMA EVOLUTION", 1)
    if isinstance(command, Overwrite):
        what = " in the partitions of the new rows" if command.dynamic else ""
        if command.where is not None:
            what = f" where {sql(command.where)}"
        if command.adds is not None:
            what = f" with the new column {_column(command.adds)}"
        return f"overwrite {table}{what} ({_count(len(command.rows), 'row')})"
    if isinstance(command, StreamAppend):
        return f"streaming append to {table} ({_count(len(command.rows), 'row')})"
    return _maintenance(command, table)


def _maintenance(command: Command, table: str) -> str:
    if isinstance(command, Checkpoint):
        return f"checkpoint of {table}"
    if isinstance(command, CompactLog):
        some = "" if command.commits is None else f"the newest {command.commits} commits of "
        without = f" without the newest {command.but_newest}" if command.but_newest else ""
        return f"log compaction of {some}{table}{without}"
    if isinstance(command, CleanUpLog):
        return f"log clean-up of {table}"
    if isinstance(command, SetRetention):
        name = "logRetentionDuration" if command.of_log else "deletedFileRetentionDuration"
        return f"ALTER TABLE {table} SET TBLPROPERTIES (delta.{name} = 'interval {command.hours} hours')"
    if isinstance(command, Switch):
        return f"ALTER TABLE {table}: {command.feature.value} {'on' if command.on else 'off'}"
    if isinstance(command, DropFeature):
        return f"ALTER TABLE {table} DROP FEATURE {command.feature.value}"
    if isinstance(command, AddColumn):
        return f"ALTER TABLE {table} ADD COLUMN {_column(command.column)}"
    if isinstance(command, RenameColumn):
        return f"ALTER TABLE {table} RENAME COLUMN {identifier(command.column)} TO {identifier(command.to)}"
    if isinstance(command, DropColumn):
        return f"ALTER TABLE {table} DROP COLUMN {identifier(command.column)}"
    if isinstance(command, WidenColumn):
        return f"ALTER TABLE {table} ALTER COLUMN {identifier(command.column)} TYPE the next wider"
    if isinstance(command, ShallowClone):
        return f"SHALLOW CLONE of {table}"
    if isinstance(command, AsWritten):
        return command.text.replace("{table}", table)
    assert isinstance(command, VacuumClone), "no other command is left"
    return f"VACUUM of the clone of {table} RETAIN 0 HOURS"


def merge_text(command: Merge, table: str, source: str, *, columns: Mapping[str, str] | None = None) -> str:
    """A MERGE from ``source``. ``columns`` are the names that its columns have there, by the table's; without, or where they have
    the same names, the text says ``*``."""
    target, alias = (f"{table} AS t", f"{source} AS s") if command.keys else (table, source)
    names = columns or {}
    tests = [f"t.{identifier(key)} = s.{identifier(names.get(key, key))}" for key in command.keys]
    if not command.goes_by_keys_alone:
        tests.insert(0, _grouped(command.on) if tests else sql(command.on))
    listed = None if command.by_name else columns
    clauses = "".join(f" {_clause_text(clause, listed)}" for clause in command.clauses)
    return f"MERGE INTO {target} USING {alias} ON {' AND '.join(tests)}{clauses}"


def _clause_text(clause: MergeClause, columns: Mapping[str, str] | None) -> str:
    where = "" if clause.where is None else f" AND {_grouped(clause.where)}"
    return f"{clause.when.value}{where} THEN {_effect_text(clause, columns)}"


def _effect_text(clause: MergeClause, columns: Mapping[str, str] | None) -> str:
    if clause.to is not None:
        return f"UPDATE SET {_set_text(clause)}"
    if columns is None or clause.then is Then.DELETE:
        return clause.then.value
    if clause.then is Then.UPDATE_ALL:
        return f"UPDATE SET {', '.join(f'{identifier(name)} = {value}' for name, value in columns.items())}"
    return f"INSERT ({', '.join(map(identifier, columns))}) VALUES ({', '.join(columns.values())})"


def _grouped(where: Predicate) -> str:
    return f"({sql(where)})" if isinstance(where, Or) else sql(where)


def _set_text(part: Update | MergeClause) -> str:
    """What follows SET."""
    return ", ".join(f"{identifier(to.column)} = {literal(to.value, to.type)}" for to in assignments_of(part))


def _column(column: Column) -> str:
    return f"{identifier(column.name)} {type_sql(column.type)}"


def _where(condition: Predicate | None) -> str:
    return "" if condition is None else f" WHERE {sql(condition)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
