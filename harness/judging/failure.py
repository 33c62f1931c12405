"""Why a case could not be judged, or not wholly: the engine died, or the suite itself raised."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from engines.machine import trouble_of
from engines.port import EngineDied
from records.run import CaseError


@dataclass(frozen=True)
class Raised:
    """An exception of the suite. ``what`` raised it, as the subject of a sentence: "the clause DEL-DV-1B"."""

    what: str
    step: int | None  # its index; None: before the first
    error: str
    trouble: str | None  # the machine's, by which it is no error of the suite
    traceback: str
    clause: str | None = None

    @property
    def sentence(self) -> str:
        where = "" if self.step is None else f" in step {self.step}"
        if self.trouble is not None:
            return f"{self.trouble} ({self.what}{where})"
        return f"{self.what} raised an error of the suite{where}: {self.error}"


def raised(what: str, step: int | None, error: Exception, clause: str | None = None) -> Raised:
    """The exception that is being handled."""
    told = f"{type(error).__name__}: {error}"
    return Raised(what, step, told, trouble_of(error), traceback.format_exc(), clause)


def failure_of(found: Sequence[Raised], death: CaseError | None = None) -> CaseError | None:
    """The failure of a case in which these were raised, and that ended with ``death``; None if neither."""
    if not found:
        return death
    sentences = list(dict.fromkeys(one.sentence for one in found))
    clauses = tuple(dict.fromkeys(one.clause for one in found if one.clause is not None))
    log = "\n".join(one.traceback for one in found)
    if death is not None:
        return CaseError(death.kind, "; ".join([death.message, *sentences]), f"{death.log}\n{log}", clauses)
    return CaseError("harness", "; ".join(sentences), log, clauses)


def died(death: EngineDied) -> CaseError:
    """The failure of a case in which the engine died, by its first line."""
    return CaseError("engine-died", str(death).partition("\n")[0], str(death))
