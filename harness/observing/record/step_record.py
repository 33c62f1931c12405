"""The observation of a step as a record without random parts: for the run stream, and to compare engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from deltalog.entries.actions import Add
from deltalog.storage.digests import digest
from deltalog.storage.listing import EntryKind
from deltalog.storage.names import LAST_VACUUM_INFO
from engines import port
from harness.observing.evidence import rows_as_json
from harness.observing.record.commit_record import commit_record, fields_of
from harness.observing.record.recorded_texts import kind_of_file, recorded_message, recorded_path
from harness.observing.steps.accesses import asked
from harness.observing.steps.at_once_observation import AtOnceObservation
from harness.observing.steps.observation import (
    ChangesObservation,
    EarlierReadObservation,
    Observation,
    OpenObservation,
    ReadObservation,
    relative,
)
from harness.observing.steps.sessions import Session
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.table_state import Rows, TableState
from model.prediction.fates import Reason
from model.prediction.paths import LOG_DIRECTORY
from model.text.layout import without_random
from model.text.steps import step_text
from model.vocabulary.commands import kind_of
from model.vocabulary.steps import EngineStep, InvalidVacuum, OtherCommand, ReadChanges, Vacuum
from model.vocabulary.table import MINUTE
from records.run import Asked, Observed, RecordedError, RecordedOutcome, RecordedStep, SecondAnswer

#: The most rows or paths of a list in a record. Of the others it has the number, and a digest by which two records compare.
_MOST = 1_000

T = TypeVar("T")


def _limited(items: Sequence[T], of_others: Callable[[str], T]) -> Sequence[T]:
    """The first of the items; those of a table with thousands of files would make a run too large to read."""
    if len(items) <= _MOST:
        return items
    others = items[_MOST:]
    return (
        *items[:_MOST],
        of_others(f"and {len(others):,} more, with the digest {digest(repr(others).encode())[:12]}"),
    )


def normalise(observation: Observation) -> RecordedStep:
    """The record of the step."""
    error = recorded_error(observation)
    return RecordedStep(
        index=observation.index,
        kind=_kind_of(observation.step),
        text=step_text(observation.step, observation.outcome.statement),
        seconds=observation.outcome.seconds,
        outcome=RecordedOutcome(
            rows=_fewer_rows(_answer(observation)) if error is None else None,
            error=error,
            answer=_claim(observation),
            second=_second(observation) if isinstance(observation, AtOnceObservation) else None,
        ),
        observed=_observed(observation),
        clock=_clock(observation),
        cutoff=_cutoff(observation),
        asked=_asked(observation),
    )


def _asked(observation: Observation) -> dict[str, Asked] | None:
    if observation.asked is None:
        return None
    return {f"{operation.value} {kind.value}": asked(own) for (operation, kind), own in observation.asked.items()}


def _clock(observation: Observation) -> int:
    """The engine's clock, in ms from the start. The machine's goes on during a case: to the minute, as a record has no times of
    its own run."""
    passed = observation.clock - observation.start
    return passed if observation.rules.own_clock else round(passed / MINUTE) * MINUTE


def _cutoff(observation: Observation) -> int | None:
    """What may go before it, in ms from the start; None: a VACUUM that is refused for its RETAIN has none.

    A RETAIN that has an effect counts from the machine's clock, which stands at the start of the case.
    """
    retain = observation.retain if isinstance(observation, VacuumObservation) else None
    if retain is None:
        return _clock(observation) - observation.table.retention
    if isinstance(observation, VacuumObservation) and observation.retain_refused:
        return None
    return (0 if observation.rules.own_clock else _clock(observation)) - retain


def recorded_error(observation: Observation) -> RecordedError | None:
    """The error of the step as it is recorded: the first line of its message, without random parts."""
    return _error(observation, observation.outcome.error)


def unrecorded(observation: Observation) -> RecordedStep:
    """The record of a step without an outcome: only what a violation in it refers to."""
    error = observation.outcome.error
    return RecordedStep(
        index=observation.index,
        kind=_kind_of(observation.step),
        text=step_text(observation.step, observation.outcome.statement),
        seconds=observation.outcome.seconds,
        outcome=RecordedOutcome(
            rows=None, error=None if error is None else RecordedError(error.exception, error.condition, "")
        ),
        observed=Observed((observation.before.version, observation.after.version)),
    )


def _error(observation: Observation, error: port.EngineError | None) -> RecordedError | None:
    if error is None:
        return None
    message = recorded_message(observation, error.message)
    return RecordedError(error.exception, error.condition, message, sqlstate=error.sqlstate)


def _second(observation: AtOnceObservation) -> SecondAnswer:
    outcome = observation.second.outcome
    error = _error(observation, outcome.error)
    rows = _fewer_rows(rows_as_json(_rows_of(observation.second))) if error is None else None
    return SecondAnswer(observation.outcome.held, rows, error)


def _rows_of(session: Session) -> Rows:
    """What a session answers; of a VACUUM nothing: paths have random parts."""
    return Counter() if isinstance(session.step, Vacuum) else Counter(session.outcome.rows)


def _kind_of(step: EngineStep) -> str:
    return kind_of(step.command).value if isinstance(step, OtherCommand) else type(step).__name__.lower()


def _fewer_rows(rows: Sequence[Any]) -> Sequence[Any]:
    """Those of a VACUUM are paths."""
    return list(_limited(rows, lambda text: text if rows and isinstance(rows[0], str) else [text]))


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(_limited(sorted(paths), str))


def _answer(observation: Observation) -> Any:
    """The engine's rows. Those of a VACUUM are paths, here without the table's root."""
    if isinstance(observation.step, (Vacuum, InvalidVacuum)):
        return sorted(set(_paths_answered(observation))) if observation.step.dry_run else []
    if isinstance(observation, ReadObservation):
        return rows_as_json(observation.rows)
    if isinstance(observation, AtOnceObservation):
        return rows_as_json(_rows_of(observation.first))
    if isinstance(observation.step, ReadChanges) and observation.step.commits:
        return rows_as_json(Counter(row[:1] for row in observation.outcome.rows))  # times differ from run to run
    return rows_as_json(Counter(observation.outcome.rows))


def _paths_answered(observation: Observation) -> list[str]:
    return [
        recorded_path(observation, relative(str(row[0]), observation.root)) for row in observation.outcome.rows if row
    ]


def _claim(observation: Observation) -> tuple[str, ...] | None:
    """What a real VACUUM answers: paths that it claims to have deleted, or on Spark the table's own."""
    real = isinstance(observation.step, (Vacuum, InvalidVacuum)) and not observation.step.dry_run
    return _paths(_paths_answered(observation)) if real and observation.outcome.error is None else None


