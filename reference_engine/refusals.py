"""Errors of the reference engine."""

from __future__ import annotations

from engines.port import EngineError
from model.prediction.delete import types_of
from model.prediction.failures import failures
from model.prediction.refusals import BEYOND_RETENTION, Refusal
from model.vocabulary.predicate import Predicate
from model.vocabulary.rules import Rules
from model.vocabulary.table import Table
from reference_engine.view import View


class Refused(Exception):
    """Ends a step with an error."""

    def __init__(
        self, condition: str | None, sqlstate: str | None = "22003", exception: str = "AnalysisException"
    ) -> None:
        self.error = EngineError(exception, condition, sqlstate, f"[{condition}]")


def due(refusal: Refusal) -> Refused:
    """One of the errors that the model accepts for this refusal."""
    return Refused(min(refusal.conditions, default=None), min(refusal.sqlstates, default=None), min(refusal.exceptions))


def failing(where: Predicate, table: Table) -> Refused:
    """One of the errors that the condition may be for a row."""
    return Refused(*min(failures(where, types_of(table)).items()))


def refuse_expired(view: View, wanted: int, clock: int, rules: Rules) -> None:
    """Raise Refused for a version that the log does not have any more, and, by rules under which it cannot be read, for one
    that is older than the retention."""
    if wanted == view.snapshot.version:
        return
    if wanted not in view.log.commits:
        raise Refused("DELTA_VERSION_NOT_FOUND")
    if rules.blocks_expired_versions and view.commit_times[wanted] < clock - view.retention:
        raise due(BEYOND_RETENTION)
