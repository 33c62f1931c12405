"""Observations of a DELETE or a VACUUM that was killed in the middle.

What the engine answered is no evidence: the log and the storage are. The table is adopted as it was left: ``expected_rows``
are those of after a DELETE if its commit is in the log, else those of before.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from harness.observing.steps.observation import DeleteObservation, Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.vocabulary.steps import Delete, Vacuum


@dataclass(frozen=True)
class CrashObservation(Observation):
    """A step that was killed right after the effect that its crash asks for."""

    step: Delete | Vacuum

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects on storage before the engine was killed, one line each."""
        return self.outcome.effects or ()

    def _as_completed(self) -> dict[str, Any]:
        """The fields of the step as one that the engine answered without an error."""
        common: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(Observation)}
        return {**common, "outcome": replace(self.outcome, rows=(), error=None)}


@dataclass(frozen=True)
class DeleteCrashObservation(CrashObservation):
    step: Delete

    @cached_property
    def whole(self) -> DeleteObservation:
        """The step as one that was not killed: what is predicted for it, and what it committed."""
        return DeleteObservation(**self._as_completed())


@dataclass(frozen=True)
class VacuumCrashObservation(CrashObservation):
    step: Vacuum

    @cached_property
    def whole(self) -> VacuumObservation:
        """The step as one that was not killed: what is predicted for it, and what it did."""
        return VacuumObservation(**self._as_completed())
