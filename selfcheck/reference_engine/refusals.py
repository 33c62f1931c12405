"""How the suite's own engine says no."""

from __future__ import annotations

from engines.port import EngineError
from model.refusals import Refusal


class Refused(Exception):
    """Ends a step with an error for its answer."""

    def __init__(
        self, condition: str | None, sqlstate: str | None = "22003", exception: str = "AnalysisException"
    ) -> None:
        self.error = EngineError(exception, condition, sqlstate, f"[{condition}] as Delta words it")


def due(refusal: Refusal) -> Refused:
    """One of the answers that count as this refusal."""
    return Refused(min(refusal.conditions, default=None), min(refusal.sqlstates, default=None), min(refusal.exceptions))
