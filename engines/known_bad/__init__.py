"""Known-bad engines: a real engine with one thing made wrong after each step, to show that the suite notices."""

from engines.known_bad import (
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
from engines.known_bad.engine import KnownBadEngine
from engines.known_bad.fault import FAULTS, Fault

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
