"""The command of a step, as a comparison groups them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from model.vocabulary import steps
from model.vocabulary.commands import kind_of


@dataclass(frozen=True)
class ComparedCommand:
    """``kind`` is the step's tag in the case's JSON form, or ``truncate``; of another command its kind.

    ``mode``: LITE, USING INVENTORY or empty (FULL too). ``retain``: empty without RETAIN, ``0`` if Delta rounds it to 0
    hours, else ``hours``. ``mistake``: why the command is invalid. ``earlier``: a read of an earlier version.
    """

    kind: str
    mode: str = ""
    retain: str = ""
    dry_run: bool = False
    mistake: str = ""
    earlier: bool = False

    @property
    def reads(self) -> bool:
        return self.kind in ("read", "read_changes", "open_session")

    @property
    def text(self) -> str:
        """``DELETE``, ``VACUUM LITE with RETAIN 0, DRY RUN``, ``READ of an earlier version``."""
        if self.kind in ("invalid_delete", "invalid_vacuum"):
            return f"invalid {self.kind.removeprefix('invalid_').upper()} ({self.mistake})"
        if self.kind == "vacuum":
            retain = {"": "", "0": " with RETAIN 0"}.get(self.retain, " with RETAIN")
            return f"VACUUM {self.mode}".rstrip() + retain + (", DRY RUN" if self.dry_run else "")
        version = "an earlier" if self.earlier else "the current"
        return {
            "case": "The case",  # for differences outside of any step
            "truncate": "TRUNCATE TABLE",
            "read": f"READ of {version} version",
            "read_changes": "READ of the change data feed",
            "together": "TWO AT ONCE",
        }.get(self.kind, self.kind.upper())


def command_of(step: steps.EngineStep) -> ComparedCommand:
    if isinstance(step, steps.Vacuum):
        mode = "LITE" if step.mode.lite else "USING INVENTORY" if step.mode.inventory else ""
        return ComparedCommand("vacuum", mode, _retain(step.retain_hours), step.dry_run)
    if isinstance(step, (steps.InvalidDelete, steps.InvalidVacuum)):
        return ComparedCommand(_KINDS[type(step)], mistake=step.mistake.value)
    if isinstance(step, steps.Delete) and step.form is steps.Form.TRUNCATE:
        return ComparedCommand("truncate")
    if isinstance(step, steps.OtherCommand):
        return ComparedCommand(kind_of(step.command).value)
    return ComparedCommand(_KINDS[type(step)], earlier=isinstance(step, steps.Read) and step.before_step is not None)


_KINDS: Mapping[type, str] = {
    steps.Delete: "delete",
    steps.InvalidDelete: "invalid_delete",
    steps.InvalidVacuum: "invalid_vacuum",
    steps.Read: "read",
    steps.ReadChanges: "read_changes",
    steps.Insert: "insert",
    steps.OpenSession: "open_session",
    steps.AtOnce: "together",
}


def _retain(hours: float | None) -> str:
    if hours is None:
        return ""
    return "0" if math.floor(hours + 0.5) == 0 else "hours"
