"""Judges cases on an engine, each on a new table."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from deltalog.entries.commits import parse_commit
from engines.machine import MachineFailed
from engines.port import Engine, EngineDied, EngineUnavailable
from engines.working_copy import WorkingCopy
from harness.judging.clause import Clause
from harness.judging.excusing.excuses import Excuses
from harness.judging.failure import died, failure_of, raised
from harness.judging.side import Side
from harness.judging.step_judge import Tally
from harness.running.case_run import CaseRun
from harness.running.coverage import Cell
from model.vocabulary.case import Case
from model.vocabulary.severity import Severity
from model.vocabulary.steps import Step
from model.vocabulary.table import Table
from model.vocabulary.table_roots import TableRoot
from records.known_fault import KnownFault
from records.run import CaseError, CrashSnapshot, RecordedStep, RecordedViolation


@dataclass(frozen=True)
class JudgedCase:
    case: Case
    steps: tuple[RecordedStep, ...]  # of the engine
    tallies: dict[str, Tally]
    failure: CaseError | None = None
    coverage: Counter[Cell] = field(default_factory=Counter)  # of its steps (harness.running.coverage)
    processors: int | None = None  # how many the engine might use (None: all)
    left: CrashSnapshot | None = None  # on storage, by the last step that was killed

    @property
    def violated(self) -> list[str]:
        """The ids of the clauses that the case breaks, in the catalogue's order."""
        return [id for id, tally in self.tallies.items() if tally.violations]

    @property
    def failed(self) -> list[str]:
        """The broken clauses with a violation that is not a known fault."""
        return [id for id in self.violated if self.tallies[id].unexcused]

    @property
    def wrong(self) -> list[RecordedViolation]:
        """The violations that are no known faults, the gravest first; of those of one kind the first."""
        found: dict[tuple[str, str], RecordedViolation] = {}
        for id in self.failed:
            for violation in self.tallies[id].unexcused:
                found.setdefault(violation.kind, violation)
        return sorted(found.values(), key=lambda one: severity_of(one).rank)


def severity_of(violation: RecordedViolation) -> Severity:
    """What the violation costs: ``harness.judging.step_judge`` always says it."""
    assert violation.severity is not None
    return violation.severity


class CaseJudge(Protocol):
    """What judges whole cases."""

    def judge(self, case: Case) -> JudgedCase: ...


class Judge:
    """Judges cases on one engine. Tables are created below ``directory``, which nothing else may use.

    ``copy``: see ``Side``.
    """

    def __init__(
        self,
        engine: Engine,
        clauses: Sequence[Clause[Any]],
        directory: Path,
        listed: Iterable[KnownFault | str] = (),
        copy: WorkingCopy | None = None,
    ) -> None:
        self._side = Side(engine, tuple(clauses), Excuses(listed), copy=copy)
        self._directory = directory
        self._made = 0

    def new_root(self, name: TableRoot = TableRoot.PLAIN) -> Path:
        """The path of the next table. Its parent directory also holds everything beside the table."""
        self._made += 1
        return self._directory / f"case-{self._made}" / name.value

    def start(self, table: Table, root: Path, steps: Sequence[Step] = ()) -> CaseRun:
        """Create the table at ``root``. ``steps``: see ``CaseRun``."""
        return CaseRun(self._side, table, root, steps)

    def remove(self, root: Path) -> None:
        """Remove the table at ``root``, and everything beside it."""
        shutil.rmtree(root.parent, ignore_errors=True)
        if self._side.copy is not None:
            with suppress(MachineFailed):  # the run deletes what is left, or says that it cannot
                self._side.copy.remove(root.parent)

    def judge(self, case: Case) -> JudgedCase:
        """Run and judge a case; once more if the engine dies, as another worker's step may have killed it.

        What was judged before an error stays.
        """
        try:
            return self._judge(case, again=False)
        except EngineDied:
            return self._judge(case, again=True)

    def _judge(self, case: Case, *, again: bool) -> JudgedCase:
        """Raises EngineDied, unless it is tried ``again``."""
        root = self.new_root(case.table.root)
        run: CaseRun | None = None
        failure: CaseError | None = None
        try:
            run = self.start(case.table, root, case.steps)
            for step in case.steps:
                if run.take(step):
                    break
        except EngineUnavailable:
            raise
        except EngineDied as death:
            if not again:
                raise
            failure = died(death)
        except Exception as error:  # noqa: BLE001 - reported as a failure of the suite
            failure = failure_of([raised("Making the table", None, error)])
        finally:
            self.remove(root)
            parse_commit.cache_clear()  # no other case has these bytes
        return judged_case(case, run, failure)


def judged_case(case: Case, run: CaseRun | None, failure: CaseError | None = None) -> JudgedCase:
    """What was judged of a case so far. ``failure``: why it ended, if not by its own steps."""
    if run is None:
        return JudgedCase(case, (), {}, failure)
    return JudgedCase(
        case,
        tuple(run.records),
        run.tallies,
        failure_of(run.raised, failure),
        coverage=run.coverage,
        processors=run.processors,
        left=run.left,
    )
