"""An engine that runs in another environment: a process of ``runner.processes.engine_host``."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from engines.port import EngineDied, EngineUnavailable, Outcome
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import Rules
from model.vocabulary.steps import Request
from runner.processes import reaper
from runner.processes.channel import Caller
from runner.processes.engine_host import BESIDE, WALL_CLOCK, Address

ROOT = Path(__file__).resolve().parent.parent.parent

#: What a host tells of its engine: its name, versions, capabilities and rules.
_Facts = tuple[str, Mapping[str, str], Capabilities, Rules]

#: Seconds for a host to end by itself.
_PATIENCE = 30


class HostedEngine:
    """``python`` is the interpreter of the engine's environment. Raises EngineUnavailable if it cannot be opened there."""

    def __init__(
        self,
        python: Path,
        engine: str,
        directory: Path,
        started: Callable[[int], None],
        *,
        wall_clock: bool = False,
        beside: Address | None = None,
    ) -> None:
        """``directory`` is the run's own; ``started`` gets the id of each process that is started. ``wall_clock``: with the
        machine's clock. ``beside``: with the JVM of the engine that has this ``address``.
        """
        directory = Path(tempfile.mkdtemp(prefix=f"host-{python.parent.parent.name}-", dir=directory))
        self._log = directory / "log"
        self._python = python
        self._started: list[int] = []  # by the host
        options = [WALL_CLOCK] * wall_clock + ([] if beside is None else [BESIDE + ":".join(map(str, beside))])
        environ = {key: value for key, value in os.environ.items() if key != "PYTHONHOME"}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [str(python), "-m", "runner.processes.engine_host", engine, str(directory), *options],
                cwd=ROOT,
                env=environ | {"PYTHONDONTWRITEBYTECODE": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,  # Ctrl-C ends the judge, and that ends it
            )
        try:
            started(self._process.pid)
            self._caller = self._connected(engine, started)
            self.name, self.versions, self.capabilities, self.rules = self._facts()
        except BaseException:  # the user may interrupt it: nobody else can close what is not made yet
            self.close()
            raise

    def _connected(self, engine: str, started: Callable[[int], None]) -> Caller:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = json.loads(line)
            if "started" in said:
                self._started.append(said["started"])
                started(said["started"])
            else:
                host, port = said["address"]
                self.address = host, port, said["key"]
                return Caller((host, port), bytes.fromhex(said["key"]))
        self._process.wait()
        reason = self._end_of_log().splitlines()[-1]
        raise EngineUnavailable(f"{engine} cannot be started by {self._python}: {reason}")

    def _facts(self) -> _Facts:
        return cast(_Facts, self._call("facts"))

    def _call(self, name: str, *arguments: object) -> object:
        try:
            return self._caller.call(name, *arguments)
        except (EOFError, OSError) as lost:
            raise EngineDied(f"The process of the engine ended: {self._end_of_log()}") from lost

    def _end_of_log(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-20:]) or "it says nothing"

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = self._call("run", root, step, clock, version)
        assert isinstance(outcome, Outcome)
        return outcome

    def use_processors(self, number: int) -> None:
        self._call("use_processors", number)

    def close(self) -> None:
        """End the process, and what it started, also when the user does not wait for it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if self._process.poll() is None:
                for pid in (self._process.pid, *self._started):
                    reaper.end(pid)
                self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
