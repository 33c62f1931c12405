"""Runs a case on an engine and judges every step by every clause that applies to it."""

from __future__ import annotations

import dataclasses
import shutil
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deltalog.shift_timestamps import shift_timestamps
from engines.port import Engine, EngineDied, Outcome, now
from model.case import Case
from model.delete import matches, may_fail
from model.history import live_ids, hidden_rows, visible_rows
from model.refusals import expected_vacuum_refusal
from model.steps import (
    ENGINE_STEPS,
    Append,
    InvalidDelete,
    InvalidVacuum,
    Delete,
    EngineStep,
    AddStrayFiles,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
)
from model.table import Table
from harness import evidence
from harness.conditions import Excuses, KnownDeviation
from harness.clause import Clause, Judgement, Violation
from harness.materialise import plan_append, plan_strays, plan_table, write_actions, write_files, write_table
from harness.normalise import normalise
from harness.observation import (
    ChangesObservation,
    DeleteObservation,
    ExpectedVersion,
    ReadObservation,
    RefusalObservation,
    Rows,
    Observation,
    TableState,
    refusal_due,
)
from harness.observer import Observer
from harness.coverage import Cell, coverage
from harness.vacuum_inputs import committed
from harness.vacuum_observation import VacuumRefusalObservation, VacuumObservation


@dataclass
class Tally:
    """What one clause said over the steps of a case."""

    met: int = 0  # steps
    subjects: int = 0
    seconds: float = 0.0  # of the engine, in those steps
    violations: list[tuple[int, Violation]] = field(default_factory=list)  # with the step's index
    excused: int = 0  # violations that are known deviations

    def add(self, observation: Observation, judgement: Judgement, *, excused: bool = False) -> None:
        self.met += judgement.subjects > 0
        self.subjects += judgement.subjects
        self.seconds += observation.outcome.seconds if judgement.subjects else 0.0
        self.excused += len(judgement.violations) if excused else 0
        for violation in judgement.violations:
            at = observation.index if violation.step is None else violation.step
            told = violation.evidence or evidence.of_actions(observation, violation.subject)
            self.violations.append((at, dataclasses.replace(violation, evidence=told)))


@dataclass(frozen=True)
class Failure:
    """Why a case could not be judged: the engine died twice at it, or our own code failed."""

    kind: str  # "engine-died" or "harness"
    message: str
    log: str = ""


@dataclass(frozen=True)
class JudgedCase:
    case: Case
    steps: tuple[dict[str, Any], ...]  # normalised observations of the engine's steps
    tallies: dict[str, Tally]
    failure: Failure | None = None
    coverage: Counter[Cell] = field(default_factory=Counter)  # what its VACUUMs covered

    @property
    def violated(self) -> list[str]:
        """The ids of the clauses that the case breaks, in the catalogue's order."""
        return [id for id, tally in self.tallies.items() if tally.violations]

    @property
    def failed(self) -> list[str]:
        """Those that it breaks otherwise than is known of the engine."""
        return [id for id in self.violated if self.tallies[id].excused < len(self.tallies[id].violations)]


class Judge:
    """Judges cases on one engine. Tables are made below ``directory``, which is the judge's own."""

    def __init__(
        self, engine: Engine, clauses: Sequence[Clause[Any]], directory: Path, listed: Iterable[KnownDeviation | str] = ()
    ) -> None:
        self._engine = engine
        self._clauses = clauses
        self._directory = directory
        self._excuses = Excuses(listed)
        self._made = 0

    def new_root(self) -> Path:
        """Where the next table goes. The directory that it lies in is the case's, with all that lies beside the table."""
        self._made += 1
        return self._directory / f"case-{self._made}" / "table"

    def trial(self, table: Table, root: Path) -> Trial:
        """Make the table at ``root``, ready for steps."""
        return Trial(self._engine, table, root, self._clauses, self._excuses)

    def judge(self, case: Case) -> JudgedCase:
        """Run and judge. An engine that dies gets a second chance on a fresh table: another worker's step may have been it."""
        for chance in (1, 2):
            root = self.new_root()
            try:
                trial = self.trial(case.table, root)
                for step in case.steps:
                    if trial.take(step):
                        break
                return JudgedCase(case, tuple(trial.records), trial.tallies, coverage=trial.coverage)
            except EngineDied as death:
                if chance == 2:
                    return JudgedCase(case, (), {}, Failure("engine-died", str(death).partition("\n")[0], str(death)))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is ours, and the report says so
                return JudgedCase(
                    case, (), {}, Failure("harness", f"{type(error).__name__}: {error}", traceback.format_exc())
                )
            finally:
                shutil.rmtree(root.parent, ignore_errors=True)
        raise AssertionError("unreachable")


