"""Commands other than DELETE and VACUUM, and appends, in a reproduction script for delta-rs."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping

import pyarrow.parquet as pq

from engines.deltalake.commands import (
    FIRST,
    LAST,
    ROWS,
    SOURCE,
    TABLE,
    VERSION,
    WRITE,
    ColumnSchema,
    KnownArgument,
    MethodCall,
    calls_of,
    source_columns,
)
from engines.dialect import ScriptCommand, ScriptedCase
from engines.quoting import Code, called, quoted
from model.vocabulary.commands import AsWritten, Command, CompactLog, Merge, Restore


def insert(rows_file: bytes) -> ScriptCommand:
    """An append of the rows in a Parquet file."""
    return ScriptCommand(f'{WRITE}(ROOT, {ROWS.name}, mode="append")', setup=(_rows(rows_file),))


def other_command(command: Command, rows_file: bytes, case: ScriptedCase) -> ScriptCommand:
    """``rows_file`` is empty if the command has no rows."""
    if isinstance(command, AsWritten):
        table = "opened" if command.by_earlier else "DeltaTable(ROOT)"
        return ScriptCommand(called("as_written", Code(table), Code("ROOT"), command.text))
    columns = pq.read_schema(io.BytesIO(rows_file)).names if rows_file else []
    calls = calls_of(command, columns)
    setup = [_rows(rows_file)] if rows_file else []
    if any(SOURCE in one.arguments.values() for one in calls):
        by_name = isinstance(command, Merge) and command.by_name
        setup.append(f"{SOURCE.name} = {_source(columns, by_name=by_name)}")
    given = {TABLE: "ROOT", ROWS: ROWS.name, SOURCE: SOURCE.name}
    if isinstance(command, Restore):
        version = case.version_before(command.before_step)
        given[VERSION] = f"as_of(ROOT, {version})" if command.by_time else version
    condition = ""
    if isinstance(command, CompactLog):
        given[FIRST] = "min(log())" if command.commits is None else f"sorted(log())[-{command.commits}:][0]"
        given[LAST] = f"version() - {command.but_newest}" if command.but_newest else "version()"
        condition = f"{given[FIRST]} < {given[LAST]} and "  # there is none of one commit
    pieces = [] if calls[0].name == WRITE else ["DeltaTable(ROOT)"]
    pieces += [_call(one, given, case.root) for one in calls]
    return ScriptCommand(condition + ".".join(pieces), setup=tuple(setup))


def _call(one: MethodCall, given: Mapping[KnownArgument, str], root: str) -> str:
    return (
        f"{one.name}({', '.join(f'{name}={_argument(value, given, root)}' for name, value in one.arguments.items())})"
    )


def _argument(value: object, given: Mapping[KnownArgument, str], root: str) -> str:
    if isinstance(value, KnownArgument):
        return given[value]
    if isinstance(value, ColumnSchema):
        return called("Field.from_json", value.text, root=root)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(name)}: {quoted(text, root)}" for name, text in value.items()) + "}"
    return quoted(value, root)


def _rows(rows_file: bytes) -> str:
    return f"{ROWS.name} = {called('rows_from', base64.b64encode(rows_file).decode())}"


def _source(columns: list[str], *, by_name: bool) -> str:
    """The source of a MERGE: its rows, or one row that only matches."""
    if by_name:
        return f"{ROWS.name}.select({columns[::-1]})"
    names = source_columns(len(columns) or 1)
    return f"{ROWS.name}.rename_columns({names})" if columns else f"pa.table([[1]], names={names})"
