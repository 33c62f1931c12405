"""The port on Trino: each step registers the table at its path under a new name, runs SQL on it, and drops the name."""

from __future__ import annotations

import itertools
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import requests
import trino
from trino.exceptions import TrinoQueryError

from engines.port import EngineDied, EngineError, Outcome, now
from engines.targets import target_path
from examples.trino_engine.kind import CAPABILITIES, RULES
from examples.trino_engine.rows import rows_of
from examples.trino_engine.server import Lease
from examples.trino_engine.sql import statement, text
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import DELTA_RS_ON_S3, Rules, with_changes
from model.vocabulary.steps import InvalidDelete, InvalidVacuum, ReadChanges, Request, Vacuum
from model.vocabulary.values import Row

#: The scheme of URIs by which it names objects.
SCHEME = "s3"


class TrinoEngine:
    """Trino. ``time_limit`` is in seconds per step; the server ends a statement that exceeds it."""

    name = "trino"
    capabilities: Capabilities = CAPABILITIES

    def __init__(self, version: str, lease: Callable[[int], Lease], *, time_limit: float) -> None:
        self.versions: Mapping[str, str] = {
            "trino": version,
            "client": version_of("trino"),
            "python": platform.python_version(),
        }
        self._lease_of, self._time_limit = lease, time_limit
        self._schema = f"w{os.getpid()}"
        self._names = (f"t{number}" for number in itertools.count())
        self._statement: str | None = None  # of the step
        self._connect(lease(0))

    @property
    def rules(self) -> Rules:
        return replace(with_changes(RULES, DELTA_RS_ON_S3), file_uris=self._lease.store.prefix(SCHEME))

    def _connect(self, lease: Lease) -> None:
        self._lease = lease
        self._connection = trino.dbapi.connect(
            host="127.0.0.1",
            port=lease.port,
            user="tombstone",
            catalog="delta",
            schema=self._schema,
            timezone="UTC",
            request_timeout=self._time_limit,
            max_attempts=1,
            session_properties={"query_max_execution_time": f"{self._time_limit:g}s"},
        )
        self._answer(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        rows: tuple[Row, ...] = ()
        error = self._statement = None
        started = now()
        try:
            rows = self._run(root, step, version)
        except TrinoQueryError as failure:
            error = _error(failure)
        except requests.exceptions.RequestException as lost:
            self._connect(self._lease_of(self._lease.generation))
            raise EngineDied(f"{type(step).__name__.upper()} lost its server: {lost}") from lost
        if error is not None:
            self._lease.store.require_reachable()
        return Outcome(rows, error, started, now(), statement=self._statement)

    def use_processors(self, number: int) -> None:
        """The server decides."""

    def close(self) -> None:
        self._connection.close()

    def _run(self, root: Path, step: Request, version: int | None) -> tuple[Row, ...]:
        """A step's rows. Raises TrinoQueryError."""
        if isinstance(step, (InvalidDelete, InvalidVacuum)):
            with target_path(root, step.mistake) as target:
                return self._on(target, step, version)
        return self._on(root, step, version)

    def _on(self, root: Path, step: Request, version: int | None) -> tuple[Row, ...]:
        name = next(self._names)
        location = text(f"{self._lease.store.prefix(SCHEME)}{root}")
        self._answer(f"CALL delta.system.register_table('{self._schema}', '{name}', {location})")
        try:
            return self._named(name, step, version)
        finally:
            self._answer(f"CALL delta.system.unregister_table('{self._schema}', '{name}')")

    def _named(self, name: str, step: Request, version: int | None) -> tuple[Row, ...]:
        """A step's rows, of the table of this name. The time and the version of each change are its last columns."""
        written = statement(step, version)
        self._statement = written.format(schema="s", table="t")
        rows = self._answer(written.format(schema=self._schema, table=name))
        if isinstance(step, ReadChanges) and not step.commits:
            return tuple(row[:-2] for row in rows)
        return () if isinstance(step, (Vacuum, InvalidVacuum)) else rows

    def _answer(self, statement: str) -> tuple[Row, ...]:
        cursor = self._connection.cursor()
        cursor.execute(statement)
        return rows_of(cursor.fetchall(), _columns(cursor))


def _columns(cursor: Any) -> list[Mapping[str, Any]]:
    """What the server says of the answer's columns: the client's own description has their types as texts only."""
    return list(cursor._query.columns or ())


def _error(failure: TrinoQueryError) -> EngineError:
    """With the messages of its causes."""
    info, told = failure.failure_info or {}, [failure.message]
    while info:
        told.append(str(info.get("message")))
        info = info.get("cause") or {}
    return EngineError(str(failure.error_name), None, None, " / ".join(dict.fromkeys(told)))
