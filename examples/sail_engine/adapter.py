"""The port on Sail: steps as SQL over Spark Connect."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from importlib.metadata import version as version_of
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

from engines.arrow_rows import rows_of
from engines.named_paths import named_path
from engines.port import EngineDied, EngineError, EngineUnavailable, Outcome, now
from engines.targets import table_text, target_path
from examples.sail_engine.kind import CAPABILITIES, RULES
from model.text.invalid_sql import invalid_delete_sql
from model.text.sql import delete_sql
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import Rules
from model.vocabulary.steps import Delete, InvalidDelete, Read, Request
from model.vocabulary.values import Row

#: Sail in a process that prints its port, and ends with its standard input, so with the process that started it.
_SERVER = """
import os, sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
os._exit(0)
"""

#: How a server ends that ends itself, as by a stack that overflows.
_ABORTED = frozenset({-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGILL})


class Server:
    """A server, and a session in it."""

    def __init__(self) -> None:
        """Raises EngineUnavailable if it does not start."""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the server
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        assert self.process.stdout is not None
        port = self.process.stdout.readline().strip()
        if not port:
            self.process.wait()
            problem = self.end_of_log().rpartition("\n")[2]
            raise EngineUnavailable(
                f"Sail does not start ({problem}): `pip install -r examples/sail_engine/requirements.txt`."
            )
        self.session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
        self.session.client.set_retry_policies([])  # else the client calls a server that is gone for ten minutes
        self.session.client.disable_reattachable_execute()

    def end(self) -> int:
        """End it, if it has not ended yet; its exit code."""
        self.process.communicate()
        return self.process.returncode

    def end_of_log(self) -> str:
        self._log.seek(0)
        return self._log.read()[-2_000:].decode(errors="replace").strip()


class SailEngine:
    """Sail. ``time_limit`` is in seconds per step; the server is killed when a step exceeds it."""

    name = "sail"
    capabilities: Capabilities = CAPABILITIES
    rules: Rules = RULES

    def __init__(self, version: str, *, time_limit: float) -> None:
        self.versions: Mapping[str, str] = {
            "pysail": version,
            "pyspark-client": version_of("pyspark-client"),
            "python": platform.python_version(),
        }
        self._time_limit = time_limit
        self._server: Server | None = Server()

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        server = self._server = self._server or Server()
        timer = threading.Timer(self._time_limit, server.process.kill)
        timer.daemon = True
        timer.start()
        rows: tuple[Row, ...] = ()
        error = None
        started = now()
        try:
            rows = _run(server.session, root, step, version)
        except PySparkException as failure:
            error = EngineError(type(failure).__name__, failure.getCondition(), failure.getSqlState(), str(failure))
            if "StatusCode.UNAVAILABLE" in str(failure):
                error = self._lost(server, step)
        finally:
            timer.cancel()
        return Outcome(rows, error, started, now())

    def _lost(self, server: Server, step: Request) -> EngineError:
        """The error of a step that ended the server. Raises EngineDied if something else did."""
        self._server = None
        code = server.end()
        if code in _ABORTED:
            return EngineError("Aborted", None, None, f"the server ended itself by signal {-code}")
        what = f"{type(step).__name__.upper()} lost its server, or exceeded its time limit of {self._time_limit:g} s"
        raise EngineDied(f"{what} (exit code {code}):\n{server.end_of_log()}")

    def use_processors(self, number: int) -> None:
        """The server decides."""

    def close(self) -> None:
        if self._server is not None:
            self._server.session.stop()
            self._server.end()
            self._server = None


def _run(session: SparkSession, root: Path, step: Request, version: int | None) -> tuple[Row, ...]:
    """A step's rows. Raises PySparkException."""
    session.conf.set("spark.sql.session.timeZone", step.zone if isinstance(step, Delete) else "UTC")
    if isinstance(step, Delete):
        with named_path(root, step.spelling, working_directory=os.getcwd()) as path:
            return _answer(session, delete_sql(step, table_text(path)))
    if isinstance(step, InvalidDelete):
        with target_path(root, step.mistake) as target:
            return _answer(session, invalid_delete_sql(step.mistake, table_text(target)))
    assert isinstance(step, Read), "the capabilities have no other step"
    reader = session.read.format("delta")
    if version is not None:
        reader = reader.option("versionAsOf", str(version))
    frame = reader.load(str(root))
    return rows_of(frame.toArrow(), frame.columns)


def _answer(session: SparkSession, sql: str) -> tuple[Row, ...]:
    return tuple(tuple(row) for row in session.sql(sql).collect())
