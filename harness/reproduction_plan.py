"""All that a standalone script needs to show one violation, as plain JSON (its form: reports/reproduction.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from harness.materialise import plan_append, plan_strays, plan_table
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
    table = plan_table(case.table)
    return {
        "clause": clause["id"],
        "sentence": clause["sentence"],
        "case": line["id"],
        **packages,
        "files": [file.as_json() for file in table.files],
        "directories": list(table.directories),
        "links": [link.as_json() for link in table.links],
        "pruned": table.pruned,
        "broken_last_checkpoint": table.broken_last_checkpoint,
        "commits": [commit.as_json() for commit in table.commits],
        "ops": _steps(case, operation or partial(_operation, case), until=violation["step"]),
        "law": violation["law"],
        "at_step": violation["step"],
    }


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


def _steps(case: Case, operation: Callable[[EngineStep], dict[str, Any]], *, until: int) -> list[dict[str, Any]]:
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
            lines = [dict(action) for action in actions]
            found.append(
                {
                    "step": index,
                    "do": "append",
                    "files": [file.as_json() for file in files],
                    "lines": lines,
                    "modified": at,
                }
            )
        elif isinstance(step, AddStrayFiles):
            stray_files, directories, links = plan_strays(step.stray_files)
            found.append(
                {
                    "step": index,
                    "do": "litter",
                    "files": [file.as_json() for file in stray_files],
                    "directories": list(directories),
                    "links": [link.as_json() for link in links],
                }
            )
        else:
            found.append({"step": index, **operation(step), "clock": said})
    return found
