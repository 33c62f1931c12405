"""Known-bad engines: a real engine with one thing made wrong after each step, to show that the suite notices."""

from selfcheck.faults import (
    delete,
    delete_features,
    delete_refused,
    delete_said,
    read,
    vacuum,
    vacuum_history,
    vacuum_lite,
    vacuum_modes,
    vacuum_paths,
    vacuum_refused,
    vacuum_told,
)
from selfcheck.faults.engine import KnownBadEngine
from selfcheck.faults.fault import FAULTS, Fault

__all__ = [
    "FAULTS",
    "Fault",
    "KnownBadEngine",
    "delete",
    "delete_features",
    "delete_refused",
    "delete_said",
    "read",
    "vacuum",
    "vacuum_history",
    "vacuum_lite",
    "vacuum_modes",
    "vacuum_paths",
    "vacuum_refused",
    "vacuum_told",
]
