"""The catalogue: importing this package enters every clause into ``suites.clause.CATALOGUE``."""

from suites.clauses import (
    delete_adds,
    delete_changes,
    delete_commit,
    delete_files,
    delete_kinds,
    delete_mapping,
    delete_metrics,
    delete_refusals,
    delete_removes,
    delete_row_ids,
    delete_rows,
    delete_vectors,
    vacuum_command,
    vacuum_liveness,
    vacuum_safety,
)

__all__ = [
    "delete_adds",
    "delete_changes",
    "delete_commit",
    "delete_files",
    "delete_kinds",
    "delete_mapping",
    "delete_metrics",
    "delete_refusals",
    "delete_removes",
    "delete_row_ids",
    "delete_rows",
    "delete_vectors",
    "vacuum_command",
    "vacuum_liveness",
    "vacuum_safety",
]
