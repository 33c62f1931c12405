"""The plan of a reproduction script for one violation, as JSON (its form: reports/counterexamples/script.py)."""

from __future__ import annotations

import base64
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from decimal import Context, Decimal
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from deltalog.commits import commit_bytes
from deltalog.names import commit_name
from deltalog.parquet import parquet_bytes
from harness.tables.file_actions import arrow_table
from harness.tables.plan import PlannedFile, PlannedLink, TablePlan, plan_append, plan_strays, plan_table
from harness.tables.storage import write_log
from model.prediction.history import live_ids
from model.text.invalid_sql import UNKNOWN_PARTITION, invalid_delete_sql, invalid_vacuum_sql, view_sql
from model.text.layout import escape, partition_string
from model.text.session_conf import spark_conf
from model.text.sql import delete_sql, insert_sql, sql, vacuum_settings, vacuum_sql
from model.vocabulary.case import Case
from model.vocabulary.steps import (
    API_VACUUM_FORMS,
    AddStrayFiles,
    Append,
    Delete,
    EngineStep,
    Form,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    IOFault,
    Mode,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Vacuum,
    VacuumForm,
)
from model.vocabulary.table import DataFile, Table
from model.vocabulary.values import AnyType, ArrayOf, MapOf, Row, StructOf, Type

#: Stands for the table's path in the SQL of a plan.
TABLE = "delta.`{table}`"

#: The table in each SQL form of VACUUM.
_VACUUMED = {
    VacuumForm.SQL_PATH: TABLE,
    VacuumForm.SQL_QUOTED_PATH: "'{table}'",
    VacuumForm.SQL_NAME: "{name}",
    VacuumForm.SQL_MANAGED: "{managed}",
}

#: The inventory in the SQL of a plan: the script makes it as a table beside the root, and as a view.
_INVENTORIES = {
    Mode.INVENTORY_TABLE: "delta.`{table}-inventory`",
    Mode.INVENTORY_QUERY: "(SELECT * FROM tombstone_inventory)",
}

_VIEW = "tombstone_view"
_BESIDE = "delta.`{table}-beside`"
_PARALLELISM = {"spark.databricks.delta.vacuum.parallelDelete.parallelism": "3"}

#: Where a script makes its table. The log may contain this path, so it is the same in each run.
HOME = "/tmp/tombstone-{case}"

#: The start of the case in a log that is written before the start is known. ``_INSTANT`` has the digits that it shares with
#: all instants up to 30 years before and after it.
GENERATED = 4_555_555_555_500_000_000
_INSTANT = re.compile(r'(?<![\w"])455555\d{13}(?!\d)')


