"""The reference engine: changes a table as the model predicts, without a JVM.

It tests the judge: every clause must hold on it, and a fault added to it must be caught. Where engines may differ, it has
options (``ReferenceOptions``), which test that the judge does not demand more than is promised.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from deltalog.checkpoints.checksums import write_checksum
from deltalog.entries.actions import Add
from deltalog.errors import AlreadyWritten
from deltalog.storage.names import checksum_name
from engines.port import Answer, Outcome, now
from model.prediction.delete import ConditionScope
from model.prediction.lite import monotonized
from model.prediction.refusals import (
    APPEND_ONLY,
    MISSING_FILE,
    UNKNOWN_PROTOCOL,
    UNREADABLE_FILE,
    NamedPartition,
    Refusal,
    checks_writer,
    expected_refusal,
    expected_vacuum_refusal,
    named_partition,
)
from model.semantics.evaluate import arbitrary
from model.semantics.moments import moment
from model.vocabulary.accesses import Operation
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.readings import Reading, bounds_of, filtered_by, is_ordered
from model.vocabulary.rules import DELTA_RS, SPARK, Rules
from model.vocabulary.settings import Setting
from model.vocabulary.steps import (
    Ask,
    AtOnce,
    Delete,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    Request,
    SessionStep,
    Vacuum,
    named_step,
)
from model.vocabulary.table import Feature, Table
from model.vocabulary.values import Row
from reference_engine import commands
from reference_engine.accesses import counted, of_effects, of_the_log
from reference_engine.conflicts import refuse_conflict
from reference_engine.deletion import Deletion
from reference_engine.insertion import Insertion
from reference_engine.log_upkeep import checkpoint
from reference_engine.refusals import Refused, due, refuse_expired
from reference_engine.storage import Hold, Killed, TableStorage
from reference_engine.transaction import Transaction
from reference_engine.vacuuming import ReferenceOptions, Vacuuming
from reference_engine.view import View


class ReferenceEngine:
    """Runs steps on the table that the log describes.

    Each step takes place at one instant, a millisecond or more after everything that happened before the step and before
    the step's end. All files and tombstones that it writes have that time, so verdicts do not depend on the machine's speed.
    Files are numbered after ``first``: two engines on one table must not give two files one name.
    """

    name = "model"
    versions: Mapping[str, str] = {"delta": "4.4.0", "model": "1"}

    def __init__(
        self,
        habits: ReferenceOptions | None = None,
        *,
        rules: Rules = SPARK,
        capabilities: Capabilities = EVERYTHING,
        version: str = "4.4.0",
        first: int = 0,
    ) -> None:
        self.versions = {"delta": version, "model": "1"}
        self.rules = rules
        self.capabilities = capabilities
        self._habits = habits or ReferenceOptions()
        self._number = first
        self._stream: tuple[int, tuple[Row, ...]] | None = (
            None  # the version up to which it has come, and what it delivered
        )

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if isinstance(step, AtOnce):
            return self._at_once(root, step, clock, version)
        at = _after(now())
        storage = TableStorage(root, at, step.crash if isinstance(step, (Delete, Vacuum)) else None)
        try:
            outcome = self._run(root, step, storage, clock if self.rules.own_clock else at, version)
        except Killed:
            return Outcome((), None, at, _after(at), effects=tuple(storage.effects))
        if not self.capabilities.counts_accesses:
            return outcome
        return replace(outcome, accesses=counted([*storage.asked, *of_effects(storage.effects)]))

    def _at_once(self, root: Path, step: AtOnce, clock: int, version: int | None) -> Outcome:
        """While the first is held, the second does all its work."""
        found: list[Outcome] = []

        def versions(one: SessionStep) -> int | None:
            return None if named_step(one) is None else version

        def meanwhile() -> None:
            found.append(self.run(root, step.second, clock=clock, version=versions(step.second)))

        hold, at = Hold(step.point, meanwhile), _after(now())
        now_or_clock = clock if self.rules.own_clock else at
        first = self._run(root, step.first, TableStorage(root, at, hold=hold), now_or_clock, versions(step.first))
        if not hold.reached:
            meanwhile()
        return replace(first, second=found[0], held=hold.reached)

    def _run(self, root: Path, step: Request, storage: TableStorage, clock: int, version: int | None) -> Outcome:
        at = storage.at
        view = View(root, reads_struct_statistics=self.rules.reads_struct_statistics)
        storage.asked += of_the_log(view)
        try:
            if view.log.half_checkpoint and not self._habits.reads_commits:
                raise Refused(None, None, "SparkException")
            if view.unreadable:
                raise due(UNKNOWN_PROTOCOL[Feature.UNKNOWN_READER])
            vacuums = isinstance(step, Vacuum) and checks_writer(step, self.rules)
            writes = vacuums or isinstance(step, (Delete, OtherCommand))
            if view.unknown_features and writes:
                raise due(UNKNOWN_PROTOCOL[Feature.UNKNOWN_WRITER])
            if isinstance(step, Read):
                storage.read()
                streamed = self._stream is not None and step.by_earlier
                rows = self._delivered(view) if streamed else self._read(view, version, clock)
            elif isinstance(step, Ask):
                rows = self._asked(view, step, clock)
            elif isinstance(step, Delete):
                rows = self._delete(view, storage, step, clock)
            elif isinstance(step, InvalidDelete):
                raise due(self._delete_refusal(view, step))
            elif isinstance(step, ReadChanges):
                rows = self._changes(view, version, clock)
                if step.commits:
                    assert version is not None, "the change feed is read of a version"
                    rows = ((version, moment(monotonized(view.commit_times)[version] * 1000)),) * len(rows)
            elif isinstance(step, Insert):
                Insertion(view, storage, clock, at, self._next_number(), self.rules, rows=step.rows).run()
                rows = ()
            elif isinstance(step, InvalidVacuum):
                raise due(expected_vacuum_refusal(step.mistake).at(self.rules.release))
            elif isinstance(step, OpenSession):
                rows = ()  # of a table it keeps nothing: each step reads the log
                self._stream = (view.snapshot.version, self._read(view, None, clock)) if step.streams else None
            elif isinstance(step, OtherCommand):
                base = Transaction(view, storage, clock, at, self._next_number(), self.rules)
                commands.run(step.command, base, version, self._habits)
                rows = ()
            else:
                assert isinstance(step, Vacuum), "no other step is left"
                rows = Vacuuming(view, storage, step, clock, at, self._habits, self.rules).run()
        except AlreadyWritten:
            return self._overtaken(view, step, storage, at, clock, version)
        except Refused as refusal:
            return Outcome((), refusal.error, at, _after(at))
        finally:
            if isinstance(step, (Delete, Vacuum, Insert, OtherCommand)) and not storage.killed:
                after = View(root)
                if self.capabilities.version_checksums:
                    _write_checksums(after, storage, view.snapshot.version)
                _checkpoint(after, storage, view.snapshot.version, clock)
        cached = self._read(View(root), None, clock) if isinstance(step, Delete) and step.cached else None
        answers = (
            self._answers(view.table, rows)
            if isinstance(step, Read) and version is None and not step.by_earlier
            else {}
        )
        return Outcome(rows, None, at, _after(at), cached, answers)

    def _answers(self, table: Table, rows: tuple[Row, ...]) -> dict[str, Answer]:
        """Each reading once, by the rows; all of these again only where the engine reads them in two ways."""
        ordered = [place for place, column in enumerate(table.columns) if is_ordered(column.type)]
        names = tuple(table.columns[place].name for place in ordered)
        found = {
            "count": Answer(Reading.COUNT, ((len(rows),),)),
            "count by statistics": Answer(Reading.COUNTED, ((len(rows),),)),
            "bounds": Answer(Reading.BOUNDS, (bounds_of(rows, ordered),), columns=names),
            "one row": Answer(Reading.ONE, rows[:1]),
        }
        if self.rules.implementation == DELTA_RS.implementation:
            found["all rows"] = Answer(Reading.ROWS, rows)
            found["rows of conditions"] = Answer(Reading.FILTERED, (filtered_by(rows, ordered),), columns=names)
        return found

    def _overtaken(
        self, view: View, step: Request, storage: TableStorage, at: int, clock: int, version: int | None
    ) -> Outcome:
        """Another session has committed what the step was to commit: it is refused, or runs again on what is there now."""
        try:
            refuse_conflict(step, view, self.rules)
        except Refused as refusal:
            return Outcome((), refusal.error, at, _after(at))
        storage.discard()
        return replace(self._run(view.root, step, TableStorage(view.root, _after(now())), clock, version), started=at)

    def _next_number(self) -> int:
        """Makes the names of the files of one command unique."""
        self._number += 1
        return self._number

    def use_processors(self, number: int) -> None:
        """It uses one."""

    def close(self) -> None:
        """Nothing to do."""

    # Read -----------------------------------------------------------------------------------------------------------

    def _read(self, view: View, version: int | None, clock: int) -> tuple[Row, ...]:
        wanted = view.snapshot.version if version is None else version
        refuse_expired(view, wanted, clock, self.rules)
        then = view if wanted == view.snapshot.version else View(view.root, version=wanted)
        self._refuse_missing(then, then.live.values())
        return tuple(row for add in then.live.values() for row in then.visible(add))

    def _asked(self, view: View, step: Ask, clock: int) -> tuple[Row, ...]:
        """The rows, each with what the DELETE's verbatim tests say of it: nobody evaluates them, so anything will do."""
        tests, names = step.tests, [column.name for column in view.table.columns]
        rows = self._read(view, None, clock)
        return tuple((*row, *(arbitrary(test, dict(zip(names, row))) for test in tests)) for row in rows)

    def _delivered(self, view: View) -> tuple[Row, ...]:
        """All that the stream has delivered, and what was appended since: the adds of commits that remove no rows."""
        assert self._stream is not None, "a session reads the table as a stream"
        done, rows = self._stream
        for version in range(done + 1, view.snapshot.version + 1):
            commit = view.log.commits.get(version)
            if commit is None:
                raise due(MISSING_FILE.at(self.rules.release))
            if not any(remove.data_change for remove in commit.removes):
                then = View(view.root, version=version)
                adds = [add for add in commit.adds if add.data_change]
                self._refuse_missing(then, adds)
                rows += tuple(row for add in adds for row in then.visible(add))
        self._stream = view.snapshot.version, rows
        return rows

    def _refuse_missing(self, view: View, adds: Iterable[Add]) -> None:
        """Raise Refused if a data file or the file of a deletion vector is gone."""
        if view.lacks(adds):
            raise due(MISSING_FILE.at(self.rules.release))

    # DELETE ---------------------------------------------------------------------------------------------------------

    def _delete(self, view: View, storage: TableStorage, step: Delete, clock: int) -> tuple[Row, ...]:
        if view.table.has(Feature.APPEND_ONLY):
            raise due(APPEND_ONLY)
        damaged = view.damaged_for(step.where)
        if damaged and _IGNORED.isdisjoint(step.settings):
            raise due(UNREADABLE_FILE.at(self.rules.release))
        view.passed_over = damaged
        number, one_file = self._next_number(), self._habits.one_file
        deletion = Deletion(view, storage, clock, storage.at, number, self.rules, step=step, one_file=one_file)
        if deletion.predicted.scope is ConditionScope.ROWS:
            storage.ask(Operation.OPEN, sorted(deletion.predicted.touched))
        deletion.run()
        return deletion.answer()

    def _delete_refusal(self, view: View, step: InvalidDelete) -> Refusal:
        first = view.table.partition_columns[:1]
        values = (view.partition(add)[0] for add in view.live.values()) if first else ()
        named = named_partition(values, first[0]) if first else NamedPartition.NONE
        append_only = view.table.has(Feature.APPEND_ONLY)
        return expected_refusal(step.mistake, append_only=append_only, partition=named).at(self.rules.release)

    def _changes(self, view: View, version: int | None, clock: int) -> tuple[Row, ...]:
        assert version is not None
        refuse_expired(view, version, clock, self.rules)
        for one in range(max(version - 1, 0), version + 1):
            self._refuse_missing(view, view.log.snapshot(one).adds.values())
        before = _rows_of(view, version - 1) if version else Counter[Row]()
        after = _rows_of(view, version)
        deleted, added = (before - after).elements(), (after - before).elements()
        return (*((*row, "delete") for row in deleted), *((*row, "insert") for row in added))


