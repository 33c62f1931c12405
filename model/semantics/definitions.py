"""What commands other than DELETE and VACUUM make of a table's definition: its columns, features and retention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from model.vocabulary.commands import (
    Command,
    DropColumn,
    DropFeature,
    RenameColumn,
    Restore,
    SetRetention,
    Switch,
    WidenColumn,
    added_by,
    columns_after,
)
from model.vocabulary.steps import AtOnce, OtherCommand, Step
from model.vocabulary.table import WIDER, Column, Feature, Table
from model.vocabulary.values import Row, Type

VECTORS = (Feature.DELETION_VECTORS, Feature.DELETION_VECTORS_OFF)


def table_after(command: Command, table: Table, *, restored: Table | None = None) -> Table:
    """The table's definition after the command, ``restored`` that of the version to which a RESTORE goes back.

    The rows of ``files`` have the new columns: with NULL in an added one, without the value of a dropped one.
    """
    if added_by(command) is not None:
        return _with_columns(table, columns_after(command, table.columns), lambda row: (*row, None))
    if isinstance(command, DropColumn):
        place = [column.name for column in table.data_columns].index(command.column)
        columns = tuple(column for column in table.columns if column.name != command.column)
        left = tuple(name for name in table.indexed_columns if name != command.column)
        dropped = replace(table, indexed_columns=left)
        return _with_columns(dropped, columns, lambda row: (*row[:place], *row[place + 1 :]))
    if isinstance(command, RenameColumn):
        renamed = _with_columns(table, _exchanged(table, command.column, lambda one: replace(one, name=command.to)))

        def names(before: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(command.to if name == command.column else name for name in before)

        return replace(renamed, partition_by=names(table.partition_by), indexed_columns=names(table.indexed_columns))
    if isinstance(command, WidenColumn):
        return _with_columns(table, _exchanged(table, command.column, _widened))
    if isinstance(command, SetRetention):
        return table if command.of_log else replace(table, retention_hours=command.hours)
    if isinstance(command, Switch):
        return _switched(table, command.feature, on=command.on)
    if isinstance(command, DropFeature):
        off = VECTORS if command.feature in VECTORS else (command.feature,)
        return _with_features(table, without=off)
    if isinstance(command, Restore) and restored is not None:
        return _restored(table, restored)
    return table


def definitions(table: Table, steps: Iterable[Step]) -> list[Table]:
    """The table before each step, and after the last, if no command is refused."""
    found = [table]
    for step in steps:
        found.append(definition_after(step, found))
    return found


def definition_after(step: Step, found: Sequence[Table]) -> Table:
    """The table after a step; ``found`` are the tables before each step up to this one."""
    now = found[-1]
    if isinstance(step, AtOnce):
        for part in (step.second, step.first):  # in the order in which they commit, if the first is held until then
            now = definition_after(part, [*found[:-1], now])
        return now
    if not isinstance(step, OtherCommand):
        return now
    command = step.command
    # A reference to a step that does not exist is reported elsewhere.
    known = isinstance(command, Restore) and command.before_step < len(found)
    return table_after(command, now, restored=found[max(0, command.before_step)] if known else None)  # type: ignore[union-attr]


def _with_columns(table: Table, columns: tuple[Column, ...], stored: Callable[[Row], Row] = lambda row: row) -> Table:
    """The table with these columns; ``stored`` makes a row of a file fit them."""
    files = tuple(replace(file, rows=tuple(stored(row) for row in file.rows)) for file in table.files)
    return replace(table, columns=columns, files=files)


def _exchanged(table: Table, name: str, change: Callable[[Column], Column]) -> tuple[Column, ...]:
    return tuple(change(column) if column.name == name else column for column in table.columns)


def _widened(column: Column) -> Column:
    return replace(column, type=WIDER[column.type]) if isinstance(column.type, Type) else column


def _switched(table: Table, feature: Feature, *, on: bool) -> Table:
    """A feature that its property switches on or off. Deletion vectors stay supported when they are switched off."""
    if feature is not Feature.DELETION_VECTORS:
        return _with_features(table, feature, without=()) if on else _with_features(table, without=(feature,))
    if on:
        return _with_features(table, feature, without=VECTORS)
    known = table.has(*VECTORS)
    return _with_features(table, *([Feature.DELETION_VECTORS_OFF] if known else []), without=VECTORS)


def _with_features(table: Table, *added: Feature, without: tuple[Feature, ...]) -> Table:
    kept = [name for name in table.features if Feature(name) not in without]
    return replace(table, features=tuple(dict.fromkeys([*kept, *(feature.value for feature in added)])))


def _restored(table: Table, restored: Table) -> Table:
    """Columns and properties go back, the protocol does not (RestoreTableCommand: it is never downgraded)."""
    back = replace(restored, files=table.files, commits=table.commits, stray_files=table.stray_files)
    if [column.name for column in restored.columns] != [column.name for column in table.columns]:
        back = replace(back, files=restored.files)
    if table.has(*VECTORS) and not restored.has(*VECTORS):
        back = _with_features(back, Feature.DELETION_VECTORS_OFF, without=())
    return back
