"""The catalogue: every clause, by its id, in the order in which reports list them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from engines.port import Engine, version_of
from harness.judging.clause import Clause, not_applicable
from suites.clauses.concurrency import two_at_once as concurrency
from suites.clauses.crash import crashes
from suites.clauses.delete import (
    adds,
    changes,
    commit,
    damage,
    files,
    kinds,
    log,
    mapping,
    metrics,
    provenance,
    refusals,
    removes,
    row_ids,
    rows,
    vectors,
)
from suites.clauses.life import clones, inserts, maintenance, restore, sessions
from suites.clauses.life import commands as life_commands
from suites.clauses.read import readings, reads
from suites.clauses.vacuum import (
    answers,
    checkpoints,
    command,
    cutoff,
    failures,
    liveness,
    modes,
    outside,
    reading,
    safety,
)
from suites.clauses.vacuum import log as vacuum_log
from suites.clauses.vacuum import refusals as vacuum_refusals


def _clauses_in(module: ModuleType) -> Iterator[Clause[Any]]:
    """The clauses that a module defines, alone or in a tuple, in the order of their definition."""
    for value in vars(module).values():
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Clause):
                yield item


def catalogue_of(*modules: ModuleType) -> dict[str, Clause[Any]]:
    """The clauses of these modules by id. Raises ValueError if two clauses have the same id."""
    clauses = [clause for module in modules for clause in _clauses_in(module)]
    by_id = {clause.id: clause for clause in clauses}
    if len(by_id) < len(clauses):
        raise ValueError("two clauses have the same id")
    return by_id


CATALOGUE: Mapping[str, Clause[Any]] = catalogue_of(
    adds,
    changes,
    commit,
    damage,
    files,
    kinds,
    log,
    mapping,
    metrics,
    provenance,
    refusals,
    removes,
    row_ids,
    rows,
    vectors,
    checkpoints,
    command,
    cutoff,
    failures,
    liveness,
    vacuum_log,
    modes,
    outside,
    reading,
    vacuum_refusals,
    safety,
    answers,
    reads,
    readings,
    life_commands,
    restore,
    maintenance,
    clones,
    sessions,
    inserts,
    crashes,
    concurrency,
)


def unsupported(engine: Engine) -> dict[str, str]:
    """The clauses that do not apply to this engine, each with the reason."""
    version = version_of(engine)
    reasons = {
        id: not_applicable(clause, version, engine.capabilities, engine.rules) for id, clause in CATALOGUE.items()
    }
    return {id: reason for id, reason in reasons.items() if reason is not None}


def promised(engine: Engine) -> tuple[Clause[Any], ...]:
    """The clauses that apply to this engine."""
    out = unsupported(engine)
    return tuple(clause for id, clause in CATALOGUE.items() if id not in out)
