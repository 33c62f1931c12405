"""The clauses of a run: those that the user selects, and those that are judged."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from harness.clause import Clause, matches
from runner.options import Options
from suites.catalogue import CATALOGUE


def selected_clauses(options: Options) -> list[Clause[Any]]:
    """The clauses that the user wants judged."""
    return [
        clause
        for id, clause in CATALOGUE.items()
        if not options.clauses or any(matches(id, prefix) for prefix in options.clauses)
    ]


def judged_clauses(options: Options, unsupported: Container[str]) -> list[Clause[Any]]:
    """The selected clauses that apply to the engine, and those about a table whose log is broken."""
    selected = selected_clauses(options)
    return [
        clause for id, clause in CATALOGUE.items() if id not in unsupported and (clause in selected or clause.of_broken)
    ]