def _after(instant: int) -> int:
    """Wait until the clock is past ``instant``, and return its time (ms since the epoch)."""
    while (present := now()) <= instant:
        time.sleep(0.0001)
    return present


def _rows_of(view: View, version: int) -> Counter[Row]:
    then = View(view.root, version=version)
    return Counter(row for add in then.live.values() for row in then.visible(add))


#: With one of these a DELETE leaves the files that it cannot read, with all their rows.
_IGNORED = frozenset({Setting.IGNORE_CORRUPT_FILES, Setting.IGNORE_MISSING_FILES})

#: A checksum lists the files of a table that has no more than these (as Delta's, allFilesInCrc.thresholdNumFiles).
_MOST_LISTED = 50


def _write_checksums(view: View, storage: TableStorage, before: int) -> None:
    """Write the checksums of the versions that a step committed."""
    for commit in view.log.commits_after(before):
        info = commit.info.fields if commit.info else {}
        stamp, txn_id = info.get("inCommitTimestamp"), info.get("txnId")
        if checksum_name(commit.version) in view.log.others:
            continue  # another session has written it
        snapshot = view.log.snapshot(commit.version)
        write = partial(
            write_checksum,
            view.root,
            snapshot,
            in_commit_timestamp=stamp if isinstance(stamp, int) else None,
            txn_id=txn_id if isinstance(txn_id, str) else None,
            complete=len(snapshot.adds) <= _MOST_LISTED,
            modified=storage.at,
        )
        storage.checksum(write)


def _checkpoint(view: View, storage: TableStorage, before: int, clock: int) -> None:
    """Write the checkpoints that became due in a step."""
    interval = int(view.metadata.configuration.get("delta.checkpointInterval") or 0)
    for version in range(before + 1, view.snapshot.version + 1) if interval else ():
        if version % interval == 0:
            checkpoint(view, storage, version, clock)
