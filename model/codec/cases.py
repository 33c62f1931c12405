"""Cases and their parts as JSON. Rows are read here, by the types of the table's columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from model.codec import validation
from model.codec.at_once_checks import check_at_once, check_table_at_once
from model.codec.command_checks import check_command, check_place
from model.codec.converter import FORM, FORMAT, Document, Large
from model.codec.json_values import value_of
from model.codec.plain import InvalidCase, Reader, each, list_of, refuse, successive, within
from model.codec.step_checks import check_step, check_steps
from model.semantics.definitions import definition_after
from model.vocabulary.case import Case
from model.vocabulary.commands import Command, Merge, Overwrite, StreamAppend, columns_after
from model.vocabulary.large_tables import large_table, size_of
from model.vocabulary.predicate import Expression, Predicate
from model.vocabulary.steps import Append, AtOnce, Insert, OtherCommand, Step
from model.vocabulary.table import Column, DataFile, Table
from model.vocabulary.values import Row, Value

Json = dict[str, Any]


# Writing ------------------------------------------------------------------------------------------------------------


def dumps(case: Case) -> str:
    """The canonical text of a case: keys sorted, no spaces, ASCII only.

    Equal cases have equal texts, except that -0.0 and 0.0 are written differently.
    """
    return _text(to_json(case))


def _text(document: Json) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def case_id(case: Case) -> str:
    """The id of a case: 12 hexadecimal digits, the BLAKE2b digest of its canonical text, with the first names of its parts."""
    return hashlib.blake2b(_text(_first_named(to_json(case))).encode("ascii"), digest_size=6).hexdigest()


#: Fields and tags that had another name when ids were first made: ids stay what they are.
_FIRST_NAMES = {
    "stray_files": "strays",
    "deletion_vectors": "masks",
    "mistake": "blunder",
    "io_fault": "trouble",
    "faulty_path": "troubled",
}
_FIRST_TAGS = {"invalid_delete": "bad_delete", "invalid_vacuum": "bad_vacuum", "add_stray_files": "litter"}


def _first_named(document: Any) -> Any:
    if isinstance(document, dict):
        named = {_FIRST_NAMES.get(name, name): _first_named(part) for name, part in document.items()}
        return {**named, "step": _FIRST_TAGS.get(named["step"], named["step"])} if "step" in named else named
    return [_first_named(part) for part in document] if isinstance(document, list) else document


def to_json(case: Case) -> Json:
    """The document of a case: ``{"format": 1, "table": {...}, "steps": [...]}``; of a large table, its size."""
    size = size_of(case.table)
    document: Json = FORM.write(Document(FORMAT, case.table if size is None else Large(size), case.steps))
    return document


#: The document of a part of a case; that of a step, a predicate and an expression has a tag.
table_to_json: Callable[[Table], Json] = FORM.write
step_to_json: Callable[[Step], Json] = FORM.write
predicate_to_json: Callable[[Predicate], Json] = FORM.write
expression_to_json: Callable[[Expression], Json] = FORM.write


# Reading ------------------------------------------------------------------------------------------------------------


def loads(text: str) -> Case:
    """The case of a JSON text. Raises InvalidCase."""
    try:
        document = json.loads(text, object_pairs_hook=_without_duplicates)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidCase("", f"is not JSON ({error})") from error
    return from_json(document)


def _without_duplicates(pairs: list[tuple[str, object]]) -> Json:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        refuse(f"an object in it has the field {twice!r} twice")
    return fields


def from_json(document: object) -> Case:
    """The case of a document. Raises InvalidCase, also if its parts contradict each other (``validation``, ``step_checks``).

    A predicate may use an unknown column, and a LIKE pattern may be malformed: the engine must refuse those.
    """
    found: Document = FORM.read(document, Document)
    table = found.table
    table = _checked(large_table(table.large)) if isinstance(table, Large) else _with_rows(table)
    case = Case(table, within("steps", _read_steps(table), found.steps))
    check_steps(case)
    return case


def _read_steps(table: Table) -> Reader[tuple[Step, ...]]:
    """Reads the rows of steps by the columns that the table has then, and checks commands, which may change them."""

    def read(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        found: list[Step] = []
        tables = [table]
        for place, step in enumerate(steps):
            found.append(within(f"[{place}]", partial(_next_step, found, tables), step))
            tables.append(definition_after(found[-1], tables))
        return tuple(found)

    return read


def _next_step(before: list[Step], tables: list[Table], step: Step) -> Step:
    step = _step_on(tables[-1])(step)
    if isinstance(step, OtherCommand):
        check_place(step.command, before, tables)
    if isinstance(step, AtOnce):
        check_table_at_once(tables[0])
        for name, one in (("first", step.first), ("second", step.second)):
            if isinstance(one, OtherCommand):
                within(name, partial(check_place, steps=before, tables=tables), one.command)
    return step


def table_from_json(document: object) -> Table:
    """The table of a document. Raises InvalidCase."""
    return _with_rows(within("table", FORM.reader(Table), document))


def step_from_json(document: object, table: Table) -> Step:
    """The step of a document for a case on ``table``, without checking references to other steps. Raises InvalidCase."""
    step: Step = within("step", lambda document: _step_on(table)(FORM.read(document, Step)), document)
    check_step(step, "step")
    return step


def predicate_from_json(document: object) -> Predicate:
    """The predicate of a document. Raises InvalidCase."""
    predicate: Predicate = within("predicate", FORM.reader(Predicate), document)
    return predicate


def expression_from_json(document: object) -> Expression:
    """The expression of a document. Raises InvalidCase."""
    expression: Expression = within("expression", FORM.reader(Expression), document)
    return expression


# Rows ---------------------------------------------------------------------------------------------------------------


def _with_rows(table: Table) -> Table:
    """The table with its rows read from their JSON, and checked."""
    validation.check_columns(table)
    return _checked(replace(table, files=within("table.files", list_of(_file_of(table)), table.files)))


def _checked(table: Table) -> Table:
    validation.check_table(table)
    return table


def _step_on(table: Table) -> Reader[Step]:
    read_files, read_rows = list_of(_file_of(table)), list_of(_row_of(table.columns))

    def read(step: Step) -> Step:
        if isinstance(step, Insert):
            return Insert(within("rows", read_rows, step.rows))
        if isinstance(step, OtherCommand):
            return OtherCommand(within("command", read_command, step.command))
        if isinstance(step, AtOnce):
            parts: dict[str, Any] = {name: within(name, read, getattr(step, name)) for name in ("first", "second")}
            check_at_once(step := replace(step, **parts))
            return step
        return Append(within("files", read_files, step.files)) if isinstance(step, Append) else step

    def read_command(command: Command) -> Command:
        command = with_rows(command)
        check_command(command, table)
        return command

    def with_rows(command: Command) -> Command:
        if isinstance(command, (Merge, Overwrite, StreamAppend)):
            read = list_of(_row_of(columns_after(command, table.columns)))
            return replace(command, rows=within("rows", read, command.rows))
        return command

    return read


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
    """Reads the rows of a file; those of a single column may be in the form of ``run_of``."""
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
