"""A worker's part of a run: an engine, a judge, and the way to the controller."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any, Protocol

from engines.port import Engine, version_of
from engines.provider import capabilities_of
from engines.restricted import Restricted
from model.capabilities import EVERYTHING
from model.case import Case
from model.codec import CorruptCase, from_json
from runner.options import Options, UsageMistake
from strategies.restricted import fits
from suites.campaigns import EXPLORATION, Shard
from harness.clause import CATALOGUE, Clause, matches, unsupported
from suites.drawing import Drawing, PromiseBroken
from harness.judge import Failure, Judge, JudgedCase
from harness.record import case_line


class Link(Protocol):
    """What a worker asks of the controller."""

    def begin(self, versions: dict[str, str], pid: int, unsupported: dict[str, str]) -> dict[str, Any]:
        """Say which engine it is, which process we are, and what clauses are not held against it, each with the reason.

        The answer is what every worker must know: ``directory``, ``seed``, ``listed``.
        """
        ...

    def claim(self, clause: str) -> bool:
        """Whether this worker is the first to make a case smaller for this clause."""
        ...

    def case(self, line: dict[str, Any]) -> None: ...


def read_case(path: Path) -> Case:
    """The case in a file. Raises UsageMistake where there is none."""
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, CorruptCase) as error:
        raise UsageMistake(f"--replay {path}: this is no case that can be replayed: {error}") from error


def selected_clauses(options: Options) -> list[Clause[Any]]:
    """The clauses that the user wants judged."""
    return [
        clause
        for id, clause in CATALOGUE.items()
        if not options.clauses or any(matches(id, prefix) for prefix in options.clauses)
    ]


def judged_clauses(options: Options, unsupported: Container[str]) -> list[Clause[Any]]:
    """The clauses to judge by: the selected ones that the engine promises, and those about a table that is lost."""
    wanted = selected_clauses(options)
    return [
        clause for id, clause in CATALOGUE.items() if id not in unsupported and (clause in wanted or clause.of_broken)
    ]


class Referee:
    """Judges shards, or one replayed case. The engine is opened with the first."""

    def __init__(self, options: Options, link: Link, open_engine: Callable[[], Engine], worker: str) -> None:
        self._options = options
        self._link = link
        self._open_engine = open_engine
        self._worker = worker
        self._engine: Engine | None = None
        self._judge: Judge | None = None
        self._seed = 0
        self._capabilities = EVERYTHING

    def _ready(self) -> Judge:
        if self._judge is None:
            self._engine = self._open_engine()
            versions = dict(self._engine.versions)
            if self._options.shared_with is not None:
                other = capabilities_of(*self._options.shared_with)
                self._engine = Restricted(self._engine, self._engine.capabilities.shared(other))
            left_out = unsupported(self._engine)
            told = self._link.begin(versions, os.getpid(), left_out)
            self._seed = told["seed"]
            self._capabilities = self._engine.capabilities
            directory = Path(told["directory"]) / f"tables-{self._worker}"
            clauses = judged_clauses(self._options, left_out)
            self._judge = Judge(self._engine, clauses, directory, told["listed"])
        return self._judge

    def run(self, shard: Shard) -> None:
        """Draw and judge the shard's cases. Raises PromiseBroken."""
        judge = self._ready()
        drawing = Drawing(shard, judge.judge, self._link.case, self._link.claim, self._capabilities)
        database = Path(".hypothesis") / "examples"
        if shard.campaign is EXPLORATION:
            drawing.explore(judge, seed=self._seed)
            return
        drawing.run(profile=self._options.profile, seed=self._seed, database=database)

    def replay(self) -> None:
        """Judge the case of ``--replay``; the controller tells the result. Raises PromiseBroken."""
        assert self._options.replay is not None
        case = read_case(self._options.replay)
        judge = self._ready()
        if fits(case, capabilities=self._capabilities):
            judged = judge.judge(case)
        else:
            assert self._engine is not None
            engine = f"{self._engine.name} {version_of(self._engine)}"
            lacking = f"{engine} cannot be asked for all that the case holds: replay it on an engine that can."
            judged = JudgedCase(case, (), {}, Failure("harness", lacking))
        self._link.case(case_line(judged, campaign="replay", shard=0, index=0, origin="replayed"))
        if judged.failed:
            raise PromiseBroken(f"The case breaks {', '.join(judged.failed)}.")

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
