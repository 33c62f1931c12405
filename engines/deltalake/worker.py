"""The child process: reads steps from standard input, runs them with deltalake, writes outcomes to standard output."""

from __future__ import annotations

import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, Field, QueryBuilder, Schema, write_deltalake
from deltalake.exceptions import DeltaProtocolError

from engines.arrow_rows import rows_of, type_of
from engines.deltalake.answering import CallRefused, Failed, SessionGone, asked
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
    calls_of,
    schema_of,
    source_columns,
)
from engines.deltalake.operations import DeleteCall, Target, VacuumCall, call_of
from engines.deltalake.script_functions import as_of, as_written, parameters
from engines.deltalake.sql import identifier
from engines.deltalake.tables import Tables
from engines.named_paths import named_path
from engines.port import Answer, EngineError, Outcome, now
from model.vocabulary.commands import AsWritten, Command, CompactLog, Merge, Overwrite, Restore, added_by
from model.vocabulary.readings import OF_COLUMNS, Reading, is_ordered, sought_of
from model.vocabulary.rules import DELTA_RS_COUNTS
from model.vocabulary.steps import Ask, Delete, Insert, OpenSession, OtherCommand, Read, ReadChanges, Request, Vacuum
from model.vocabulary.values import Row, Value

#: What the session of the latest OpenSession has opened.
_OPENED: list[DeltaTable] = []


def run(tables: Tables, root: Path, step: Request, version: int | None) -> tuple[Row, ...]:
    """Run one step; a read may use an earlier session. Raises Refused for an exception of deltalake; any other exception is an
    error of the suite.
    """
    if isinstance(step, OpenSession):
        _OPENED[:] = [asked(tables.opened, root)]
        return ()
    if isinstance(step, Read):
        return _rows(_session())
    if isinstance(step, Ask):
        return _rows(asked(tables.opened, root), [test.text for test in step.tests])
    if isinstance(step, ReadChanges):
        return _changes(asked(tables.opened, root), version, commits=step.commits)
    if isinstance(step, Insert):
        return _insert(asked(tables.opened, root), step)
    if isinstance(step, OtherCommand) and isinstance(step.command, AsWritten):
        table = _session() if step.command.by_earlier else asked(tables.opened, root)
        asked(as_written, table, tables.named(root), step.command.text)
        return ()
    if isinstance(step, OtherCommand):
        return _commanded(asked(tables.opened, root), root, step.command, version)
    call = call_of(step)
    if isinstance(step, (Delete, Vacuum)) and step.by_earlier:
        return _call(tables, _session(), call, root)
    if isinstance(step, (Delete, Vacuum)):
        with named_path(root, step.spelling, working_directory=os.getcwd()) as path:
            return _call(tables, asked(tables.opened, path, None, _given(call.of_table)), call, root)
    target = _target(root, call.target)
    return _call(tables, asked(tables.opened, target), call, target)


def _session() -> DeltaTable:
    """The table as the latest OpenSession has opened it. Raises SessionGone."""
    if not _OPENED:
        raise SessionGone("no session has opened a table in this process")
    return _OPENED[0]


def _call(tables: Tables, table: DeltaTable, call: DeleteCall | VacuumCall, target: Path) -> tuple[Row, ...]:
    """The result of a call. Paths in it are absolute, or from ``target``."""
    if isinstance(call, DeleteCall):
        return _deleted(asked(table.delete, call.where, **_given(call.given)))
    arguments = cast("dict[str, Any]", {**call.arguments, **_given(call.given)})
    if call.keep:
        arguments["keep_versions"] = [max(0, asked(table.version) - before) for before in call.keep]
    paths = map(tables.path_of, asked(table.vacuum, **arguments))
    return tuple((path if path.startswith(("/", "file:")) else f"{target}/{path}",) for path in paths)


def _given(given: Mapping[str, str]) -> dict[str, Any]:
    """The values of what a case gives to a call in the engine's own words."""
    return asked(parameters, **given)


def _deleted(metrics: dict[str, Any]) -> tuple[Row, ...]:
    """One row with the counts; None for deleted rows that are left out (those of whole files)."""
    return (tuple(metrics.get(name) for name in DELTA_RS_COUNTS),)


def _rows(table: DeltaTable, tests: Sequence[str] = ()) -> tuple[Row, ...]:
    """All rows, each with what these conditions say of it."""
    names = [f"tombstone {number}" for number, _ in enumerate(tests)]
    selected = ", ".join(("*", *(f'({test}) AS "{name}"' for test, name in zip(tests, names))))
    return _converted(asked(_queried, table, f"{selected} FROM t"), [*_columns(table), *names])


