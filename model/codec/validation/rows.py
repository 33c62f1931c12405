"""Reads rows, by the columns that the table has. Raises InvalidCase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from model.codec.json_values import value_of
from model.codec.plain import Reader, each, list_of, refuse, successive, within
from model.vocabulary.commands import Merge, Overwrite, StreamAppend, columns_after
from model.vocabulary.steps import Append, AtOnce, Insert, OtherCommand, Step
from model.vocabulary.table import Column, DataFile, Table
from model.vocabulary.values import Row, Value


def table_with_rows(table: Table) -> Table:
    """The table with its rows read from their JSON; its columns must be valid."""
    return replace(table, files=within("files", list_of(_file_of(table)), table.files))


def step_with_rows(step: Step, table: Table) -> Step:
    """The step with its rows read from their JSON."""
    if isinstance(step, AtOnce):
        read_part = partial(step_with_rows, table=table)
        parts: dict[str, Any] = {name: within(name, read_part, getattr(step, name)) for name in ("first", "second")}
        return replace(step, **parts)
    if isinstance(step, Append):
        return Append(within("files", list_of(_file_of(table)), step.files))
    if isinstance(step, Insert):
        return Insert(within("rows", _rows_of(table.columns), step.rows))
    if isinstance(step, OtherCommand) and isinstance(step.command, (Merge, Overwrite, StreamAppend)):
        read = _rows_of(columns_after(step.command, table.columns))
        return OtherCommand(replace(step.command, rows=within("command.rows", read, step.command.rows)))
    return step


def _file_of(table: Table) -> Reader[DataFile]:
    read_partition, read_rows = _row_of(table.partition_columns), _rows_of(table.data_columns)

    def read(file: DataFile) -> DataFile:
        partition = within("partition", read_partition, file.partition)
        if "" in partition:
            problem = "is the empty string, which cannot be a partition value: it means NULL in the log"
            refuse(problem, f"partition[{partition.index('')}]")
        return replace(file, partition=partition, rows=within("rows", read_rows, file.rows))

    return read


def _rows_of(columns: tuple[Column, ...]) -> Reader[tuple[Row, ...]]:
    """Those of a single column may be in the form of ``run_of``."""
    read = _row_of(columns)
    listed, run = list_of(read), successive(lambda value: read([value]))
    return lambda value: (run if isinstance(value, Mapping) else listed)(value)


def _row_of(columns: tuple[Column, ...]) -> Reader[Row]:
    return each("columns", [column.name for column in columns], [_value_in(column) for column in columns])


def _value_in(column: Column) -> Reader[Value]:
    read_value = value_of(column.type)
    if column.nullable:
        return read_value

    def read(value: object) -> Value:
        if value is None:
            refuse(f"is NULL, but the column {column.name} is not nullable")
        return read_value(value)

    return read
