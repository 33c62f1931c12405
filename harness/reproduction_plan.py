"""All that a standalone script needs to show one violation, as plain JSON (its form: reports/counterexamples/script.py)."""

from __future__ import annotations

import base64
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from deltalog.names import commit_name
from harness.materialise import (
    PlannedFile,
    PlannedLink,
    TablePlan,
    commit_text,
    plan_append,
    plan_strays,
    plan_table,
    write_log,
)
from model.case import Case
from model.history import live_ids
from model.layout import escape, partition_string
from model.refusals import UNKNOWN_PARTITION, invalid_delete_sql, invalid_vacuum_sql, view_sql
from model.sql import delete_sql, sql, vacuum_settings, vacuum_sql
from model.steps import (
    API_VACUUM_FORMS,
    AddStrayFiles,
    Append,
    Delete,
    DeleteMistake,
    EngineStep,
    Form,
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
    VacuumMistake,
)
from model.values import AnyType, ArrayOf, MapOf, StructOf, Type

#: Stands for the table's path in the SQL of a plan.
TABLE = "delta.`{table}`"

#: What stands for the table in each form of a VACUUM that is SQL.
_VACUUMED = {
    VacuumForm.SQL_PATH: TABLE,
    VacuumForm.SQL_QUOTED_PATH: "'{table}'",
    VacuumForm.SQL_NAME: "{name}",
    VacuumForm.SQL_MANAGED: "{managed}",
}

#: An inventory in the SQL of a plan: the script has it as a table beside the root, and as a view.
_INVENTORIES = {
    Mode.INVENTORY_TABLE: "delta.`{table}-inventory`",
    Mode.INVENTORY_QUERY: "(SELECT * FROM tombstone_inventory)",
}

_VIEW = "tombstone_view"
_BESIDE = "delta.`{table}-beside`"
_PARALLELISM = {"spark.databricks.delta.vacuum.parallelDelete.parallelism": "3"}


#: Where a script makes its table. The log may hold this path, so it is the same in each run.
HOME = "/tmp/tombstone-{case}"

#: Stands for the start of the case in a log that is written before the start is known. All its digits that stay the same
#: for 30 years before and after it are those of ``_INSTANT``.
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

    ``operation`` says a command to an engine that is not asked in the SQL of Spark.
    """
    failed = {step["index"] for step in line.get("steps", ()) if step["outcome"] and step["outcome"]["error"]}
    root = Path(HOME.format(case=line["id"]), "table")
    return {
        "clause": clause["id"],
        "sentence": clause["sentence"],
        "case": line["id"],
        **packages,
        "root": str(root),
        "generated": GENERATED,
        "columns": [column.name for column in case.table.columns],
        "table": _table(plan_table(case.table), root),
        "steps": [
            {**op, "failed": op["step"] in failed}
            for op in _steps(case, operation or partial(_operation, case), root, until=violation["step"])
        ],
        "step": violation["step"],
        "expectation": _comparable(violation["expectation"], case),
    }


def _table(plan: TablePlan, root: Path) -> list[dict[str, Any]]:
    """Everything below and beside the root: ``{"path", "modified"}`` with a ``text``, a ``content`` (base64), a ``target``
    or, for a directory, neither. ``modified`` is in ms from the start, None for a directory.
    """
    times = {commit_name(commit.version): commit.modified for commit in plan.commits}
    found = _things(plan.files, plan.directories, plan.links)
    with tempfile.TemporaryDirectory() as directory:
        write_log(plan, Path(directory), root=root, start=GENERATED)
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
    found += [{"path": one.path, "modified": one.modified, "content": _base64(one.content)} for one in files]
    return found + [{"path": one.path, "modified": one.modified, "target": one.target} for one in links]


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _from_start(content: bytes) -> str:
    """A file of the log with its instants as ``"T-604800000"``, in ms from the start."""
    return _INSTANT.sub(lambda found: f'"T{int(found[0]) - GENERATED:+d}"', content.decode("utf-8"))


def _comparable(expectation: Mapping[str, Any], case: Case) -> dict[str, Any]:
    """The expectation with rows as a script compares them: numbers, texts, NULL and lists."""
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
    """Whether JSON, with ``str`` for what it does not know, has one text for each value."""
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
    conf = {"spark.sql.session.timeZone": step.zone}
    if step.form is Form.SQL_PATH:
        return {"sql": delete_sql(step, TABLE), "conf": conf}
    where = None if step.where is None else sql(step.where, step.zone)
    return {"form": step.form.value, "where": where, "conf": conf}


def _bad_delete(case: Case, step: InvalidDelete) -> dict[str, Any]:
    """The statement, and what must be there first. A script's paths beside the table are free."""
    mistake, target = step.mistake, TABLE
    setup: list[str] = []
    if mistake is DeleteMistake.PARTITION_DIRECTORY:
        target = _partition(case)
    elif mistake in (DeleteMistake.NOT_A_TABLE, DeleteMistake.MISSING_PATH):
        target = _BESIDE
    elif mistake is DeleteMistake.VIEW:
        target, setup = _VIEW, [view_sql(_VIEW, TABLE)]
    directories = ["{table}-beside"] if mistake is DeleteMistake.NOT_A_TABLE else []
    return {"sql": invalid_delete_sql(mistake, target), "setup": setup, "directories": directories}