def reproduction_plan(
    case: Case,
    *,
    line: Mapping[str, Any],
    violation: Mapping[str, Any],
    clause: Mapping[str, Any],
    packages: Mapping[str, str],
    operation: Callable[[EngineStep], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """The plan. ``line`` is the case's line of the stream, ``violation`` one of its violations, ``clause`` the header's entry.

    ``operation`` returns a command for an engine other than Spark.
    """
    failed = {step["index"] for step in line.get("steps", ()) if step["outcome"] and step["outcome"]["error"]}
    root = Path(HOME.format(case=line["id"]), case.table.root.value)
    return {
        "clause": clause["id"],
        "sentence": clause["sentence"],
        "case": line["id"],
        **packages,
        "root": str(root),
        "generated": GENERATED,
        "processors": line.get("processors"),
        "columns": [column.name for column in case.table.columns],
        "table": _table(plan_table(case.table, root, start=GENERATED)),
        "steps": [
            {**op, "failed": op["step"] in failed}
            for op in _steps(case, operation or partial(_operation, case), root, until=violation["step"])
        ],
        "step": violation["step"],
        "expectation": _comparable(violation["expectation"], case),
    }


def _table(plan: TablePlan) -> list[dict[str, Any]]:
    """Everything below and beside the root: ``{"path", "modified"}`` with a ``text``, a ``content`` (base64) or a ``target``;
    a directory has none of them. ``modified`` is in ms from the start, None for a directory.
    """
    times = {commit_name(commit.version): commit.modified for commit in plan.commits}
    found = _things(plan.files, plan.directories, plan.links)
    with tempfile.TemporaryDirectory() as directory:
        write_log(plan, Path(directory))
        for path in sorted(Path(directory).rglob("*")):
            name, content = path.relative_to(directory).as_posix(), path.read_bytes() if path.is_file() else b""
            if path.is_file():
                kind = {"content": _base64(content)} if path.suffix == ".parquet" else {"text": _from_start(content)}
                found.append({"path": name, "modified": times.get(path.name, 0), **kind})
    return found


def _things(
    files: Iterable[PlannedFile], directories: Iterable[str], links: Iterable[PlannedLink]
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"path": path, "modified": None} for path in directories]
    found += [{"path": file.path, "modified": file.modified, "content": _base64(file.content)} for file in files]
    return found + [asdict(link) for link in links]


def _rows_file(table: Table, rows: tuple[Row, ...]) -> bytes:
    """A Parquet file with all columns of these rows, under the names that users see."""
    plain = replace(table, partition_by=(), features=())
    return parquet_bytes(arrow_table(plain, DataFile(0, (), rows, modified=0)))


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _from_start(content: bytes) -> str:
    """A file of the log with its instants as ``"T-604800000"``, in ms from the start."""
    return _INSTANT.sub(lambda found: f'"T{int(found[0]) - GENERATED:+d}"', content.decode("utf-8"))


def _comparable(expectation: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """The expectation with rows in the form that a script compares: numbers, texts, NULL and lists."""
    expects = dict(expectation["expects"])
    if expectation["kind"] == "rows-are":
        types = [column.type for column in case.table.columns]
        expects["plain"] = any(not _is_simple(type) for type in types)
        expects["rows"] = [
            [_plain(value, type) for value, type in zip_longest(row, types)] if len(row) >= len(types) else row
            for row in expects["rows"]
        ]
    return {"kind": expectation["kind"], "expects": expects}


def _is_simple(type: AnyType) -> bool:
    """Whether ``json.dumps(value, default=str)`` has one text for each value."""
    return type in (Type.STRING, Type.BYTE, Type.SHORT, Type.INTEGER, Type.LONG, Type.BOOLEAN, Type.DATE)


def _plain(value: Any, type: AnyType | None) -> Any:
    if isinstance(type, MapOf) and value is not None:
        pairs = [[_plain(key, type.key), _plain(item, type.value)] for key, item in value]
        return sorted(pairs, key=json.dumps)
    if isinstance(type, ArrayOf) and value is not None:
        return [_plain(part, type.element) for part in value]
    if isinstance(type, StructOf) and value is not None:
        return [_plain(part, field) for part, (_, field) in zip(value, type.fields)]
    if isinstance(value, dict):
        ((kind, text),) = value.items()
        if kind == "float":
            return repr(float(text))
        if kind == "decimal":
            return format(Decimal(text).normalize(Context(60)), "f")
        return text.rstrip("Z").replace("T", " ") if kind.startswith("timestamp") else text
    return repr(value + 0.0) if isinstance(value, float) else value


def _delete(step: Delete) -> dict[str, Any]:
    conf = {"spark.sql.session.timeZone": step.zone, **spark_conf(step.settings)}
    how = {"spelling": step.spelling.value, "cached": step.cached}
    if step.form is Form.SQL_PATH:
        return {"sql": delete_sql(step, TABLE), "conf": conf, **how}
    where = None if step.where is None else sql(step.where, step.zone)
    return {"form": step.form.value, "where": where, "conf": conf, **how}


def _invalid(case: Case, step: InvalidDelete | InvalidVacuum) -> dict[str, Any]:
    """The statement, and the views and directories that it needs. The paths beside the script's table are free."""
    kind = step.mistake.name
    target, setup = TABLE, []
    if kind == "PARTITION_DIRECTORY":
        target = _partition(case)
    elif kind in ("NOT_A_TABLE", "MISSING_PATH"):
        target = _BESIDE
    elif kind == "VIEW":
        target, setup = _VIEW, [view_sql(_VIEW, TABLE)]
    elif kind == "TEMPORARY_VIEW":
        target, setup = _VIEW, [f"CREATE OR REPLACE TEMPORARY VIEW {_VIEW} AS SELECT * FROM {TABLE}"]
    if isinstance(step, InvalidDelete):
        statement = invalid_delete_sql(step.mistake, target)
    else:
        statement = invalid_vacuum_sql(step.mistake, target, dry_run=step.dry_run)
    directories = ["{table}-beside"] if kind == "NOT_A_TABLE" else []
    return {"sql": statement, "setup": setup, "directories": directories, "conf": {}}


def _partition(case: Case) -> str:
    """The directory of a live file's partition, by its first column, in SQL; a missing one if there is none.

    Of several the first by its text, as in ``model.prediction.refusals.named_partition``.
    """
    live = [file for file in case.table.files if file.id in live_ids(case.table)]
    first = case.table.partition_columns[:1]
    texts = [partition_string(file.partition[0], first[0].type) for file in live if first]
    values = sorted(text for text in texts if text is not None)
    part = f"{escape(first[0].name)}={escape(values[0])}" if values else UNKNOWN_PARTITION
    return f"delta.`{{table}}/{part}`"


def _vacuum(step: Vacuum) -> dict[str, Any]:
    """The command, its settings, its inventory and its I/O fault."""
    # With several tasks, others may continue after one crashes: use a single one then.
    parallel = step.parallel and step.io_fault is not IOFault.DELETE_CRASHES
    plan: dict[str, Any] = {
        "conf": {**spark_conf(step.settings), **vacuum_settings(step), **(_PARALLELISM if parallel else {})},
        "spelling": step.spelling.value,
    }
    if step.form in API_VACUUM_FORMS:
        plan |= {"form": step.form.value, "hours": step.retain_hours}
    else:
        plan["sql"] = vacuum_sql(step, _VACUUMED[step.form], _INVENTORIES.get(step.mode))
    if step.mode.inventory:
        plan["inventory"] = step.inventory.value
    if step.io_fault is not None:
        plan["trouble"] = {"kind": step.io_fault.value, "path": step.faulty_path}
    return plan


def _operation(case: Case, step: EngineStep) -> dict[str, Any]:
    """A command for Spark."""
    if isinstance(step, Delete):
        return {"do": "delete", **_delete(step)}
    if isinstance(step, InvalidDelete):
        return {"do": "bad delete", **_invalid(case, step)}
    if isinstance(step, Vacuum):
        return {"do": "vacuum", **_vacuum(step)}
    if isinstance(step, InvalidVacuum):
        return {"do": "bad vacuum", **_invalid(case, step)}
    raise ValueError(f"a {type(step).__name__} is not a command")


def _steps(
    case: Case, operation: Callable[[EngineStep], dict[str, Any]], root: Path, *, until: int
) -> list[dict[str, Any]]:
    """The steps up to the violation, each with the clock."""
    clock = Moment(0)
    found: list[dict[str, Any]] = []
    for index, step in enumerate(case.steps[: until + 1]):
        at_clock = {"offset": clock.offset, "removed_by_step": clock.removed_by_step}
        if isinstance(step, SetClock):
            clock = step.to
        elif isinstance(step, Read):
            found.append({"step": index, "do": "read", "before_step": step.before_step, "clock": at_clock})
        elif isinstance(step, ReadChanges):
            found.append({"step": index, "do": "changes", "of_step": step.of_step, "clock": at_clock})
        elif isinstance(step, Append):
            # Another writer commits at the clock's time; one relative to a DELETE's deletionTimestamp is unknown here.
            at = clock.offset
            files, actions = plan_append(case.table, step.files, root, start=GENERATED, at=at)
            text = _from_start(commit_bytes(actions))
            commit = {"path": "_delta_log/next.json", "modified": at, "text": text}
            found.append({"step": index, "do": "append", "table": [*_things(files, (), ()), commit]})
        elif isinstance(step, Insert):
            types = [column.type for column in case.table.columns]
            rows = {"sql": insert_sql(step, types, TABLE), "content": _base64(_rows_file(case.table, step.rows))}
            found.append({"step": index, "do": "insert", **rows, "clock": at_clock})
        elif isinstance(step, AddStrayFiles):
            found.append({"step": index, "do": "litter", "table": _things(*plan_strays(step.stray_files))})
        else:
            found.append({"step": index, **operation(step), "clock": at_clock})
    return found
