"""Which observation a step makes: by its kind, its outcome, and what is due on its table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engines.port import Outcome
from harness.observing.steps.crash_observation import DeleteCrashObservation, VacuumCrashObservation
from harness.observing.steps.expected_versions import Expected
from harness.observing.steps.observation import (
    ChangesObservation,
    CommandObservation,
    ConflictObservation,
    DamagedTableObservation,
    DeleteObservation,
    EarlierReadObservation,
    InsertObservation,
    Observation,
    OpenObservation,
    ReadObservation,
    RefusalObservation,
    UnreadTableObservation,
    decides_beside_damage,
)
from harness.observing.steps.vacuum_observation import VacuumObservation, VacuumRefusalObservation
from harness.observing.table.table_state import TableState
from model.prediction.refusals import Refusal, expected_vacuum_refusal
from model.vocabulary.rules import Rules
from model.vocabulary.steps import (
    Delete,
    EngineStep,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    Vacuum,
)
from model.vocabulary.table import Feature, Table


@dataclass(frozen=True)
class StepRun:
    """A step that an engine has run.

    ``table`` is the definition before it, ``version`` the one that it names, ``promise`` what its command promises. ``due``: the
    refusal that it must end in; ``may_fail``: whether its condition may be an error. ``opened``: the version that the latest
    session opened, which ``streams`` or not. ``common``: the fields of every observation.
    """

    step: EngineStep
    outcome: Outcome
    table: Table
    before: TableState
    rules: Rules
    version: int
    promise: Expected | None
    due: Refusal | None
    may_fail: bool
    opened: int
    streams: bool
    common: Mapping[str, Any]

    @property
    def conflicts(self) -> bool:
        """Whether a step of an earlier session was refused, and others committed since the session opened the table."""
        by_earlier = isinstance(self.step, (Delete, Vacuum)) and self.step.by_earlier
        return by_earlier and self.outcome.error is not None and self.opened < self.before.version


def observation_of(run: StepRun) -> Observation:
    """The observation that the step makes."""
    if run.outcome.effects is not None:
        return _CRASHES[type(run.step)](step=run.step, **run.common)
    if run.outcome.error is not None and run.table.has(Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED):
        return UnreadTableObservation(step=run.step, **run.common)
    return _BY_STEP[type(run.step)](run)


def _of_delete(run: StepRun) -> Observation:
    assert isinstance(run.step, Delete)
    if run.due is None and decides_beside_damage(run.table, run.before, run.step):
        return DamagedTableObservation(step=run.step, **run.common)
    if run.due is not None or run.may_fail:
        return RefusalObservation(step=run.step, due=run.due, **run.common)
    if run.conflicts:
        return ConflictObservation(step=run.step, opened=run.opened, **run.common)
    delete = DeleteObservation(step=run.step, **run.common)
    refused = run.outcome.error is not None and run.rules.checks_required_fields
    if refused and delete.prediction.writes_required_null(run.table):
        return RefusalObservation(step=run.step, due=None, writes_null=True, **run.common)
    return delete


def _of_invalid_delete(run: StepRun) -> Observation:
    assert isinstance(run.step, InvalidDelete)
    return RefusalObservation(step=run.step, due=run.due, **run.common)


def _of_vacuum(run: StepRun) -> Observation:
    assert isinstance(run.step, Vacuum)
    vacuum = VacuumObservation(step=run.step, **run.common)
    if vacuum.due is not None:
        return VacuumRefusalObservation(step=run.step, due=vacuum.due, **run.common)
    if run.conflicts and not vacuum.retain_refused:
        return ConflictObservation(step=run.step, opened=run.opened, **run.common)
    return vacuum


def _of_invalid_vacuum(run: StepRun) -> Observation:
    assert isinstance(run.step, InvalidVacuum)
    due = expected_vacuum_refusal(run.step.mistake).at(run.rules.release)
    return VacuumRefusalObservation(step=run.step, due=due, **run.common)


def _of_read(run: StepRun) -> Observation:
    assert isinstance(run.step, Read)
    if run.step.by_earlier:
        return EarlierReadObservation(step=run.step, opened=run.opened, streams=run.streams, **run.common)
    return ReadObservation(step=run.step, version=run.version, **run.common)


def _of_command(run: StepRun) -> Observation:
    assert isinstance(run.step, OtherCommand) and run.promise is not None
    return CommandObservation(
        step=run.step,
        promised=run.promise.rows,
        defined=run.promise.table,
        may_be_refused=run.promise.may_be_refused,
        version=run.version,
        **run.common,
    )


def _of_others(make: Callable[..., Observation], *fields: str) -> Callable[[StepRun], Observation]:
    """``fields``: what it needs of the run beside the fields of all."""
    return lambda run: make(step=run.step, **{name: getattr(run, name) for name in fields}, **run.common)


_CRASHES: Mapping[type, Callable[..., Observation]] = {Delete: DeleteCrashObservation, Vacuum: VacuumCrashObservation}

_BY_STEP: Mapping[type, Callable[[StepRun], Observation]] = {
    Delete: _of_delete,
    InvalidDelete: _of_invalid_delete,
    Insert: _of_others(InsertObservation),
    OtherCommand: _of_command,
    Read: _of_read,
    ReadChanges: _of_others(ChangesObservation, "version"),
    OpenSession: _of_others(OpenObservation),
    Vacuum: _of_vacuum,
    InvalidVacuum: _of_invalid_vacuum,
}
