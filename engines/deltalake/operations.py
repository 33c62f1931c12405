"""The call of delta-rs for a step, for the adapter and for reproduction scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

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


class Target(Enum):
    """What a call names as its table."""

    TABLE = "the table"
    DIRECTORY = "a directory that is no table"
    MISSING = "a path that does not exist"


@dataclass(frozen=True)
class DeleteCall:
    """``DeltaTable.delete``. ``where``: None: no condition."""

    where: str | None
    target: Target = Target.TABLE


@dataclass(frozen=True)
class VacuumCall:
    """``DeltaTable.vacuum``, with its arguments by name; beside them ``keep_versions``, if any: each of ``keep`` stands for the
    version that is so many before the current one, but at least 0."""

    arguments: Mapping[str, float | bool | None]
    target: Target = Target.TABLE
    keep: tuple[int, ...] = ()


_TARGETS = {
    DeleteMistake.UNKNOWN_COLUMN: Target.TABLE,
    DeleteMistake.NOT_A_TABLE: Target.DIRECTORY,
    DeleteMistake.MISSING_PATH: Target.MISSING,
    VacuumMistake.NOT_A_TABLE: Target.DIRECTORY,
    VacuumMistake.MISSING_PATH: Target.MISSING,
}


def call_of(step: EngineStep) -> DeleteCall | VacuumCall:
    """The call for a DELETE or VACUUM.

    Raises ValueError for a step and TypeError for a condition that deltalake does not support.
    """
    if isinstance(step, Delete):
        return DeleteCall(None if step.where is None else sql(step.where, step.literals))
    if isinstance(step, InvalidDelete):
        unknown = step.mistake is DeleteMistake.UNKNOWN_COLUMN
        return DeleteCall(f"{identifier('no such column')} = 1" if unknown else "1 = 1", _target(step.mistake))
    if isinstance(step, Vacuum):
        hours = step.retain_hours
        arguments = {
            "retention_hours": int(hours) if hours is not None and hours == int(hours) else hours,
            "dry_run": step.dry_run,
            "enforce_retention_duration": step.safety_check,
            "full": not step.mode.lite,
        }
        return VacuumCall(arguments, keep=step.keep)
    if isinstance(step, InvalidVacuum):
        return VacuumCall({"dry_run": step.dry_run, "full": True}, _target(step.mistake))
    raise ValueError(f"a {type(step).__name__} is no command")


def _target(mistake: DeleteMistake | VacuumMistake) -> Target:
    if mistake not in _TARGETS:
        raise ValueError(f"deltalake has no command with this mistake: {mistake.value}")
    return _TARGETS[mistake]
