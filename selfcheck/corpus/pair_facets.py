"""The pairs of commands that a step completes (``model.vocabulary.pairs``), and what the first of them changed.

A pair counts only if its first command changed something. What another writer appends has no observation, and always counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from deltalog.snapshot import Snapshot
from deltalog.storage.names import LogFileKind, parse_name
from harness.observing.steps.observation import ConflictObservation, DeleteObservation, Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.table_state import TableState
from model.prediction.delete import ConditionScope, scope_of
from model.prediction.paths import LOG_DIRECTORY
from model.vocabulary.pairs import Pair, Second, firsts
from model.vocabulary.steps import Delete, OpenSession, Step, Vacuum


def pairs_of(observation: Observation, steps: Sequence[Step]) -> Iterator[Pair]:
    """The pairs whose second command is the observed step. ``steps`` are those of the whole case."""
    yield from (pair for pair, _ in _pairs(observation, steps))


def changes_before(observation: Observation, steps: Sequence[Step]) -> Iterator[str]:
    """What the commands right before changed, each with the kind of the observed step and the session that issues it."""
    for pair, first in _pairs(observation, steps):
        if first is not None:
            yield str(replace(pair, first=f"{' and '.join(_changed(first))} changed"))


def _pairs(observation: Observation, steps: Sequence[Step]) -> Iterator[tuple[Pair, Observation | None]]:
    """The pairs, each with the observation of its first command."""
    second = _second(observation)
    if second is None:
        return
    step = observation.step
    assert isinstance(step, (Delete, Vacuum)), "the second of a pair"
    earlier = {one.index: one for one in observation.earlier}
    idle = {place for place, one in earlier.items() if one.refused or not _changed(one)}
    before = [
        (place, one)
        for place, one in enumerate(steps[: observation.index])
        if place not in idle or isinstance(one, OpenSession)
    ]
    opened = max((place for place, one in before if isinstance(one, OpenSession)), default=None)
    for number, name in firsts([one for _, one in before]):
        place, _ = before[number]
        if step.by_earlier and (opened is None or place < opened):
            continue
        yield Pair(name, second, step.by_earlier), earlier.get(place)


def _changed(first: Observation) -> list[str]:
    """What the command changed of the table."""
    before, after = first.before, first.after
    old, new = before.snapshot, after.snapshot
    both = before.live.keys() & after.live.keys()
    changes = {
        "rows": before.rows != after.rows,
        "files": before.live.keys() != after.live.keys(),
        "vectors": any(before.live[path].deletion_vector != after.live[path].deletion_vector for path in both),
        "columns": _columns(old) != _columns(new),
        "properties": old.metadata.configuration != new.metadata.configuration,
        "protocol": old.protocol != new.protocol,
        "log files": _log_files(before) != _log_files(after),
        "stored files": bool(first.vanished),
        "files beside": bool(first.changed_beside),
    }
    return [name for name, changed in changes.items() if changed]


def _columns(snapshot: Snapshot) -> object:
    return snapshot.metadata.schema_string, snapshot.metadata.partition_columns


def _log_files(state: TableState) -> frozenset[str]:
    """The checkpoints and log compactions."""
    names = (path.removeprefix(f"{LOG_DIRECTORY}/") for path in state.listing)
    found = {name: parse_name(name) for name in names}
    return frozenset(
        name for name, one in found.items() if one and one.kind not in (LogFileKind.COMMIT, LogFileKind.CHECKSUM)
    )


def _second(observation: Observation) -> Second | None:
    """The kind of the step; None if it is none of them. One that was refused for a conflict counts: that is its outcome."""
    step = observation.step
    if isinstance(step, Delete) and step.crash is None:
        if isinstance(observation, ConflictObservation):
            scope = scope_of(step.where, observation.table.partition_by)
        elif isinstance(observation, DeleteObservation):
            scope = observation.prediction.scope
            if step.where is not None and not observation.prediction.commits:
                return Second.DELETE_NOTHING
        else:
            return None
        return _BY_SCOPE[scope]
    if isinstance(observation, VacuumObservation) and observation.step.crash is None:
        if observation.refused or observation.step.mode.inventory or observation.step.io_fault is not None:
            return None
        if observation.step.dry_run:
            return Second.DRY_RUN
        return Second.LITE if observation.step.mode.lite else Second.VACUUM
    return None


_BY_SCOPE = {
    ConditionScope.TABLE: Second.DELETE_ALL,
    ConditionScope.PARTITIONS: Second.DELETE_FILES,
    ConditionScope.ROWS: Second.DELETE_ROWS,
}