def _columns(table: DeltaTable) -> list[str]:
    return [field.name for field in asked(table.schema).fields]


def _converted(rows: pa.Table, columns: Sequence[str]) -> tuple[Row, ...]:
    """The rows that deltalake returned. Raises Refused if they are no rows of these columns: it must not answer with such."""
    try:
        return rows_of(rows, columns)
    except (ValueError, OverflowError, pa.ArrowException) as odd:
        raise CallRefused(odd) from odd


#: How the readers of Arrow say that they do not read the features of a table (python/deltalake/table.py).
_REFUSALS = ("not yet supported by the deltalake reader", "but deltalake only supports version")


def _answers(table: DeltaTable, rows: Sequence[Row]) -> dict[str, Answer]:
    """What deltalake answers when it is asked in other ways; without the ways that it refuses for a feature, as documented."""
    schema = asked(lambda: pa.schema(table.schema().to_arrow()))
    ordered = [column.name for column in schema if is_ordered(type_of(column.type))]
    bounds = ", ".join(f"{least}({identifier(name)})" for name in ordered for least in ("min", "max"))
    ways: dict[str, tuple[Reading, Callable[[], tuple[Row, ...]]]] = {
        "to_pyarrow_table": (Reading.ROWS, lambda: _converted(table.to_pyarrow_table(), _columns(table))),
        "DeltaTable.count()": (Reading.COUNTED, lambda: ((table.count(),),)),
        "count(*) of QueryBuilder": (Reading.COUNT, lambda: _numbered(table, "count(*)")),
        "LIMIT 1 of QueryBuilder": (
            Reading.ONE,
            lambda: _converted(_queried(table, "* FROM t LIMIT 1"), _columns(table)),
        ),
        "count_rows of to_pyarrow_dataset": (Reading.FILTERED, lambda: (_filtered(table, ordered, rows),)),
        "min and max of QueryBuilder": (Reading.BOUNDS, lambda: _numbered(table, bounds) if ordered else ((),)),
    }
    if not hasattr(table, "count"):
        del ways["DeltaTable.count()"]
    found: dict[str, Answer] = {}
    for way, (reading, ask) in ways.items():
        try:
            found[way] = Answer(reading, asked(ask), columns=tuple(ordered) if reading in OF_COLUMNS else ())
        except CallRefused as refused:
            documented = any(words in str(refused.failure) for words in _REFUSALS)
            if not (isinstance(refused.failure, DeltaProtocolError) and documented):
                found[way] = Answer(reading, error=_error(refused.failure))
    return found


def _filtered(table: DeltaTable, columns: Sequence[str], rows: Sequence[Row]) -> Row:
    """The numbers of rows that a dataset of PyArrow finds by conditions on each column."""
    names, dataset = _columns(table), table.to_pyarrow_dataset()
    counts: list[Value] = []
    for name, sought in zip(columns, sought_of(rows, [names.index(name) for name in columns])):
        column, value = pc.field(name), pa.array([sought], dataset.schema.field(name).type)[0]
        counts += [dataset.count_rows(filter=one) for one in (column == value, column > value, column.is_null())]
    return tuple(counts)


def _queried(table: DeltaTable, query: str) -> pa.Table:
    return _table(QueryBuilder().register("t", table).execute(f"SELECT {query}"))


def _numbered(table: DeltaTable, selected: str) -> tuple[Row, ...]:
    """The selection of all rows, with numbers instead of the columns' names."""
    found = _queried(table, f"{selected} FROM t")
    return _converted(found, found.column_names)


def _table(reader: Any) -> pa.Table:
    """All batches of a query, an Arrow C stream."""
    return pa.table(reader.read_all() if hasattr(reader, "read_all") else reader)


def _changes(table: DeltaTable, version: int | None, *, commits: bool) -> tuple[Row, ...]:
    assert version is not None, "the change feed is read of a version"
    changes = asked(lambda: _table(table.load_cdf(starting_version=version, ending_version=version)))
    columns = ["_commit_version", "_commit_timestamp"]
    if not commits:
        columns = [*_columns(table), "_change_type"]
    there = [name for name in columns if name in changes.column_names]
    return _converted(changes.select(there), columns)


def _insert(table: DeltaTable, step: Insert) -> tuple[Row, ...]:
    asked(write_deltalake, table, _arrow_rows(table, step.rows), mode="append")
    return ()


def _arrow_rows(table: DeltaTable, rows: Sequence[Row], *more: Field) -> pa.Table:
    """Rows with the columns of the table and ``more``."""
    schema = asked(lambda: pa.schema(Schema([*table.schema().fields, *more]).to_arrow()))
    columns = [pa.array([row[place] for row in rows], field.type) for place, field in enumerate(schema)]
    return pa.table(columns, schema=schema)


