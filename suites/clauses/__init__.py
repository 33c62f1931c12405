"""The catalogue: importing this package enters every clause into ``suites.clause.CATALOGUE``."""

from suites.clauses import delete, vacuum_command, vacuum_liveness, vacuum_safety

__all__ = ["delete", "vacuum_command", "vacuum_liveness", "vacuum_safety"]
