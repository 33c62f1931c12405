"""Errors of the reference engine."""

from __future__ import annotations

from engines.port import EngineError
from model.prediction.refusals import Refusal


class Refused(Exception):
    """Ends a step with an error."""

    def __init__(
        self, condition: str | None, sqlstate: str | None = "22003", exception: str = "AnalysisException"
    ) -> None:
        self.error = EngineError(exception, condition, sqlstate, f"[{condition}]")


def due(refusal: Refusal) -> Refused:
    """One of the errors that the model accepts for this refusal."""
    return Refused(min(refusal.conditions, default=None), min(refusal.sqlstates, default=None), min(refusal.exceptions))
