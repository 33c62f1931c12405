"""The call of delta-rs for a step, as plain JSON, for the adapter and for reproduction scripts."""

from __future__ import annotations

from typing import Any

from engines.deltalake.sql import identifier, sql
from model.vocabulary.steps import (
    Delete,
    DeleteMistake,
    EngineStep,
    InvalidDelete,
    InvalidVacuum,
    Vacuum,
    VacuumMistake,
)

#: Targets of invalid commands that are not tables.
DIRECTORY, MISSING = "directory", "missing"

_BAD_TARGETS = {
    DeleteMistake.UNKNOWN_COLUMN: None,
    DeleteMistake.NOT_A_TABLE: DIRECTORY,
    DeleteMistake.MISSING_PATH: MISSING,
    VacuumMistake.NOT_A_TABLE: DIRECTORY,
    VacuumMistake.MISSING_PATH: MISSING,
}


def operation(step: EngineStep) -> dict[str, Any]:
    """The call for a DELETE or VACUUM: ``do``, ``at`` for another target than the table, and ``where`` (None: no
    condition) or the ``arguments`` of ``DeltaTable.vacuum``.

    Raises ValueError for a step and TypeError for a condition that deltalake does not support.
    """
    if isinstance(step, Delete):
        return {
            "do": "delete",
            "where": None if step.where is None else sql(step.where),
            "spelling": step.spelling.value,
        }
    if isinstance(step, InvalidDelete):
        unknown = step.mistake is DeleteMistake.UNKNOWN_COLUMN
        where = f"{identifier('no such column')} = 1" if unknown else "1 = 1"
        return {"do": "bad delete", "at": _bad_target(step.mistake), "where": where}
    if isinstance(step, Vacuum):
        return {"do": "vacuum", "arguments": _arguments(step), "spelling": step.spelling.value}
    if isinstance(step, InvalidVacuum):
        arguments = {"dry_run": step.dry_run, "full": True}
        return {"do": "bad vacuum", "at": _bad_target(step.mistake), "arguments": arguments}
    raise ValueError(f"a {type(step).__name__} is no command")


def _bad_target(mistake: DeleteMistake | VacuumMistake) -> str | None:
    if mistake not in _BAD_TARGETS:
        raise ValueError(f"deltalake has no command with this mistake: {mistake.value}")
    return _BAD_TARGETS[mistake]


def _arguments(step: Vacuum) -> dict[str, Any]:
    hours = step.retain_hours
    return {
        "retention_hours": int(hours) if hours is not None and hours == int(hours) else hours,
        "dry_run": step.dry_run,
        "enforce_retention_duration": step.safety_check,
        "full": not step.mode.lite,
    }
