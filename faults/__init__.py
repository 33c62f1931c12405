"""Known-bad engines: a real engine with one fault, which the suite must catch."""

from __future__ import annotations

from collections.abc import Mapping

from faults import (
    checkpoints,
    commands,
    concurrency,
    crash,
    damaged_files,
    delete,
    delete_columns,
    delete_features,
    delete_refused,
    deltalake,
    earlier_sessions,
    inserts,
    log_files,
    misread,
    odd_answers,
    read,
    recorded_predicates,
    settings,
    vacuum,
    vacuum_history,
    vacuum_lite,
    vacuum_modes,
    vacuum_paths,
    vacuum_records,
    vacuum_refused,
    version_checksums,
    wrapped,
)
from faults.engine import KnownBadEngine
from faults.fault import Fault

__all__ = ["FAULTS", "Fault", "KnownBadEngine"]

_ALL = (
    *delete.FAULTS,
    *delete_features.FAULTS,
    *delete_refused.FAULTS,
    *delete_columns.FAULTS,
    *damaged_files.FAULTS,
    *read.FAULTS,
    *vacuum.FAULTS,
    *vacuum_history.FAULTS,
    *vacuum_lite.FAULTS,
    *vacuum_modes.FAULTS,
    *vacuum_paths.FAULTS,
    *vacuum_refused.FAULTS,
    *vacuum_records.FAULTS,
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
    *misread.FAULTS,
    *wrapped.FAULTS,
)

#: All faults by name.
FAULTS: Mapping[str, Fault] = {fault.name: fault for fault in _ALL}
assert len(FAULTS) == len(_ALL), "two faults have the same name"
