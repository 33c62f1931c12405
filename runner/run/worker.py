"""A worker's part of a run: it opens an engine, judges cases, and reports them to the controller."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from engines.bucket import Bucket
from engines.port import Engine, EngineUnavailable, version_of
from engines.provider import kind_of
from engines.restricted import Restricted
from engines.working_copy import WorkingCopy
from harness.campaigns.batch_runner import BatchRunner, message
from harness.campaigns.campaign import Batch
from harness.campaigns.drawing import Choice, broken
from harness.campaigns.record import case_record
from harness.running.judge import Judge, JudgedCase
from harness.tables.case_shape import table_entries
from model.vocabulary.capabilities import EVERYTHING
from records import run
from reports.stream.lines import line_of
from runner.command_line.options import Options
from runner.replay import read_case
from runner.run.controller import Controller
from runner.run.drawn_to_shapes import drawn_to
from runner.run.plan import limits_of
from strategies.restriction.capabilities import fits
from suites.catalogue import CATALOGUE, unsupported

#: Failing examples of the random profiles, for the next run.
DATABASE = Path(".hypothesis") / "examples"


class EngineWorker:
    """Judges batches, or one replayed case. The engine is opened with the first, if not before."""

    def __init__(
        self,
        options: Options,
        controller: Controller,
        open_engine: Callable[[WorkingCopy | None], Engine],
        name: str,
    ) -> None:
        """``open_engine`` gets the working copy of the bucket where the tables are, if they are in one."""
        self._options = options
        self._controller = controller
        self._open_engine = open_engine
        self._name = name
        self._engine: Engine | None = None
        self._copy: WorkingCopy | None = None
        self._judge: Judge | None = None
        self._seed = 0
        self._capabilities = EVERYTHING

    def open(self) -> Judge:
        """Open the engine, unless it is open, and tell the controller of it."""
        if self._judge is None:
            pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own keeps a sixth more of what small files took
            bucket = self._options.bucket
            copy = self._copy = (
                None if bucket is None else WorkingCopy(Bucket(bucket), renames=self._options.kind.remembers_tables)
            )
            self._engine = self._open_engine(copy)
            versions = dict(self._engine.versions)
            if self._options.shared_with is not None:
                other, version = self._options.shared_with
                shared = self._engine.capabilities.shared(kind_of(other).capabilities_of(version))
                self._engine = Restricted(self._engine, shared)
            inapplicable = unsupported(self._engine)
            for limits in limits_of(self._options):
                self._engine = Restricted(self._engine, self._engine.capabilities.shared(limits.capabilities))
                inapplicable = {**dict.fromkeys(unsupported(self._engine), limits.reason), **inapplicable}
            begun = self._controller.begin(versions, os.getpid(), inapplicable)
            self._seed = begun.seed
            self._capabilities = self._engine.capabilities
            directory = begun.directory / f"tables-{self._name}"
            clauses = [
                replace(clause, recorded=self._options.selects(id))
                for id, clause in CATALOGUE.items()
                if id not in inapplicable
            ]
            self._judge = Judge(self._engine, clauses, directory, begun.listed, copy)
        return self._judge

    def judge(self, batch: Batch) -> None:
        """Judge the batch's cases. Raises PromiseBroken."""
        judge = self.open()
        runner = BatchRunner(
            batch,
            judge,
            emit=self._record,
            claim=self._controller.claim,
            capabilities=self._capabilities,
            choice=self._choice,
        )
        runner.run(profile=self._options.profile, seed=self._seed, database=DATABASE)

    @cached_property
    def _choice(self) -> Choice | None:
        """How to draw cases that resemble the user's tables."""
        return None if self._options.like is None else drawn_to(self._options.like, self._capabilities)

    def replay(self) -> None:
        """Judge the case of ``--replay``; the controller prints the result. Raises PromiseBroken."""
        assert self._options.replay is not None
        case = read_case(self._options.replay)
        judge = self.open()
        # A kept case may have times near a cutoff on any engine: it is judged as it is.
        if fits(case, capabilities=replace(self._capabilities, sets_clock=True)):
            judged = judge.judge(case)
        else:
            assert self._engine is not None
            engine = f"{self._engine.name} {version_of(self._engine)}"
            lacking = f"{engine} does not support all that the case needs: replay it on an engine that does."
            judged = JudgedCase(case, (), {}, run.CaseError("harness", lacking, ""))
        self._record(case_record(judged, campaign="replay", batch=0, index=0, origin="replayed"))
        if judged.failed:
            gravest = judged.wrong[0]
            raise broken(gravest.clause)(message(gravest, judged))

    def _record(self, case: run.RecordedCase) -> None:
        """Raises EngineUnavailable if no case can be judged any more."""
        if self._options.like is not None:
            case = replace(case, shape=table_entries(case.case.table))
        self._controller.case(line_of(case))
        if self._copy is not None and self._copy.lost:
            self._controller.lost(self._copy.lost)
            raise EngineUnavailable(self._copy.lost)

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
