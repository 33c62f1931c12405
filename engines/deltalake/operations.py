"""The call of delta-rs for a step, for the adapter and for reproduction scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
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
    given: Mapping[str, str] = field(default_factory=dict)  # other arguments, by name, as Python
    of_table: Mapping[str, str] = field(default_factory=dict)  # ... of DeltaTable


@dataclass(frozen=True)
class VacuumCall:
    """``DeltaTable.vacuum``, with its arguments by name; beside them ``keep_versions``, if any: each of ``keep`` stands for the
    version that is so many before the current one, but at least 0."""

    arguments: Mapping[str, float | bool | None]
    target: Target = Target.TABLE
    keep: tuple[int, ...] = ()
    given: Mapping[str, str] = field(default_factory=dict)  # as of a DeleteCall
    of_table: Mapping[str, str] = field(default_factory=dict)


#: The conditions that must be refused, for any table. All except the first use no column, and would be TRUE for every row.
_REFUSED = {
    DeleteMistake.UNKNOWN_COLUMN: f"{identifier('no such column')} = 1",
    DeleteMistake.IN_SUBQUERY: "1 IN (SELECT 1)",
    DeleteMistake.SCALAR_SUBQUERY: "1 = (SELECT 1)",
    DeleteMistake.EXISTS_SUBQUERY: "EXISTS (SELECT 1)",
    DeleteMistake.NON_DETERMINISTIC: "random() < 2",
    DeleteMistake.AGGREGATE: "count(*) > 0",
    DeleteMistake.WINDOW_FUNCTION: "row_number() OVER (ORDER BY 1) > 0",
    DeleteMistake.NOT_BOOLEAN: "1",
}

#: The mistakes that deltalake can be asked for.
DELETE_MISTAKES = frozenset({*_REFUSED, DeleteMistake.NOT_A_TABLE, DeleteMistake.MISSING_PATH})

_TARGETS: Mapping[DeleteMistake | VacuumMistake, Target] = {
    **dict.fromkeys(_REFUSED, Target.TABLE),
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
        return DeleteCall(None if step.where is None else sql(step.where, step.literals), **_given(step))
    if isinstance(step, InvalidDelete):
        return DeleteCall(_REFUSED.get(step.mistake, "1 = 1"), _target(step.mistake))
    if isinstance(step, Vacuum):
        hours = step.retain_hours
        arguments = {
            "retention_hours": int(hours) if hours is not None and hours == int(hours) else hours,
            "dry_run": step.dry_run,
            "enforce_retention_duration": step.safety_check,
            "full": not step.mode.lite,
        }
        return VacuumCall(arguments, keep=step.keep, **_given(step))
    if isinstance(step, InvalidVacuum):
        return VacuumCall({"dry_run": step.dry_run, "full": True}, _target(step.mistake))
    raise ValueError(f"a {type(step).__name__} is no command")


def _given(step: Delete | Vacuum) -> dict[str, Any]:
    of_table = {one.name.removeprefix(_OF_TABLE): one.value for one in step.given if one.name.startswith(_OF_TABLE)}
    others = {one.name: one.value for one in step.given if not one.name.startswith(_OF_TABLE)}
    return {"given": others, "of_table": of_table}


_OF_TABLE = "DeltaTable."


def _target(mistake: DeleteMistake | VacuumMistake) -> Target:
    if mistake not in _TARGETS:
        raise ValueError(f"deltalake has no command with this mistake: {mistake.value}")
    return _TARGETS[mistake]
