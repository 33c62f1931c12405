"""Runs a case on a healthy engine, and judges each step once more for every way to tamper with it."""

from __future__ import annotations

import copy
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engines.port import Outcome
from faults.machinery.tampering import Tampering
from harness.judging.side import Side
from harness.judging.step_judge import StepJudge
from harness.observing.steps.observation import Observation
from harness.observing.table.table_state import TableState
from harness.running.case_run import CaseRun
from model.vocabulary.steps import (
    AtOnce,
    Delete,
    EngineStep,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    Vacuum,
)
from model.vocabulary.table import Feature, Table
from selfcheck.tampering import answers, commits, log_files, paths
from selfcheck.tampering.way import Way

#: What a tampered step is reported to violate if the suite itself fails on it.
FAILED = "(the suite fails)"


@dataclass(frozen=True)
class Result:
    """What a step that was tampered with violates, and the healthy step does not."""

    way: str
    clauses: tuple[str, ...]


class TamperedRun(CaseRun):
    """``wanted`` says by a way's name whether to try it in this step; ``found`` gets each result.

    The table is restored after each, so the case goes on as on the healthy engine.
    """

    def __init__(
        self,
        side: Side,
        table: Table,
        root: Path,
        *,
        wanted: Callable[[str], bool],
        found: Callable[[Result], None],
    ) -> None:
        super().__init__(side, table, root)
        self._wanted = wanted
        self._found = found

    def _run(self, step: EngineStep, state: TableState) -> tuple[Outcome, int]:
        killed = isinstance(step, (Delete, Vacuum)) and step.crash is not None  # its answer is no evidence
        if killed or isinstance(
            step, (Insert, OtherCommand, OpenSession, AtOnce)
        ):  # not tampered with, or judged by no clause
            return super()._run(step, state)
        around = self._root.parent
        with tempfile.TemporaryDirectory(dir=around.parent) as scratch:
            before, after = Path(scratch) / "before", Path(scratch) / "after"
            shutil.copytree(around, before, symlinks=True)
            outcome, version = super()._run(step, state)
            shutil.copytree(around, after, symlinks=True)

            def tampering() -> Tampering:
                return Tampering(self._root, before / self._root.name, step, outcome, self._clock.now, 0, False)

            healthy = self._violated(step, outcome, version, state)
            command = command_of(step, outcome, self._observer.table)
            for way in list(ways(tampering(), reads=isinstance(step, (Read, ReadChanges)))):
                name = f"{command}: {way.name}"
                if not self._wanted(name):
                    continue
                answer = way.tamper(tampering()) or outcome
                clauses = self._violated(step, answer, version, state)
                self._found(Result(name, tuple(id for id in clauses if id not in healthy)))
                if way.on_disk:
                    shutil.rmtree(around)
                    shutil.copytree(after, around, symlinks=True)
        return outcome, version

    def _violated(self, step: EngineStep, outcome: Outcome, version: int, state: TableState) -> list[str]:
        """The clauses that the step violates as the table is now."""
        judge = StepJudge()
        try:
            judge.judge(self._tampered(step, outcome, version, state), self._side)
        except Exception:  # noqa: BLE001 - an answer that nobody foresaw must not end the run
            return [FAILED]
        found = [id for id, tally in judge.tallies.items() if tally.unexcused]
        return [*found, FAILED] if judge.raised else found

    def _tampered(self, step: EngineStep, outcome: Outcome, version: int, state: TableState) -> Observation:
        after = state if isinstance(step, (Read, ReadChanges)) else self._observer.observe(state)
        with self._kept_expectations():
            return self._observed(len(self._version_before) - 1, step, outcome, version, state, after, None)

    @contextmanager
    def _kept_expectations(self) -> Iterator[None]:
        kept = self._expected
        self._expected = copy.copy(kept)
        self._expected.by_version = dict(kept.by_version)
        try:
            yield
        finally:
            self._expected = kept


def ways(t: Tampering, *, reads: bool) -> Iterator[Way]:
    """All ways for a step. What a read leaves on storage is not observed."""
    yield from answers.ways(t)
    if not reads:
        yield from commits.ways(t)
        yield from log_files.ways(t)
        yield from paths.ways(t)


def command_of(step: EngineStep, outcome: Outcome, table: Table) -> str:
    """The command as users name it; whether it was refused, failed at a row or an I/O fault, or cannot read the log."""
    if isinstance(step, (Delete, InvalidDelete)):
        name = "DELETE"
    elif isinstance(step, (Vacuum, InvalidVacuum)):
        name = "DRY RUN" if isinstance(step, Vacuum) and step.dry_run else "VACUUM"
    else:
        name = "READ" if isinstance(step, Read) else "CHANGES"
    if outcome.error is None:
        return name
    if table.has(Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED):
        return f"unread {name}"
    fault = isinstance(step, Vacuum) and step.io_fault is not None
    condition = (
        isinstance(step, Delete) and "APPEND_ONLY" not in f"{outcome.error.condition} {outcome.error.message}".upper()
    )
    return f"{'failed' if fault or condition else 'refused'} {name}"