def _bad_vacuum(case: Case, step: InvalidVacuum) -> dict[str, Any]:
    """As of a InvalidDelete."""
    mistake, target = step.mistake, TABLE
    setup: list[str] = []
    if mistake is VacuumMistake.PARTITION_DIRECTORY:
        target = _partition(case)
    elif mistake in (VacuumMistake.NOT_A_TABLE, VacuumMistake.MISSING_PATH):
        target = _BESIDE
    elif mistake is VacuumMistake.TEMPORARY_VIEW:
        target, setup = _VIEW, [f"CREATE OR REPLACE TEMPORARY VIEW {_VIEW} AS SELECT * FROM {TABLE}"]
    directories = ["{table}-beside"] if mistake is VacuumMistake.NOT_A_TABLE else []
    return {
        "sql": invalid_vacuum_sql(mistake, target, dry_run=step.dry_run),
        "setup": setup,
        "directories": directories,
    }


def _partition(case: Case) -> str:
    """The partition of a live file, by its first column, as SQL names a path; one that cannot be where there is none.

    Of several the first, by their texts, as ``model.refusals.named_partition`` has it.
    """
    live = [file for file in case.table.files if file.id in live_ids(case.table)]
    first = case.table.partition_columns[:1]
    texts = [partition_string(file.partition[0], first[0].type) for file in live if first]
    values = sorted(text for text in texts if text is not None)
    part = f"{escape(first[0].name)}={escape(values[0])}" if values else UNKNOWN_PARTITION
    return f"delta.`{{table}}/{part}`"


def _vacuum(step: Vacuum) -> dict[str, Any]:
    """How it is said, its settings, its inventory and its trouble."""
    # Of several tasks, some may go on a little when another has failed: where that is the trouble, there is but one.
    parallel = step.parallel and step.io_fault is not IOFault.DELETE_CRASHES
    plan: dict[str, Any] = {"conf": {**vacuum_settings(step), **(_PARALLELISM if parallel else {})}}
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
    """A command as Spark is asked for it."""
    if isinstance(step, Delete):
        return {"do": "delete", **_delete(step)}
    if isinstance(step, InvalidDelete):
        return {"do": "bad delete", **_bad_delete(case, step), "conf": {}}
    if isinstance(step, Vacuum):
        return {"do": "vacuum", **_vacuum(step)}
    if isinstance(step, InvalidVacuum):
        return {"do": "bad vacuum", **_bad_vacuum(case, step), "conf": {}}
    raise ValueError(f"a {type(step).__name__} is no command")


def _steps(
    case: Case, operation: Callable[[EngineStep], dict[str, Any]], root: Path, *, until: int
) -> list[dict[str, Any]]:
    """The steps up to the one that broke the promise. The clock is said anew with each."""
    clock = Moment(0)
    found: list[dict[str, Any]] = []
    for index, step in enumerate(case.steps[: until + 1]):
        said = {"offset": clock.offset, "removed_by_step": clock.removed_by_step}
        if isinstance(step, SetClock):
            clock = step.to
        elif isinstance(step, Read):
            found.append({"step": index, "do": "read", "before_step": step.before_step, "clock": said})
        elif isinstance(step, ReadChanges):
            found.append({"step": index, "do": "changes", "of_step": step.of_step, "clock": said})
        elif isinstance(step, Append):
            # The time of another writer's commit is the clock's; where that hangs on a DELETE's own stamp, no plan can say it.
            at = clock.offset
            files, actions = plan_append(case.table, step.files, at=at)
            text = _from_start(commit_text(actions, root, start=GENERATED).encode())
            commit = {"path": "_delta_log/next.json", "modified": at, "text": text}
            found.append({"step": index, "do": "append", "table": [*_things(files, (), ()), commit]})
        elif isinstance(step, AddStrayFiles):
            found.append({"step": index, "do": "litter", "table": _things(*plan_strays(step.stray_files))})
        else:
            found.append({"step": index, **operation(step), "clock": said})
    return found
