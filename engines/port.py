"""The port: the interface between the suite and an engine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from model.vocabulary.accesses import Operation
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.readings import Reading
from model.vocabulary.rules import Rules
from model.vocabulary.steps import Request
from model.vocabulary.values import Row, Value


@dataclass(frozen=True)
class EngineError:
    """A refusal or failure as the engine reports it."""

    exception: str  # the exception's class, without its package
    condition: str | None  # the error class, e.g. DELTA_CANNOT_MODIFY_APPEND_ONLY; None where the engine gives none
    sqlstate: str | None
    message: str


@dataclass(frozen=True)
class Answer:
    """An engine's answer to a reading: one row for COUNT, BOUNDS and FILTERED. ``columns``: those of a reading of columns."""

    reading: Reading
    rows: tuple[Row, ...] = ()
    error: EngineError | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Access:
    """How often a step asked the same of a path, relative to the table's root (``""``: the root), and the bytes that it read."""

    operation: Operation
    path: str
    calls: int = 1
    size: int = 0  # bytes; of OPEN alone


@dataclass(frozen=True)
class Outcome:
    """The result of a step: rows or an error, and when it ran.

    ``rows`` is ``()`` if the command returns none. A Read returns the table's rows in schema order, a ReadChanges these
    rows followed by their ``_change_type`` or what its ``commits`` says, an Ask all rows followed by what each test says of
    them, all with canonical values (model.vocabulary.values). A Delete returns what ``rules.implementation`` promises: one
    number of rows for Delta on Spark, where the form returns it, a row of ``DELTA_RS_COUNTS`` for delta-rs. A Vacuum returns
    one path per row, a URI that is not url-encoded; the DeltaTable forms return none. What other steps return is not judged.
    """

    rows: tuple[Row, ...]
    error: EngineError | None
    started: int  # wall clock, ms since the epoch
    ended: int  # wall clock, ms since the epoch
    cached_rows: tuple[Row, ...] | None = None  # of a DELETE on a cached table: what the session then reads
    #: Of a Read: what the engine answers when it is asked in other ways, by how it was asked ("DeltaTable.count()").
    answers: Mapping[str, Answer] = field(default_factory=dict)
    #: The effects on storage of a step that was killed, one line each ("create p=1/part-….parquet"), the last the one that its
    #: crash asks for. None: no crash was asked for, or its point was not reached.
    effects: tuple[str, ...] | None = None
    #: Of an AtOnce, whose outcome this is of the first step: that of the second, and whether the first was held at the point.
    second: Outcome | None = None
    held: bool = False
    #: What the step asked of storage below the table's root, each path and operation once. None: it was not counted.
    accesses: tuple[Access, ...] | None = None
    #: What was sent to an engine that does not take Spark's SQL, with ``t`` for the table, for reports. None: they show Spark's.
    statement: str | None = None

    @property
    def seconds(self) -> float:
        return (self.ended - self.started) / 1000

    def moved(self, source: Path, target: Path) -> Outcome:
        """The outcome with the path ``target`` instead of ``source``, in rows and in the message of the error."""

        def renamed(value: Value) -> Value:
            return value.replace(str(source), str(target)) if isinstance(value, str) else value

        error = None if self.error is None else replace(self.error, message=str(renamed(self.error.message)))
        return replace(self, rows=tuple(tuple(map(renamed, row)) for row in self.rows), error=error)


def now() -> int:
    """The wall clock, ms since the epoch."""
    return time.time_ns() // 1_000_000


class EngineDied(Exception):
    """The engine's process died, or was killed because a step exceeded its time limit. The message has the end of its log."""


class EngineUnavailable(Exception):
    """The engine cannot be started here. The message is one sentence with the remedy."""


class Engine(Protocol):
    """An engine that runs steps on tables below the run's directory."""

    @property
    def name(self) -> str: ...

    @property
    def versions(self) -> Mapping[str, str]:
        """Names and versions for the report, the engine's own first: ``{"delta": "4.4.0", "pyspark": "4.2.0", ...}``."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What this version of the engine supports."""
        ...

    @property
    def rules(self) -> Rules:
        """The rules by which the model predicts this version of the engine."""
        ...

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        """Run one step on the table at ``root``, with the engine's clock at ``clock`` (ms since the epoch).

        If the clock cannot be set (``rules.own_clock``), ``clock`` is the wall-clock time. ``version`` is the version of a
        Read (``None``: the current one), of a ReadChanges or of what a Restore restores (never ``None``); of an AtOnce that of
        the one of the two that names a version. Settings,
        inventory, I/O fault and crash of a step are removed before this returns, also after an error. Files that a step needs are
        beside the root, as ``<root's name>-inventory``, ``-link``, ``-stream`` or ``-target``. What stays there: the clone of a
        ShallowClone, where ``model.text.layout.clone_of`` says, and as ``-delivered`` what the stream of an OpenSession has
        delivered. Raises EngineDied.
        """
        ...

    def use_processors(self, number: int) -> None:
        """Let the following steps use this many processors, or all that the machine has (``rules.draws_processors``)."""
        ...

    def close(self) -> None: ...


def version_of(engine: Engine) -> str:
    """The engine's own version."""
    return next(iter(engine.versions.values()))
