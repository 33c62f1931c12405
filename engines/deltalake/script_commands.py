"""Commands other than DELETE and VACUUM, and appends, in a reproduction script for delta-rs."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping

import pyarrow.parquet as pq

from engines.deltalake.commands import (
    FIRST,
    LAST,
    ROWS,
    SOURCE,
    TABLE,
    VERSION,
    WRITE,
    Call,
    ColumnSchema,
    Given,
    calls_of,
    source_columns,
)
from engines.dialect import Code, Command, ScriptedCase, call, code, literal, quoted
from model.vocabulary.commands import Command as OtherCommand
from model.vocabulary.commands import CompactLog, Restore


def insert(rows_file: bytes) -> Command:
    """An append of the rows in a Parquet file."""
    return _command(code(f'{WRITE}(ROOT, {ROWS.name}, mode="append")', WRITE), [_rows(rows_file)])


def other_command(command: OtherCommand, rows_file: bytes, case: ScriptedCase) -> Command:
    """``rows_file`` is empty if the command has no rows."""
    columns = pq.read_schema(io.BytesIO(rows_file)).names if rows_file else []
    calls = calls_of(command, columns)
    setup = [_rows(rows_file)] if rows_file else []
    if any(SOURCE in one.arguments.values() for one in calls):
        setup.append(_source(columns))
    given = {
        TABLE: code("ROOT"),
        ROWS: code(ROWS.name),
        SOURCE: code(SOURCE.name),
        FIRST: code("min(log())", "log"),
        LAST: code("version()", "version"),
    }
    if isinstance(command, Restore):
        given[VERSION] = code(case.version_before(command.before_step))
    pieces = [] if calls[0].name == WRITE else [code("DeltaTable(ROOT)", "DeltaTable")]
    pieces += [_call(one, given, case.root) for one in calls]
    condition = "min(log()) < version() and " if isinstance(command, CompactLog) else ""  # there is none of one commit
    return _command(Code(condition + ".".join(piece.text for piece in pieces), _uses(pieces)), setup)


def _command(written: Code, setup: list[Code]) -> Command:
    return Command(written.text, setup=tuple(line.text for line in setup), uses=_uses([written, *setup]))


def _uses(pieces: Iterable[Code]) -> frozenset[str]:
    return frozenset().union(*(piece.uses for piece in pieces))


def _call(one: Call, given: Mapping[Given, Code], root: str) -> Code:
    values = {name: _argument(value, given, root) for name, value in one.arguments.items()}
    arguments = ", ".join(f"{name}={value.text}" for name, value in values.items())
    name = code(one.name, WRITE if one.name == WRITE else "")
    return Code(f"{name.text}({arguments})", _uses([name, *values.values()]))


def _argument(value: object, given: Mapping[Given, Code], root: str) -> Code:
    if isinstance(value, Given):
        return given[value]
    if isinstance(value, ColumnSchema):
        return code(call("Field.from_json", quoted(value.text, root)), "Field")
    if isinstance(value, dict):
        return Code("{" + ", ".join(f"{literal(name)}: {quoted(text, root)}" for name, text in value.items()) + "}")
    return Code(quoted(value, root) if isinstance(value, str) else repr(value))


def _rows(rows_file: bytes) -> Code:
    content = base64.b64encode(rows_file).decode()
    return code(f"{ROWS.name} = pq.read_table(io.BytesIO(base64.b64decode({content!r})))", "base64 io pq")


def _source(columns: list[str]) -> Code:
    """The source of a MERGE: the rows that it may insert, or one row."""
    if columns:
        return code(f"{SOURCE.name} = {ROWS.name}.rename_columns({source_columns(len(columns))})")
    return code(f"{SOURCE.name} = pa.table([[1]], names={source_columns(1)})", "pa")
