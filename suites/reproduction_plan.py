"""All that a standalone script needs to show one violation, as plain JSON (its form: reports/reproduction.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from model.case import Case
from model.history import live_ids
from model.layout import escape, partition_string
from model.refusals import UNKNOWN_PARTITION, bad_delete_sql, view_sql
from model.sql import delete_sql, sql, vacuum_settings, vacuum_sql
from model.steps import (
    Append,
    BadDelete,
    Blunder,
    Delete,
    Form,
    Litter,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Vacuum,
)
from suites.materialise import plan_append, plan_strays, plan_table

#: Stands for the table's path in the SQL of a plan.
TABLE = "delta.`{table}`"


def reproduction_plan(
    case: Case,
    *,
    line: Mapping[str, Any],
    violation: Mapping[str, Any],
    clause: Mapping[str, Any],
    packages: Mapping[str, str],
) -> dict[str, Any]:
    """The plan. ``line`` is the case's line of the stream, ``violation`` one of its violations, ``clause`` the header's entry."""
    table = plan_table(case.table)
    return {
        "clause": clause["id"],
        "sentence": clause["sentence"],
        "case": line["id"],
        **packages,
        "files": [file.as_json() for file in table.files],
        "directories": list(table.directories),
        "commits": [commit.as_json() for commit in table.commits],
        "ops": list(_operations(case, until=violation["step"])),
        "law": violation["law"],
        "at_step": violation["step"],
    }


def _delete(step: Delete) -> dict[str, Any]:
    conf = {"spark.sql.session.timeZone": step.zone}
    if step.form is Form.SQL_PATH:
        return {"sql": delete_sql(step, TABLE), "conf": conf}
    where = None if step.where is None else sql(step.where, step.zone)
    return {"form": step.form.value, "where": where, "conf": conf}


def _bad_delete(case: Case, step: BadDelete) -> dict[str, Any]:
    """The statement, and what must be there first. A script's paths beside the table are free."""
    blunder, target = step.blunder, TABLE
    setup: list[str] = []
    directories: list[str] = []
    if blunder is Blunder.PARTITION_DIRECTORY:
        live = [file for file in case.table.files if file.id in live_ids(case.table)]
        first = case.table.partition_columns[:1]
        texts = [partition_string(file.partition[0], first[0].type) for file in live if first]
        values = [text for text in texts if text is not None]
        part = f"{escape(first[0].name)}={escape(values[0])}" if values else UNKNOWN_PARTITION
        target = f"delta.`{{table}}/{part}`"
    elif blunder in (Blunder.NOT_A_TABLE, Blunder.MISSING_PATH):
        target = "delta.`{table}-beside`"
        directories = ["{table}-beside"] if blunder is Blunder.NOT_A_TABLE else []
    elif blunder is Blunder.VIEW:
        target, setup = "tombstone_view", [view_sql("tombstone_view", TABLE)]
    return {"sql": bad_delete_sql(blunder, target), "setup": setup, "directories": directories}


def _operations(case: Case, *, until: int) -> list[dict[str, Any]]:
    """The steps up to the one that broke the promise. The clock is said anew with each."""
    clock = Moment(0)
    found: list[dict[str, Any]] = []
    for index, step in enumerate(case.steps[: until + 1]):
        said = {"offset": clock.offset, "removed_by_step": clock.removed_by_step}
        if isinstance(step, SetClock):
            clock = step.to
        elif isinstance(step, Delete):
            found.append({"step": index, "do": "delete", **_delete(step), "clock": said})
        elif isinstance(step, BadDelete):
            found.append({"step": index, "do": "bad delete", **_bad_delete(case, step), "clock": said, "conf": {}})
        elif isinstance(step, ReadChanges):
            found.append({"step": index, "do": "changes", "of_step": step.of_step, "clock": said, "conf": {}})
        elif isinstance(step, Vacuum):
            found.append(
                {
                    "step": index,
                    "do": "vacuum",
                    "sql": vacuum_sql(step, TABLE),
                    "clock": said,
                    "conf": vacuum_settings(step),
                }
            )
        elif isinstance(step, Read):
            found.append({"step": index, "do": "read", "before_step": step.before_step, "clock": said})
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
        elif isinstance(step, Litter):
            strays, directories = plan_strays(step.strays)
            found.append(
                {
                    "step": index,
                    "do": "litter",
                    "files": [file.as_json() for file in strays],
                    "directories": list(directories),
                }
            )
    return found
