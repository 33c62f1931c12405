"""The catalogue: every clause, by its id, in the order in which reports list them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engines.port import Engine, version_of
from harness.judging.clause import Clause, not_applicable
from harness.judging.declared import declared
from suites.clauses.concurrency import two_at_once as concurrency
from suites.clauses.cost import storage as cost
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

CATALOGUE: Mapping[str, Clause[Any]] = declared(
    Clause,
    "id",
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
    cost,
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
