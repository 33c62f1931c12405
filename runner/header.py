"""The header of the run stream."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

from harness.clause import Clause
from harness.regressions import kept_cases
from harness.severity import severity_of
from reports.stream import SCHEMA_VERSION
from runner.options import Options
from suites.campaigns import EXPLORATION, REGRESSIONS, selected
from suites.catalogue import CATALOGUE


def run_header(options: Options, *, seed: int, versions: dict[str, str], unsupported: dict[str, str]) -> dict[str, Any]:
    """``unsupported`` has the clauses that do not apply to the engine, each with the reason."""
    profile = options.profile
    planned = {campaign.name: profile.cases[campaign.name] for campaign in selected(options.clauses)}
    planned[REGRESSIONS.name] = len(kept_cases())
    if profile.machine_runs:
        planned[EXPLORATION.name] = profile.machine_runs
    return {
        "type": "header",
        "schema": SCHEMA_VERSION,
        "engine": options.engine,
        "versions": {**versions, "hypothesis": version("hypothesis")},
        "profile": profile.name,
        "seed": seed,
        "known_bad": options.known_bad,
        "platform": platform.platform(),
        "clauses": [_entry(clause, options, unsupported) for clause in CATALOGUE.values()],
        "campaigns": [{"name": name, "planned": cases} for name, cases in planned.items()],
    }


def _entry(clause: Clause[Any], options: Options, unsupported: dict[str, str]) -> dict[str, Any]:
    status, reason = "active", ""
    if not options.selects(clause.id):
        status, reason = "disabled", "--clause does not select it."
    elif clause.id in unsupported:
        status, reason = "unsupported", unsupported[clause.id]
    return {
        "id": clause.id,
        "chapter": clause.chapter,
        "sentence": clause.sentence,
        "sources": list(clause.sources),
        "severity": severity_of(clause.id).value,
        "status": status,
        "reason": reason,
    }