def _commanded(table: DeltaTable, root: Path, command: Command, version: int | None) -> tuple[Row, ...]:
    """A command other than DELETE and VACUUM; what it returns is not judged."""
    found: Any = table
    columns = _columns(found)
    given: dict[KnownArgument, Any] = {TABLE: found, VERSION: version}
    if isinstance(command, Restore) and command.by_time:
        assert version is not None, "a RESTORE has a version"
        given[VERSION] = as_of(str(root), version)
    if isinstance(command, Overwrite):
        given[ROWS] = _arrow_rows(found, command.rows, *_added(command))
    if isinstance(command, Merge):
        given[SOURCE] = _source(found, command)
    if isinstance(command, CompactLog):
        given[FIRST] = sorted(map(int, _commits(root)))[-(command.commits or 0) :][0]
        given[LAST] = asked(found.version) - command.but_newest
        if given[FIRST] >= given[LAST]:
            return ()  # PROTOCOL.md has no compaction of one commit: deltalake refuses it
    for call in calls_of(command, columns):
        arguments = {name: _argument(value, given) for name, value in call.arguments.items()}
        function = write_deltalake if call.name == WRITE else attrgetter(call.name)(found)
        found = asked(function, **arguments)
    return ()


def _argument(value: object, given: Mapping[KnownArgument, Any]) -> Any:
    if isinstance(value, ColumnSchema):
        return Field.from_json(value.text)
    return given[value] if isinstance(value, KnownArgument) else value


def _added(command: Command) -> list[Field]:
    column = added_by(command)
    return [] if column is None else [Field.from_json(schema_of(column).text)]


def _source(table: DeltaTable, command: Merge) -> pa.Table:
    if not command.rows:
        return pa.table([[1]], names=source_columns(1))
    found = _arrow_rows(table, command.rows, *_added(command))
    if command.by_name:
        return found.select(found.column_names[::-1])
    return found.rename_columns(source_columns(found.num_columns))


def _commits(root: Path) -> list[str]:
    """The versions of the commits that the log has, with 20 digits each."""
    return [path.stem for path in (root / "_delta_log").glob("[0-9]" * 20 + ".json")]


def _target(root: Path, target: Target) -> Path:
    """The table, a path that does not exist, or a directory inside the table."""
    if target is Target.TABLE:
        return root
    if target is Target.MISSING:
        return root.parent / f"{root.name}-missing"
    return next((path for path in sorted(root.iterdir()) if path.is_dir() and path.name != "_delta_log"), root.parent)


def outcome(tables: Tables, root: Path, step: Request, version: int | None) -> Outcome:
    """The rows of a step or its error; a panic of Rust is an error too. Raises what is an error of the suite."""
    rows: tuple[Row, ...] = ()
    answers: dict[str, Answer] = {}
    error = None
    started = now()
    try:
        if isinstance(step, Read) and not step.by_earlier:
            table = asked(tables.opened, root, version)
            rows = _rows(table)
            answers = _answers(table, rows)
        else:
            rows = run(tables, root, step, version)
    except CallRefused as refused:
        rows, error = (), _error(refused.failure)
    return Outcome(rows, error, started, now(), answers=answers)


def answer(tables: Tables, root: Path, step: Request, version: int | None) -> Outcome | Failed:
    """The outcome of a step, or the error of the suite that prevented it."""
    try:
        return outcome(tables, root, step, version)
    except Exception as error:  # noqa: BLE001 - the parent process reports it
        return Failed(f"{type(error).__name__}: {error}", traceback.format_exc(), isinstance(error, SessionGone))


def _error(failure: BaseException) -> EngineError:
    return EngineError(type(failure).__name__, None, None, str(failure))


def use_processors(number: int | None, available: Sequence[int]) -> None:
    """Give this thread so many of the available processors; None: all of them. Only where the system can (Linux).

    DataFusion divides a scan into as many parts as there are processors for the thread that plans it
    (std::thread::available_parallelism), so it is decided again for each step.
    """
    if sys.platform == "linux" and number is not None:
        first = os.getpid() % len(available)  # workers that use one processor do not all use the same
        os.sched_setaffinity(0, {available[(first + place) % len(available)] for place in range(number)})


def main() -> None:
    available = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    warnings.simplefilter("ignore")  # nobody reads them here
    requests = sys.stdin.buffer
    # Other output of the process must not mix with the outcomes.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            store, root, step, version, processors = pickle.load(requests)
        except EOFError:
            return
        use_processors(processors, available)
        pickle.dump(answer(Tables(store), root, step, version), answers)
        answers.flush()


if __name__ == "__main__":
    main()
