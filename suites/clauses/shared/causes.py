"""Causes of violations that several clauses share (``harness.judging.severity.Cause``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from deltalog.storage.listing import EntryKind
from harness.judging.severity import Cause
from harness.observing.steps.observation import DeleteObservation, Observation, ReadObservation
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.paths import LOG_DIRECTORY
from model.vocabulary.severity import Severity

T = TypeVar("T")

UNREADABLE = Cause("a live file cannot be read", Severity.UNREADABLE)
NO_LONGER_READ = Cause("a live file can no longer be read", Severity.DATA_LOSS)  # after a VACUUM
NOT_REPLAYED = Cause("the log cannot be replayed")
NOT_REFUSED = Cause("not refused", Severity.WRONG_WORDS)
OTHER_ERROR = Cause("refused with another error", Severity.WRONG_WORDS)
NEEDLESS_WRITE = Cause("a file is written that nobody needs", Severity.SPACE_KEPT)
NEEDLESS_REWRITE = Cause("files are rewritten that need not be, with the right rows", Severity.SPACE_KEPT)
OTHER_VERSION_RECORDED = Cause("another version is recorded in _last_vacuum_info", Severity.SPACE_KEPT)


def error(observation: Observation) -> Cause:
    """An error instead of a result, with its class. A DELETE then leaves the rows, a VACUUM the files."""
    found = observation.outcome.error
    name = "none" if found is None else found.condition or found.exception
    severity = None
    if isinstance(observation, ReadObservation):
        severity = Severity.UNREADABLE
    elif isinstance(observation, VacuumObservation):
        severity = Severity.SPACE_KEPT
    elif isinstance(observation, DeleteObservation):
        severity = Severity.WRONG_ANSWERS if observation.prediction.commits else Severity.FAILS
    return Cause(f"an error instead of a result: {name}", severity, is_error=True)


def rows(expected: Counter[T], found: Counter[T] | None) -> Cause:
    """How the rows of a table differ from the expected ones; None: they cannot be read."""
    return UNREADABLE if found is None else _of_rows(expected - found, found - expected)


def _of_rows(missing: Counter[T], more: Counter[T]) -> Cause:
    if missing and more:
        return Cause("other rows than those that must stay", Severity.DATA_LOSS)
    if missing:
        return Cause("rows that must stay are missing", Severity.DATA_LOSS)
    return Cause("rows that must go are there", Severity.WRONG_ANSWERS)


def rows_left(d: DeleteObservation, otherwise: Cause) -> Cause:
    """How the rows that a DELETE leaves differ from the expected ones; ``otherwise`` if they do not.

    Where no data is read it is a DELETE of whole files, and the files tell.
    """
    if d.refused and not d.commits:
        return error(d)
    if not d.after.is_read:
        due, found = Counter(d.before.live.keys() - d.prediction.touched), Counter(d.after.live.keys())
        return otherwise if due == found else _of_rows(due - found, found - due)
    if d.after.rows is None:
        return UNREADABLE
    return otherwise if d.has_its_rows else _of_rows(d.missing_rows, d.unexpected_rows)


def changed(observation: Observation, paths: Iterable[str]) -> Cause:
    """What happened to these paths, which must be as before the step: the gravest."""
    found = [_change(observation, path) for path in paths]
    return min(found, key=lambda cause: (cause.severity or Severity.DATA_LOSS).rank, default=Cause())


def _change(observation: Observation, path: str) -> Cause:
    before, after = observation.before, observation.after
    was, now = before.entry(path), after.entry(path)
    in_log = path.startswith(f"{LOG_DIRECTORY}/")
    if was is None and in_log:
        lost = before.is_read and before.rows is not None and before.rows != after.rows
        return Cause("a version is written", Severity.DATA_LOSS if lost else Severity.SPACE_KEPT)
    if was is None:
        return NEEDLESS_WRITE
    if in_log:
        return Cause(f"a file of the log is {'deleted' if now is None else 'changed'}", Severity.UNREADABLE)
    if was.kind is EntryKind.DIRECTORY:
        return Cause("a directory is deleted", Severity.WRONG_WORDS)
    if now is None:
        return Cause("a file is deleted", Severity.DATA_LOSS)
    if now.digest == was.digest and now.target == was.target:
        return Cause("a modification time is changed", Severity.SPACE_KEPT)
    return Cause("a file is changed", Severity.DATA_LOSS)
