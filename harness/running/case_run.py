"""Runs the steps of a case on one table, observes each, and has it judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deltalog.data.rows import lacks_its_mapping
from deltalog.entries.commits import write_commit
from engines.machine import raise_if_of_the_machine, require_machine
from engines.port import EngineDied, EngineUnavailable, Outcome
from harness.judging.failure import Raised, failure_of, raised
from harness.judging.side import Side
from harness.judging.step_judge import StepJudge, Tally
from harness.observing.record.step_record import normalise, unrecorded
from harness.observing.steps.at_once_observation import AtOnceObservation
from harness.observing.steps.crash_observation import CrashObservation
from harness.observing.steps.expected_versions import Expected
from harness.observing.steps.observation import (
    DamagedTableObservation,
    DeleteObservation,
    Observation,
    made_again,
    refusal_due,
)
from harness.observing.steps.observed import StepRun, observation_of
from harness.observing.steps.sessions import in_order, reached, sessions_of
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.definitions import switched_as_logged
from harness.observing.table.left import left_by
from harness.observing.table.log_compactions import is_ambiguous
from harness.observing.table.table_state import TableState
from harness.observing.table.vacuum_inputs import committed
from harness.running.coverage import Cell, coverage, operation_cell
from harness.running.initial_tables import InitialTable
from harness.running.verbatim_answers import answered
from harness.tables.bucket_start import start_in_bucket
from harness.tables.case_clock import CaseClock
from harness.tables.plan import plan_append, plan_strays
from harness.tables.processors import processors_for
from harness.tables.storage import write_files
from model.vocabulary.commands import KEEP_ROWS, AsWritten, CompactLog, changes_columns
from model.vocabulary.predicate import verbatim_tests
from model.vocabulary.steps import (
    ENGINE_STEPS,
    AddStrayFiles,
    Append,
    Ask,
    AtOnce,
    Delete,
    EngineStep,
    Insert,
    InvalidDelete,
    Moment,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    SetClock,
    Step,
    named_step,
)
from model.vocabulary.table import Table
from records import run as records


class CaseRun:
    """Makes the table at ``root``, drawn or of another kind; then ``take`` runs one step after another.

    ``observations`` has those of the engine's steps, ``records`` the same normalised, ``coverage`` what it covered,
    ``processors`` how many the engine may use (None: all), ``raised`` the errors of the suite. ``steps`` are those that it will
    take, as far as they are known: in a bucket, where a file is as old as its upload, the case starts so that the files that are
    old for the first VACUUM are old for it.
    """

    def __init__(self, side: Side, initial: Table | InitialTable, root: Path, steps: Sequence[Step] = ()) -> None:
        if isinstance(initial, Table):
            initial = InitialTable(initial)
        table = initial.table
        self._side = side
        self._root = root
        self._judge = StepJudge()
        engine = side.engine
        unit = engine.rules.time_unit
        start = None if side.copy is None else start_in_bucket(side.copy, engine.rules, table, root, steps)
        settable = engine.rules.own_clock and initial.sets_clock
        self._clock = CaseClock(root, settable=settable, unit=unit, start=start)
        self._aged_before: list[int] = []  # by step
        self._version_before: list[int] = []  # by step
        self._opened = 0  # the version that the latest OpenSession opened
        self._streams = False  # whether it reads the table as a stream
        self.observations: list[Observation] = []
        self.records: list[records.RecordedStep] = []
        self.coverage: Counter[Cell] = Counter()
        self.left: records.CrashSnapshot | None = None  # on storage, by the last step that was killed
        self.processors = processors_for(table) if engine.rules.draws_processors else None
        if self.processors is not None:
            engine.use_processors(self.processors)
        initial.write(root, start=self._clock.start, rules=engine.rules)
        self._upload()
        self._initial = table
        self._expected = initial.expected(start=self._clock.start, unit=unit)
        self._observer = initial.observer(root, unit=unit)
        self._state = self._observer.observe()
        self._date()

    @property
    def tallies(self) -> dict[str, Tally]:
        return self._judge.tallies

    @property
    def raised(self) -> list[Raised]:
        return self._judge.raised

    @property
    def failure(self) -> records.CaseError | None:
        """What the errors of the suite make of the case."""
        return failure_of(self.raised)

    def take(self, step: Step) -> bool:
        """Run a step, and judge it if it is one of the engine's. True ends the case: a clause is broken, or the step cannot be
        observed, which is an error of the suite. Raises EngineDied.
        """
        index = len(self._version_before)
        try:
            return self._take(index, step)
        except (EngineDied, EngineUnavailable):
            raise
        except Exception as error:  # noqa: BLE001 - reported as an error of the suite; what was judged before it stays
            raise_if_of_the_machine(error)
            self.raised.append(raised(type(step).__name__, index, error))
            return True

    def _take(self, index: int, step: Step) -> bool:
        self._version_before.append(self._state.version)
        self._aged_before.append(self._clock.tick())
        self.coverage[operation_cell(step)] += 1
        if not isinstance(step, ENGINE_STEPS):
            self._arrange(step)
            self._state = self._observer.observe()
            self._date()
            return False
        before = self._state
        answered_step = self._asked(step, before) if isinstance(step, Delete) and verbatim_tests(step.where) else step
        if answered_step is None:
            step = answered_step = Read()  # without an answer, only a read in its place can be judged
        outcome, version = self._run(step, before)  # the engine is not told what it has answered
        step = answered_step
        if isinstance(step, AtOnce):
            return self._take_at_once(index, step, outcome, version, before)
        promise = self._expected.promise(step.command, version) if isinstance(step, OtherCommand) else None
        after = before if self._leaves_all(step) else self._observer.observe(before, promise.table if promise else None)
        observation = self._observed(index, step, outcome, version, before, after, promise)
        ends = self._judged(observation)
        if isinstance(step, OtherCommand):
            # What the table should be is not known after another result, and what later steps name may not be there.
            ends = (
                ends
                or after.rows != self._expected.rows
                or lacks_its_mapping(after.snapshot)
                or (observation.refused and changes_columns(step.command))
                or (isinstance(step.command, CompactLog) and is_ambiguous(before, after))
            )
        if isinstance(step, Insert):
            ends = ends or observation.refused or after.rows != self._expected.rows  # later steps count on its rows
        if isinstance(step, OpenSession):
            ends = ends or observation.refused  # later steps have nothing to go through
        if isinstance(observation, DamagedTableObservation):
            ends = ends or after.rows != self._expected.rows  # it has left rows that it could not read
        if isinstance(observation, CrashObservation):
            self.left = left_by(index, self._root, start=self._clock.start)
        return self._keep(observation, ends)

    def _asked(self, step: Delete, before: TableState) -> Delete | None:
        """The DELETE with what the engine says of its verbatim tests; None if it says nothing that can be used."""
        outcome = self._side.engine.run(self._root, Ask(step), clock=self._clock.now, version=None)
        require_machine(outcome)
        return answered(step, outcome, before, self._expected.table)

    def _take_at_once(self, index: int, step: AtOnce, outcome: Outcome, version: int, before: TableState) -> bool:
        """Observe and judge two sessions at once, and adopt what the order of their commits makes of the table."""
        expected = self._expected
        after = self._observer.observe(before)
        new = [commit for number, commit in sorted(after.log.commits.items()) if number > before.version]
        sessions = sessions_of(step, outcome, new)
        order = in_order(step, outcome, sessions)
        promises = expected.one_after_another([one.step for one in order], version)
        reverse = expected.one_after_another([one.step for one in reversed(order)], version)
        if promises[-1].table != expected.table:
            after = self._observer.observe(before, promises[-1].table)
        refusable = {
            one.name
            for one in sessions
            for others in ([], [other.step for other in sessions if other is not one])
            if expected.one_after_another([*others, one.step], version)[-1].may_be_refused
        }
        table, now = expected.table, expected.rows
        for number in range(before.version + 1, after.version + 1):
            expected.settle(promises[reached(order, number)], self._observer.table)
            commit = after.log.commits.get(number)
            expected.commit(number, committed(commit) if commit else outcome.ended)
        expected.settle(promises[-1], self._observer.table)
        observation = AtOnceObservation(
            step=step,
            sessions=sessions,
            order=order,
            promises=promises,
            other_rows=reverse[-1].rows if len(order) > 1 else now,
            refusable=frozenset(refusable),
            version=version,
            **self._common(table, index, outcome, before, after),
        )
        ends = self._judged(observation)
        # Nothing more is known about a table with other rows, or whose files may be gone.
        return self._keep(observation, ends or after.rows != expected.rows or observation.is_unsafe)

    def _judged(self, observation: Observation) -> bool:
        """Whether the case ends because a clause is broken."""
        return self._judge.judge(observation, self._side)

    def _keep(self, observation: Observation, ends: bool) -> bool:
        """Record an observation, which has been judged; whether the case ends."""
        try:
            self.records.append(normalise(observation) if observation.before.is_read else unrecorded(observation))
            if isinstance(observation, VacuumObservation):
                self.coverage += coverage(observation)
        except Exception as error:  # noqa: BLE001 - reported as an error of the suite; the verdicts on the step stay
            self.raised.append(raised("The record", observation.index, error))
            if len(self.records) == len(self.observations):
                self.records.append(unrecorded(observation))
        self.observations.append(observation)
        self._state = observation.after
        return ends or observation.after.broken is not None

    def _leaves_all(self, step: EngineStep) -> bool:
        """Whether a step changes nothing on storage. A stream delivers to files beside the table."""
        if isinstance(step, OpenSession):
            return not step.streams
        return isinstance(step, ReadChanges) or (isinstance(step, Read) and not (step.by_earlier and self._streams))

    def _arrange(self, step: Step) -> None:
        """Run a step that changes the table or the clock without the engine."""
        start, clock = self._clock.start, self._clock.now
        self._change(step, start, clock)
        self._upload()

    def _upload(self) -> None:
        """Where the engine works in a bucket, bring there what the suite has written."""
        if self._side.copy is not None:
            self._side.copy.put(self._root.parent)

    def _date(self) -> None:
        """In a bucket, versions have the times of their commits' uploads."""
        if self._side.copy is not None:
            self._expected.date(self._state.log)

    def _change(self, step: Step, start: int, clock: int) -> None:
        if isinstance(step, SetClock):
            self._expected.shift(self._clock.set(self._instant(step.to)))
        elif isinstance(step, AddStrayFiles):
            files, directories, links = plan_strays(step.stray_files)
            write_files(files, directories, self._root, start=start, links=links)
        elif isinstance(step, Append):
            files, actions = plan_append(
                self._expected.table,
                step.files,
                self._root,
                start=start,
                at=clock - start,
                uris=self._side.engine.rules.file_uris,
            )
            write_files(files, (), self._root, start=start)
            version = self._state.version + 1
            write_commit(self._root, version, actions, modified=clock)
            self._expected.append(step.files)
            self._expected.commit(
                version, clock // self._side.engine.rules.time_unit * self._side.engine.rules.time_unit
            )

    def _instant(self, moment: Moment) -> int:
        """A moment in ms since the epoch."""
        if moment.removed_by_step is None:
            return self._clock.start + moment.offset
        stamps = [
            (remove.deletion_timestamp or 0) - self._clock.since(self._aged_before[observation.index])
            for observation in self.observations
            if isinstance(observation, DeleteObservation) and observation.index == moment.removed_by_step
            for remove in observation.removes
        ]
        return max(stamps, default=self._clock.start) + moment.offset

    def _run(self, step: EngineStep, state: TableState) -> tuple[Outcome, int]:
        version = state.version
        before_step = named_step(step)
        if before_step is not None:
            initial = before_step < 0
            version = self._initial.version_before(before_step) if initial else self._version_before[before_step]
        if isinstance(step, ReadChanges):
            # The first version that the step committed, or the current one if it committed none.
            commits = [
                commit
                for observation in self.observations
                if observation.index == step.of_step
                for commit in observation.commits
            ]
            version = commits[0].version if commits else self._version_before[step.of_step]
        asks = isinstance(step, ReadChanges) or before_step is not None
        outcome = self._side.engine.run(self._root, step, clock=self._clock.now, version=version if asks else None)
        require_machine(outcome)
        return outcome, version

    def _observed(
        self,
        index: int,
        step: EngineStep,
        outcome: Outcome,
        version: int,
        before: TableState,
        after: TableState,
        promise: Expected | None,
    ) -> Observation:
        expected, table = self._expected, self._expected.table
        due = refusal_due(table, before, step) if isinstance(step, (Delete, InvalidDelete)) else None
        if due is not None:
            due = due.at(self._side.engine.rules.release)
        may_fail = isinstance(step, Delete) and outcome.error is not None and expected.may_fail(step)
        if not (isinstance(step, Delete) and due is not None):
            self._adopt(step, outcome, before, after, promise)
        self._commit(step, outcome, before, after)
        if isinstance(step, OpenSession):
            self._opened, self._streams = before.version, step.streams
        return observation_of(
            StepRun(
                step=step,
                outcome=outcome,
                table=table,
                before=before,
                rules=self._side.engine.rules,
                version=version,
                promise=promise,
                due=due,
                may_fail=may_fail,
                opened=self._opened,
                streams=self._streams,
                common=self._common(table, index, outcome, before, after),
            )
        )

    def _adopt(
        self, step: EngineStep, outcome: Outcome, before: TableState, after: TableState, promise: Expected | None
    ) -> None:
        """Expect from now on what a step has done that succeeded, or was killed after its commit."""
        if isinstance(step, Delete) and _has_deleted(outcome, before, after):
            self._expected.delete(step)
        elif isinstance(step, Insert) and outcome.error is None:
            self._expected.insert(step)
        elif isinstance(step, OtherCommand) and promise is not None and outcome.error is None:
            if isinstance(step.command, AsWritten):
                properties = after.snapshot.metadata.configuration
                self._observer.table = switched_as_logged(self._observer.table, properties)
                if made_again(step, before, after):
                    self._expected.forget()
            self._expected.adopt(step.command, promise, self._observer.table)

    def _commit(self, step: EngineStep, outcome: Outcome, before: TableState, after: TableState) -> None:
        """Remember the versions that a step committed."""
        first = after.version if made_again(step, before, after) else before.version + 1
        for number in range(first, after.version + 1):
            if number < after.version and isinstance(step, OtherCommand) and not isinstance(step.command, KEEP_ROWS):
                continue  # nothing says what rows a version has that a command leaves behind on its way
            commit = after.log.commits.get(number)  # None: the step's own log cleanup deleted it
            self._expected.commit(number, committed(commit) if commit else outcome.ended)

    def _common(
        self, table: Table, index: int, outcome: Outcome, before: TableState, after: TableState
    ) -> dict[str, Any]:
        """The fields of every observation; ``table`` is the definition before the step."""
        return {
            "table": table,
            "root": str(self._root),
            "index": index,
            "outcome": outcome,
            "before": before,
            "after": after,
            "clock": self._clock.now,
            "start": self._clock.start,
            "versions": self._expected.so_far,
            "expected_rows": self._expected.rows,
            "clone_rows": self._expected.clone,
            "earlier": tuple(self.observations),
            "rules": self._side.engine.rules,
            "side": self._side.name,
        }


def _has_deleted(outcome: Outcome, before: TableState, after: TableState) -> bool:
    """Whether a DELETE has deleted its rows: as it answers, or if it was killed, if there is a commit in the log."""
    return outcome.error is None if outcome.effects is None else after.version > before.version
