"""What delta-rs is asked for by a step, as plain JSON: the adapter asks for it, and so does a reproduction script."""

from __future__ import annotations

from typing import Any

from engines.deltalake.sql import identifier, sql
from model.steps import BadDelete, BadVacuum, Blunder, Delete, EngineStep, Vacuum, VacuumBlunder

#: What a mistaken command is said to instead of the table: a place that is none.
DIRECTORY, MISSING = "directory", "missing"

_BAD_TARGETS = {
    Blunder.UNKNOWN_COLUMN: None,
    Blunder.NOT_A_TABLE: DIRECTORY,
    Blunder.MISSING_PATH: MISSING,
    VacuumBlunder.NOT_A_TABLE: DIRECTORY,
    VacuumBlunder.MISSING_PATH: MISSING,
}


def operation(step: EngineStep) -> dict[str, Any]:
    """A DELETE or a VACUUM: ``do``; ``at``, where it is not the table that is asked; and either ``where``, the condition
    (``None``: none), or the ``arguments`` of ``DeltaTable.vacuum``.

    Raises ValueError for a step that deltalake cannot be asked for, TypeError for a condition that it cannot be told.
    """
    if isinstance(step, Delete):
        return {"do": "delete", "where": None if step.where is None else sql(step.where)}
    if isinstance(step, BadDelete):
        unknown = step.blunder is Blunder.UNKNOWN_COLUMN
        where = f"{identifier('no such column')} = 1" if unknown else "1 = 1"
        return {"do": "bad delete", "at": _bad_target(step.blunder), "where": where}
    if isinstance(step, Vacuum):
        return {"do": "vacuum", "arguments": _arguments(step)}
    if isinstance(step, BadVacuum):
        arguments = {"dry_run": step.dry_run, "full": True}
        return {"do": "bad vacuum", "at": _bad_target(step.blunder), "arguments": arguments}
    raise ValueError(f"a {type(step).__name__} is no command")


def _bad_target(blunder: Blunder | VacuumBlunder) -> str | None:
    if blunder not in _BAD_TARGETS:
        raise ValueError(f"{blunder.value} is not said to deltalake")
    return _BAD_TARGETS[blunder]


def _arguments(step: Vacuum) -> dict[str, Any]:
    hours = step.retain_hours
    return {
        "retention_hours": int(hours) if hours is not None and hours == int(hours) else hours,
        "dry_run": step.dry_run,
        "enforce_retention_duration": step.safety_check,
        "full": not step.mode.lite,
    }
