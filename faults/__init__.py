"""Known-bad engines: a real engine with one fault, which the suite must catch."""

from __future__ import annotations

from collections.abc import Mapping

from faults.answers import deltalake, misread, odd_answers
from faults.cost import storage as cost
from faults.delete import columns, damaged_files, deletes, features, recorded_predicates, wrapped
from faults.delete import refused as refused_deletes
from faults.life import commands, inserts, read
from faults.log import checkpoints, log_files, version_checksums
from faults.machinery.engine import KnownBadEngine
from faults.machinery.fault import Fault
from faults.sessions import concurrency, crash, earlier_sessions, settings
from faults.vacuum import history, lite, modes, paths, records, vacuums
from faults.vacuum import refused as refused_vacuums

__all__ = ["FAULTS", "Fault", "KnownBadEngine"]

_ALL = (
    *deletes.FAULTS,
    *features.FAULTS,
    *refused_deletes.FAULTS,
    *columns.FAULTS,
    *damaged_files.FAULTS,
    *read.FAULTS,
    *vacuums.FAULTS,
    *history.FAULTS,
    *lite.FAULTS,
    *modes.FAULTS,
    *paths.FAULTS,
    *refused_vacuums.FAULTS,
    *records.FAULTS,
    *deltalake.FAULTS,
    *log_files.FAULTS,
    *checkpoints.FAULTS,
    *recorded_predicates.FAULTS,
    *version_checksums.FAULTS,
    *settings.FAULTS,
    *concurrency.FAULTS,
    *commands.FAULTS,
    *inserts.FAULTS,
    *earlier_sessions.FAULTS,
    *crash.FAULTS,
    *odd_answers.FAULTS,
    *cost.FAULTS,
    *misread.FAULTS,
    *wrapped.FAULTS,
)

#: All faults by name.
FAULTS: Mapping[str, Fault] = {fault.name: fault for fault in _ALL}
assert len(FAULTS) == len(_ALL), "two faults have the same name"
