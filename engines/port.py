"""The port: all that the suite asks of an engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from model.capabilities import Capabilities
from model.rules import Rules
from model.steps import EngineStep
from model.values import Row

#: How a reproduction calls an engine for a step, as JSON (reports/reproduction.py).
Operation = Callable[[EngineStep], dict[str, Any]]


@dataclass(frozen=True)
class EngineError:
    """A refusal or failure, as the engine words it."""

    exception: str  # the exception's class, without its package
    condition: str | None  # the error class, e.g. DELTA_CANNOT_MODIFY_APPEND_ONLY; None where the engine gives none
    sqlstate: str | None
    message: str


@dataclass(frozen=True)
class Outcome:
    """What the engine answered: rows, or an error; and the wall-clock window in which it did.

    ``rows`` are the values of the result, ``()`` where the command returns none. Those of a Read are the table's rows, in
    schema order; of a ReadChanges each is followed by its ``_change_type``; all with canonical values (model.values). Those
    of a Vacuum hold one path each, a URI that is not url-encoded; the forms that are no SQL return none.
    """

    rows: tuple[Row, ...]
    error: EngineError | None
    started: int  # wall clock, ms since the epoch
    ended: int  # wall clock, ms since the epoch

    @property
    def seconds(self) -> float:
        return (self.ended - self.started) / 1000


def now() -> int:
    """The wall clock, ms since the epoch."""
    return time.time_ns() // 1_000_000


class EngineDied(Exception):
    """The engine's process ended, or was ended because a step passed its time limit. The text says which, with its log."""


class EngineUnavailable(Exception):
    """The engine cannot be started here. The text is one sentence that says what to do."""


class Engine(Protocol):
    """An engine, ready to run steps on tables anywhere below the run's table root."""

    @property
    def name(self) -> str: ...

    @property
    def versions(self) -> Mapping[str, str]:
        """Names and versions for the report, the engine's own first: ``{"delta": "4.4.0", "pyspark": "4.2.0", ...}``."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can be asked for, in this version."""
        ...

    @property
    def rules(self) -> Rules:
        """The rules by which the model predicts the engine, in this version."""
        ...

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        """Run one step on the table at ``root``, with the engine's clock at ``clock`` (ms since the epoch).

        ``clock`` is the wall clock's time for an engine that has no other (``rules.own_clock``).

        ``version`` is what a Read reads, ``None`` being the current one; and whose change feed a ReadChanges reads, which
        is never ``None``. Settings of a step, its inventory (of the directory as the step finds it) and its trouble last
        for the step: when this returns, there is nothing left of them, whatever became of the step. What a step needs on
        storage lies beside the root, as ``<root's name>-beside`` or ``<root's name>-inventory``. Raises EngineDied.
        """
        ...

    def close(self) -> None: ...


def version_of(engine: Engine) -> str:
    """The engine's own version."""
    return next(iter(engine.versions.values()))