class Trial:
    """One case under way, on one table: takes a step, judges it, and keeps what was seen."""

    def __init__(
        self, engine: Engine, table: Table, root: Path, clauses: Sequence[Clause[Any]], excuses: Excuses
    ) -> None:
        self._engine = engine
        self._table = table
        self._root = root
        self._clauses = clauses
        self._excuses = excuses
        self._start = now()
        self._clock = self._start
        self._aged = 0  # ms that the table was made older by, where the engine's clock cannot be set
        self._aged_before: list[int] = []  # by step
        self._rows: Rows = Counter()
        self._versions: dict[int, ExpectedVersion] = {}
        self._observations: list[Observation] = []
        self._version_before: list[int] = []  # by step
        self.tallies: dict[str, Tally] = {}
        self.records: list[dict[str, Any]] = []  # normalised observations of the engine's steps
        self.coverage: Counter[Cell] = Counter()
        write_table(plan_table(table), root, start=self._start)
        self._promise_history(table)
        self._observer = Observer(table, root)
        self._state = self._observer.observe()

    def take(self, step: Step) -> bool:
        """Do a step, and judge it where the engine runs it. Whether the case ends here: a clause is broken.

        Raises EngineDied.
        """
        index = len(self._version_before)
        self._version_before.append(self._state.version)
        self._aged_before.append(self._aged)
        if not self._engine.rules.own_clock:
            self._clock = now()
        if not isinstance(step, ENGINE_STEPS):
            self._arrange(step, self._state)
            self._state = self._observer.observe()
            return False
        before = self._state
        outcome, version = self._run(step, before)
        after = before if isinstance(step, (Read, ReadChanges)) else self._observer.observe(before)
        observation = self._observed(index, step, outcome, version, before, after)
        broken = self._judge(observation)
        self.records.append(normalise(observation))
        if isinstance(observation, VacuumObservation):
            self.coverage += coverage(observation)
        self._observations.append(observation)
        self._state = after
        return broken or after.broken is not None

    def _promise_history(self, table: Table) -> None:
        files = {file.id: file for file in table.files}
        for version, commit in enumerate(table.commits):
            hidden = hidden_rows(table, version)
            rows = Counter(
                table.row(files[id].partition, row)
                for id in live_ids(table, version)
                for row in visible_rows(files[id], hidden.get(id, frozenset()))
            )
            if version >= table.pruned:  # no engine can read what the log has lost
                self._versions[version] = ExpectedVersion(rows, self._start + commit.at)
            self._rows = rows

    def _arrange(self, step: Step, state: TableState) -> None:
        """What is done to the table, or to the clock, around the engine."""
        table = self._table
        if isinstance(step, SetClock):
            self._set_clock(self._instant(step.to))
        elif isinstance(step, AddStrayFiles):
            files, directories, links = plan_strays(step.stray_files)
            write_files(files, directories, self._root, start=self._start, links=links)
        elif isinstance(step, Append):
            offset = self._clock - self._start
            files, actions = plan_append(table, step.files, at=offset)
            write_files(files, (), self._root, start=self._start)
            version = state.version + 1
            write_actions(version, actions, self._root, start=self._start, modified=offset)
            self._rows = self._rows + Counter(
                table.row(file.partition, row) for file in step.files for row in file.rows
            )
            self._versions[version] = ExpectedVersion(self._rows, self._clock)

    def _set_clock(self, to: int) -> None:
        """Put the engine's clock to an instant; or, where it has none, make the table such that the instant is now."""
        if self._engine.rules.own_clock:
            self._clock = to
            return
        by = to - self._clock
        shift_timestamps(self._root, by=by)
        self._aged += by
        self._start -= by
        self._versions = {
            version: dataclasses.replace(promised, committed=promised.committed - by)
            for version, promised in self._versions.items()
        }

    def _instant(self, moment: Moment) -> int:
        """When a moment is, ms since the epoch."""
        if moment.removed_by_step is None:
            return self._start + moment.offset
        stamps = [
            (remove.deletion_timestamp or 0) - (self._aged - self._aged_before[observation.index])
            for observation in self._observations
            if isinstance(observation, DeleteObservation) and observation.index == moment.removed_by_step
            for remove in observation.removes
        ]
        return max(stamps, default=self._start) + moment.offset

    def _run(self, step: EngineStep, state: TableState) -> tuple[Outcome, int]:
        version = state.version
        if isinstance(step, Read) and step.before_step is not None:
            version = self._version_before[step.before_step]
        if isinstance(step, ReadChanges):
            # The first version that the step committed; where it committed none, the one that it found.
            commits = [commit for observation in self._observations if observation.index == step.of_step for commit in observation.commits]
            version = commits[0].version if commits else self._version_before[step.of_step]
        asks = isinstance(step, ReadChanges) or (isinstance(step, Read) and step.before_step is not None)
        return self._engine.run(self._root, step, clock=self._clock, version=version if asks else None), version

    def _observed(
        self, index: int, step: EngineStep, outcome: Outcome, version: int, before: TableState, after: TableState
    ) -> Observation:
        due = refusal_due(self._table, before, step) if isinstance(step, (Delete, InvalidDelete)) else None
        if due is not None:
            due = due.at(self._engine.rules.release)
        fails = isinstance(step, Delete) and outcome.error is not None and self._may_fail(step)
        if isinstance(step, Delete) and outcome.error is None and due is None:
            self._rows = self._without_matching(self._rows, step)
        for number in range(before.version + 1, after.version + 1):
            commit = after.log.commits.get(number)  # none where the checkpoint of the step cleaned the log up at once
            self._versions[number] = ExpectedVersion(self._rows, committed(commit) if commit else outcome.ended)
        common: dict[str, Any] = {
            "table": self._table,
            "root": str(self._root),
            "index": index,
            "outcome": outcome,
            "before": before,
            "after": after,
            "clock": self._clock,
            "start": self._start,
            "versions": dict(self._versions),
            "promised_rows": self._rows,
            "earlier": tuple(self._observations),
            "rules": self._engine.rules,
        }
        if isinstance(step, InvalidDelete) or (isinstance(step, Delete) and (due or fails)):
            return RefusalObservation(step=step, due=due, **common)
        if isinstance(step, Delete):
            return DeleteObservation(step=step, **common)
        if isinstance(step, ReadChanges):
            return ChangesObservation(step=step, version=version, **common)
        if isinstance(step, InvalidVacuum):
            answer = expected_vacuum_refusal(step.mistake).at(self._engine.rules.release)
            return VacuumRefusalObservation(step=step, due=answer, **common)
        if isinstance(step, Vacuum):
            vacuum = VacuumObservation(step=step, **common)
            must = vacuum.due
            return vacuum if must is None else VacuumRefusalObservation(step=step, due=must, **common)
        return ReadObservation(step=step, version=version, **common)

    def _judge(self, observation: Observation) -> bool:
        """Judge one step; whether the case ends here.

        A clause that is known to be broken everywhere does not end it, or nothing else would ever be judged.
        """
        broken = False
        for clause in self._clauses:
            if not isinstance(observation, clause.of) or (observation.after.broken and not clause.of_broken):
                continue
            judgement = clause.judge(observation)
            if judgement.subjects or judgement.violations:
                excused = bool(judgement.violations) and self._excuses.excuse(clause.id, observation)
                self.tallies.setdefault(clause.id, Tally()).add(observation, judgement, excused=excused)
            broken = broken or bool(judgement.violations and not self._excuses.everywhere(clause.id))
        return broken

    def _may_fail(self, step: Delete) -> bool:
        """Whether the condition is an error for some row of the table, or for some partition."""
        nulls = (None,) * len(self._table.data_columns)  # an empty file stands for a row of its partition
        files = self._table.files
        rows = [*self._rows, *(self._table.row(file.partition, row) for file in files for row in (*file.rows, nulls))]
        return may_fail(step, self._table, rows)

    def _without_matching(self, rows: Rows, step: Delete) -> Rows:
        """The rows that a DELETE leaves: all for which its condition is FALSE or NULL, or an error that was not met."""
        return Counter({row: count for row, count in rows.items() if matches(step, self._table, row) is not True})
