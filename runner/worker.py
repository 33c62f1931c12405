"""A worker's part of a run: an engine, a judge, and the link to the controller."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from engines.port import Engine, version_of
from engines.provider import capabilities_of
from engines.restricted import Restricted
from harness.campaign import Shard
from harness.drawing import broken
from harness.judge import Failure, Judge, JudgedCase
from harness.record import case_line
from harness.severity import gravest
from harness.shard_runner import ShardRunner, message
from model.capabilities import EVERYTHING
from runner.link import Link
from runner.options import Options
from runner.replay import read_case
from runner.selection import judged_clauses
from strategies.restricted import fits
from suites.catalogue import unsupported

#: What failed in a random profile, for the next run.
DATABASE = Path(".hypothesis") / "examples"


class Worker:
    """Judges shards, or one replayed case. The engine is opened with the first."""

    def __init__(self, options: Options, link: Link, open_engine: Callable[[], Engine], name: str) -> None:
        self._options = options
        self._link = link
        self._open_engine = open_engine
        self._name = name
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
            answer = self._link.begin(versions, os.getpid(), left_out)
            self._seed = answer["seed"]
            self._capabilities = self._engine.capabilities
            directory = Path(answer["directory"]) / f"tables-{self._name}"
            self._judge = Judge(self._engine, judged_clauses(self._options, left_out), directory, answer["listed"])
        return self._judge

    def judge(self, shard: Shard) -> None:
        """Judge the shard's cases. Raises PromiseBroken."""
        judge = self._ready()
        runner = ShardRunner(
            shard, judge, emit=self._link.case, claim=self._link.claim, capabilities=self._capabilities
        )
        runner.run(profile=self._options.profile, seed=self._seed, database=DATABASE)

    def replay(self) -> None:
        """Judge the case of ``--replay``; the controller prints the result. Raises PromiseBroken."""
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
            clause = gravest(judged.failed)
            raise broken(clause)(message(clause, judged))

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
