"""The VACUUMs that have run on a table so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.observing.steps.at_once_observation import AtOnceObservation
from harness.observing.steps.crash_observation import VacuumCrashObservation
from harness.observing.steps.observation import Observation
from harness.observing.steps.vacuum_observation import VacuumObservation


def vacuums_of(observations: Iterable[Observation]) -> list[VacuumObservation]:
    """Those that may have deleted something, also those that failed on the way, were killed, or ran beside another session."""
    return [one for one in _all(observations) if one.ran or one.vanished]


def _all(observations: Iterable[Observation]) -> Iterator[VacuumObservation]:
    for one in observations:
        if isinstance(one, VacuumObservation):
            yield one
        elif isinstance(one, VacuumCrashObservation):
            yield one.whole
        elif isinstance(one, AtOnceObservation):
            yield from one.vacuums
