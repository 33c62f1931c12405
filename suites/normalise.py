"""The observation of a step as plain JSON in which nothing is random: for the run stream, and to compare engines by."""

from __future__ import annotations

from collections import Counter
from typing import Any

from model.layout import without_random
from model.sql import delete_sql, vacuum_sql
from model.steps import BadDelete, BadVacuum, Delete, EngineStep, Form, Mode, ReadChanges, Vacuum, VacuumForm
from suites.evidence import rows_as_json
from suites.observation import ChangesSeen, DeleteSeen, ReadSeen, Seen
from suites.vacuum_seen import VacuumSeen


def step_text(step: EngineStep) -> str:
    """The step as users write it."""
    if isinstance(step, Delete):
        said = "" if step.form is Form.SQL_PATH else f" ({step.form.value})"
        return f"{delete_sql(step, 't')}{said}"
    if isinstance(step, BadDelete):
        return f"DELETE with a mistake: {step.blunder.value}"
    if isinstance(step, ReadChanges):
        return f"the change data feed of step {step.of_step}"
    if isinstance(step, BadVacuum):
        return f"VACUUM with a mistake: {step.blunder.value}{' (DRY RUN)' if step.dry_run else ''}"
    if isinstance(step, Vacuum):
        inventory = f"({step.inventory.value})" if step.mode.inventory else None
        besides = [] if step.form is VacuumForm.SQL_PATH else [step.form.value]
        besides += [step.mode.value] if step.mode is Mode.LITE_SETTING else []
        besides += ["in parallel"] if step.parallel else []
        besides += [f"{step.troubled}: {step.trouble.value}"] if step.trouble else []
        return vacuum_sql(step, "t", inventory) + (f" ({'; '.join(besides)})" if besides else "")
    return "SELECT * FROM t" if step.before_step is None else f"SELECT * FROM t (as before step {step.before_step})"


def normalise(seen: Seen) -> dict[str, Any]:
    """A record of the step."""
    error = seen.outcome.error
    return {
        "index": seen.index,
        "kind": type(seen.step).__name__.lower(),
        "text": step_text(seen.step),
        "seconds": seen.outcome.seconds,
        "outcome": {
            "rows": None if error else _answer(seen),
            "error": None
            if error is None
            else {
                "exception": error.exception,
                "condition": error.condition,
                "sqlstate": error.sqlstate,
                "message": error.message.splitlines()[0][:500],
            },
        },
        "observed": _observed(seen),
    }


def _answer(seen: Seen) -> Any:
    """The engine's rows. A VACUUM's are paths, here relative to the table's root: that is another one in each run."""
    if isinstance(seen, VacuumSeen):
        return sorted(without_random(path) for path in seen.listed)
    if isinstance(seen, ReadSeen):
        return rows_as_json(seen.rows)
    return rows_as_json(Counter(seen.outcome.rows))


def _observed(seen: Seen) -> dict[str, Any]:
    observed: dict[str, Any] = {"version": [seen.before.version, seen.after.version]}
    if isinstance(seen, DeleteSeen):
        observed["removed"] = sorted(without_random(remove.file) for remove in seen.removes)
        observed["added"] = sorted(
            (
                {"partition": dict(add.partition_values), "rows": len(seen.after.contents.get(add.file) or ())}
                for add in seen.written
            ),
            key=str,
        )
        observed["remove_fields"] = sorted(
            {key for remove in seen.removes for key, value in vars(remove).items() if value is not None}
        )
        observed["masked"] = sorted(
            [without_random(add.file), *sorted(seen.after.hidden(add) or ())] for add in seen.masked
        )
        observed["changed"] = sum(len(seen.after.changes.get(cdc.file) or ()) for cdc in seen.change_files)
        observed["info"] = _info(seen)
    if not isinstance(seen, (ReadSeen, ChangesSeen)):
        observed["vanished"] = sorted(without_random(path) for path in seen.vanished)
        if seen.changed_beside:
            observed["changed_beside"] = seen.changed_beside
        observed["operations"] = [
            str(commit.info.fields.get("operation")) if commit.info else "" for commit in seen.commits
        ]
    return observed


def _info(seen: DeleteSeen) -> dict[str, Any]:
    fields = dict(seen.info.fields) if seen.info else {}
    metrics = fields.get("operationMetrics")
    return {"keys": sorted(fields), "metrics": sorted(metrics) if isinstance(metrics, dict) else []}