def _observed(observation: Observation) -> Observed:
    version = observation.before.version, observation.after.version
    if isinstance(observation, (ReadObservation, ChangesObservation, EarlierReadObservation, OpenObservation)):
        return Observed(version)
    by_order = _by_order(observation)
    adds = [add for commit in observation.commits for add in commit.adds]
    removes = [remove for commit in observation.commits for remove in commit.removes]
    changes = [cdc for commit in observation.commits for cdc in commit.cdcs]
    hidden_rows = [add for add in adds if add.file in observation.before.live]
    written = [add for add in adds if add.file not in observation.before.live]

    def is_counted(path: str) -> bool:
        """Not checksums, which the file system writes, nor directories, which follow from their files."""
        return not path.endswith(".crc") and observation.after.data[path].kind is not EntryKind.DIRECTORY

    def paths(found: Iterable[str]) -> tuple[str, ...]:
        return _paths(recorded_path(observation, path) for path in found)

    return Observed(
        version=version,
        operations=tuple(
            str(commit.info.fields.get("operation")) if commit.info else "" for commit in observation.commits
        ),
        vanished=paths(observation.vanished - by_order),
        removed=paths(remove.file for remove in removes),
        added=tuple(
            _limited(sorted((_added(observation, add) for add in written), key=str), lambda text: {"others": text})
        ),
        places=tuple(sorted({_place(add) for add in written})),
        masked=tuple(_limited(sorted(_masked(observation, add) for add in hidden_rows), lambda text: (text,))),
        changed=sum(len(observation.after.changes.get(cdc.file) or ()) for cdc in changes),
        remove_fields=fields_of(removes),
        add_fields=fields_of(adds),
        change_fields=fields_of(changes),
        by_order=paths(by_order),
        appeared=dict(sorted(Counter(kind_of_file(path) for path in observation.appeared if is_counted(path)).items())),
        changed_beside=tuple(_limited([without_random(path) for path in observation.changed_beside], str)),
        checkpoints=tuple(sorted(_checkpoints(observation.after) - _checkpoints(observation.before))),
        commits=tuple(commit_record(commit) for commit in observation.commits),
        broken=observation.after.broken is not None,
        last_vacuum=_last_vacuum(observation),
    )


def _last_vacuum(observation: Observation) -> tuple[str, ...] | None:
    """The keys of _last_vacuum_info; None if the step did not write it."""
    bookmark = f"{LOG_DIRECTORY}/{LAST_VACUUM_INFO}"
    written = observation.after.listing.get(bookmark)
    if written is None or written == observation.before.listing.get(bookmark):
        return None
    return tuple(sorted(observation.after.last_vacuum or ()))


def _added(observation: Observation, add: Add) -> dict[str, Any]:
    return {
        "partition": dict(sorted(add.partition_values.items())),
        "rows": len(observation.after.contents.get(add.file) or ()),
    }


def _masked(observation: Observation, add: Add) -> tuple[Any, ...]:
    return recorded_path(observation, add.file), *sorted(observation.after.hidden(add) or ())


def _place(add: Add) -> str:
    """The kind of directory of a new file."""
    directory = without_random(add.file).rpartition("/")[0]
    if not directory:
        return "the root"
    return "directories with random names" if directory == "*" else "directories of partitions"


def _by_order(observation: Observation) -> frozenset[str]:
    """The deleted directories that may be kept or deleted, as that depends on the order of deletion."""
    if not isinstance(observation, VacuumObservation) or observation.refused:
        return frozenset()
    held = (Reason.HOLDS_OLD, Reason.HOLDS_EMPTY)
    return frozenset(
        path for path in observation.vanished if path in observation.fates and observation.fates[path].reason in held
    )


def _checkpoints(state: TableState) -> set[int]:
    return {checkpoint.version for checkpoint in state.log.checkpoints}
