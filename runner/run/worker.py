"""A worker's part of a run: it opens an engine, judges cases, and reports them to the controller."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from engines.port import Engine, EngineUnavailable, version_of
from engines.provider import kind_of
from engines.restricted import Restricted
from engines.working_copy import WorkingCopy
from harness.campaigns.batch_runner import BatchRunner, message
from harness.campaigns.campaign import Batch
from harness.campaigns.drawing import Choice, broken
from harness.campaigns.record import case_record
from harness.running.judge import CaseJudge, Judge, JudgedCase
from harness.tables.case_shape import table_entries
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.case import Case
from records import run
from records.known_fault import KnownFault
from reports.stream.lines import line_of
from runner.command_line.options import Options
from runner.replay import read_case
from runner.run.bench import chosen_in
from runner.run.controller import Controller
from runner.run.drawn_to_shapes import drawn_to
from runner.run.plan import limits_of
from strategies.restriction.capabilities import fits
from suites.catalogue import CATALOGUE, unsupported

#: Failing examples of the random profiles, for the next run.
DATABASE = Path(".hypothesis") / "examples"


@dataclass(frozen=True)
class Opened:
    """What a worker has opened: for the header, and to judge by. ``inapplicable``: clauses that do not apply, with the reason.

    ``judge`` makes the judge of tables below a directory, by these clauses and known faults.
    """

    title: str
    versions: Mapping[str, str]
    capabilities: Capabilities
    inapplicable: Mapping[str, str]
    judge: Callable[[Path, Callable[[str], bool], Sequence[KnownFault]], CaseJudge]
    close: Callable[[], None]
    copy: WorkingCopy | None = None


class EngineWorker:
    """Judges batches, or one replayed case. What it judges is opened with the first, if not before."""

    def __init__(
        self,
        options: Options,
        controller: Controller,
        open_subject: Callable[[Controller], Opened],
        name: str,
        prepared: Callable[[Case], Case] = lambda case: case,
    ) -> None:
        """``prepared`` makes of a case of a campaign what is judged."""
        self._options = options
        self._controller = controller
        self._open_subject = open_subject
        self._name = name
        self._prepared = prepared
        self._opened: Opened | None = None
        self._judge: CaseJudge | None = None
        self._seed = 0

    def open(self) -> tuple[Opened, CaseJudge]:
        """Open what is judged, unless it is open, and tell the controller of it."""
        if self._opened is None or self._judge is None:
            pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own keeps a sixth more of what small files took
            opened = self._opened = self._open_subject(self._controller)
            begun = self._controller.begin(dict(opened.versions), os.getpid(), dict(opened.inapplicable))
            self._seed = begun.seed
            directory = begun.directory / f"tables-{self._name}"
            self._judge = opened.judge(directory, self._options.selects, begun.listed)
        return self._opened, self._judge

    def judge(self, batch: Batch) -> None:
        """Judge the batch's cases. Raises PromiseBroken."""
        opened, judge = self.open()
        runner = BatchRunner(
            batch,
            judge,
            emit=self._record,
            claim=self._controller.claim,
            capabilities=opened.capabilities,
            choice=self._choice,
            prepared=self._prepared,
        )
        runner.run(profile=self._options.profile, seed=self._seed, database=DATABASE)

    @cached_property
    def _choice(self) -> Choice | None:
        """How to draw cases that resemble the user's tables."""
        return None if self._options.like is None else drawn_to(self._options.like, self.open()[0].capabilities)

    def replay(self) -> None:
        """Judge the case of ``--replay``; the controller prints the result. Raises PromiseBroken."""
        assert self._options.replay is not None
        case = read_case(self._options.replay)
        opened, judge = self.open()
        # A kept case may have times near a cutoff on any engine: it is judged as it is.
        if fits(case, capabilities=replace(opened.capabilities, sets_clock=True)):
            judged = judge.judge(case)
        else:
            lacking = f"{opened.title} does not support all that the case needs: replay it on an engine that does."
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
        copy = None if self._opened is None else self._opened.copy
        if copy is not None and copy.lost:
            self._controller.lost(copy.lost)
            raise EngineUnavailable(copy.lost)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()


def one_engine(options: Options, open_engine: Callable[[WorkingCopy | None], Engine]) -> Opened:
    """``open_engine`` gets the working copy of the bucket where the tables are, if they are in one."""
    copy = chosen_in(options).copy()
    engine = open_engine(copy)
    title, versions = f"{engine.name} {version_of(engine)}", dict(engine.versions)
    if options.shared_with is not None:
        other, version = options.shared_with
        engine = Restricted(engine, engine.capabilities.shared(kind_of(other).capabilities_of(version)))
    inapplicable = unsupported(engine)
    for limits in limits_of(options):
        engine = Restricted(engine, engine.capabilities.shared(limits.capabilities))
        inapplicable = {**dict.fromkeys(unsupported(engine), limits.reason), **inapplicable}
    judged = engine

    def judge(directory: Path, selects: Callable[[str], bool], listed: Sequence[KnownFault]) -> Judge:
        clauses = [replace(one, recorded=selects(id)) for id, one in CATALOGUE.items() if id not in inapplicable]
        return Judge(judged, clauses, directory, listed, copy)

    return Opened(title, versions, engine.capabilities, inapplicable, judge, engine.close, copy)
