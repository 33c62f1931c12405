"""The pairs of commands that a step completes (``model.vocabulary.pairs``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.observing.steps.observation import ConflictObservation, DeleteObservation, Observation
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.prediction.delete import ConditionScope, scope_of
from model.vocabulary.pairs import Pair, Second, firsts
from model.vocabulary.steps import Delete, OpenSession, Step, Vacuum


def pairs_of(observation: Observation, steps: Sequence[Step]) -> Iterator[Pair]:
    """The pairs of which the observed step is the second. ``steps`` are those of the whole case; those refused do not count."""
    second = _second(observation)
    if second is None:
        return
    step = observation.step
    assert isinstance(step, (Delete, Vacuum)), "the second of a pair"
    refused = {earlier.index for earlier in observation.earlier if earlier.refused}
    before = [(place, one) for place, one in enumerate(steps[: observation.index]) if place not in refused]
    opened = max((place for place, one in before if isinstance(one, OpenSession)), default=None)
    for number, name in firsts([one for _, one in before]):
        place, _ = before[number]
        if step.by_earlier and (opened is None or place < opened):
            continue
        yield Pair(name, second, step.by_earlier)


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
