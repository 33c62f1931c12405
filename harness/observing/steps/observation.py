"""Observations of steps: the table before and after, the engine's answer, and what the model predicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from deltalog.entries.actions import Add, Cdc, CommitInfo, Remove
from deltalog.entries.commits import LoggedCommit
from deltalog.storage.listing import Entry, EntryKind
from engines.port import Access, Answer, Outcome
from harness.observing.steps.accesses import by_kind
from harness.observing.table.table_state import Rows, TableState, differing
from harness.observing.table.vacuum_inputs import commit_times, vector_path
from harness.observing.table.version_rows import VersionRows
from model.prediction.delete import (
    ConditionScope,
    DeletePrediction,
    LiveFile,
    is_constant,
    matches,
    predict_delete,
    scope_of,
)
from model.prediction.lite import monotonized
from model.prediction.refusals import APPEND_ONLY, NamedPartition, Refusal, expected_refusal, named_partition
from model.text.durations import duration
from model.text.layout import file_path, partition_value, physical_name
from model.vocabulary.accesses import Operation, PathKind
from model.vocabulary.commands import AsWritten
from model.vocabulary.readings import Reading
from model.vocabulary.rules import Rules
from model.vocabulary.spellings import link_of
from model.vocabulary.steps import (
    Delete,
    EngineStep,
    Insert,
    InvalidDelete,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    Vacuum,
)
from model.vocabulary.table import Feature, Table
from model.vocabulary.values import Row


@dataclass(frozen=True)
class ExpectedVersion:
    """A version as the case predicts it: its rows, and when it was committed (ms since the epoch)."""

    by_case: VersionRows
    committed: int
    table: Table  # its definition
    as_now: VersionRows | None  # its rows as the columns of the newest version read them; None: that cannot be told

    @property
    def rows(self) -> Rows:
        return self.by_case.all


@dataclass(frozen=True)
class Observation:
    """A step of the engine. ``earlier`` are the observations of the engine's steps before it in the same case."""

    table: Table
    root: str  # the table's path
    index: int
    step: EngineStep
    outcome: Outcome
    before: TableState
    after: TableState
    clock: int  # the engine's, ms since the epoch
    start: int  # of the case, ms since the epoch
    versions: Mapping[int, ExpectedVersion]  # all versions so far, with this step's
    expected_rows: Rows  # of the current version after the step, as the case predicts them
    clone_rows: Rows | None  # of the table's shallow clone, likewise; None if it has none
    earlier: tuple[Observation, ...]
    rules: Rules  # of the engine
    side: str = field(default="", kw_only=True)  # which engine ran it, where two work on the table

    @cached_property
    def commits(self) -> tuple[LoggedCommit, ...]:
        """The commits of the step, in order."""
        return tuple(
            commit for version, commit in sorted(self.after.log.commits.items()) if version > self.before.version
        )

    @cached_property
    def adds(self) -> tuple[Add, ...]:
        return tuple(add for commit in self.commits for add in commit.adds)

    @cached_property
    def written(self) -> tuple[Add, ...]:
        """The adds of files that were not live before: of a DELETE, those that it rewrote."""
        return tuple(add for add in self.adds if add.file not in self.before.live)

    @cached_property
    def hidden_rows(self) -> tuple[Add, ...]:
        """The adds of files that were live before: they have a new deletion vector."""
        return tuple(add for add in self.adds if add.file in self.before.live)

    @cached_property
    def change_files(self) -> tuple[Cdc, ...]:
        return tuple(cdc for commit in self.commits for cdc in commit.cdcs)

    @cached_property
    def removes(self) -> tuple[Remove, ...]:
        return tuple(remove for commit in self.commits for remove in commit.removes)

    @cached_property
    def added(self) -> frozenset[str]:
        """The paths in the adds."""
        return frozenset(add.file for add in self.adds)

    @cached_property
    def removed(self) -> frozenset[str]:
        """The paths in the removes."""
        return frozenset(remove.file for remove in self.removes)

    @cached_property
    def info(self) -> CommitInfo | None:
        return next((commit.info for commit in self.commits if commit.info), None)

    @cached_property
    def cleaned_up(self) -> frozenset[int]:
        """Versions that the step committed and its own log cleanup deleted: a later checkpoint replaces them.

        Source: PROTOCOL.md, "Metadata Cleanup". It happens if the clock is far later than the commits' times.
        """
        newest = max((checkpoint.version for checkpoint in self.after.log.checkpoints), default=-1)
        return frozenset(set(range(self.before.version + 1, newest)) - set(self.after.log.commits))

    @cached_property
    def missing_rows(self) -> Rows:
        """The rows that the table should have after the step, and has not."""
        return self.expected_rows - (self.after.rows or Counter())

    @cached_property
    def unexpected_rows(self) -> Rows:
        """The rows that the table has after the step, and should not have."""
        return (self.after.rows or Counter()) - self.expected_rows

    @property
    def has_its_rows(self) -> bool:
        """Whether the table has the expected rows after the step."""
        return self.after.rows is not None and not self.missing_rows and not self.unexpected_rows

    @cached_property
    def changed_beside(self) -> list[str]:
        """The paths beside the root that changed: files, links and directories, sorted."""
        changed = differing(self.before.beside, self.after.beside)
        return sorted(self._on_storage(changed, {**self.before.beside, **self.after.beside}))

    @cached_property
    def appeared(self) -> frozenset[str]:
        """New paths outside the log."""
        return self._on_storage(self.after.data.keys() - self.before.data.keys(), self.after.data)

    @cached_property
    def vanished(self) -> frozenset[str]:
        """Deleted paths outside the log."""
        return self._on_storage(self.before.data.keys() - self.after.data.keys(), self.before.data)

    def _on_storage(self, paths: Iterable[str], entries: Mapping[str, Entry]) -> frozenset[str]:
        """The paths, without directories where the storage has none: there they come and go with their files."""
        has_all = self.rules.directories
        return frozenset(path for path in paths if has_all or entries[path].kind is not EntryKind.DIRECTORY)

    @cached_property
    def previous(self) -> Observation | None:
        """The engine's step right before this one, reads aside; None if a step changed the table or the clock since, or another
        engine ran it.
        """
        index = self.index
        for observation in reversed(self.earlier):
            if observation.index != index - 1 or observation.side != self.side:
                return None
            if not isinstance(observation, ReadObservation):
                return observation
            index = observation.index
        return None

    @cached_property
    def with_vectors(self) -> Mapping[str, list[Add | Remove]]:
        """The live adds and the tombstones before the step, by the file of their deletion vector."""
        found: dict[str, list[Add | Remove]] = {}
        actions: list[Add | Remove] = [*self.before.snapshot.adds.values(), *self.before.snapshot.removes.values()]
        for action in actions:
            path = None if action.deletion_vector is None else vector_path(action, self.before.root)
            if path is not None:
                found.setdefault(path, []).append(action)
        return found

    @cached_property
    def live_files(self) -> tuple[LiveFile, ...]:
        """The live files before the step, for the model. An unreadable one has no rows here."""

        def live_file(path: str, add: Add) -> LiveFile:
            rows, hidden = self.before.contents[path], self.before.hidden(add)
            return LiveFile(
                path,
                partition_of(self.table, add),
                () if rows is None else rows,
                frozenset() if hidden is None else hidden,
                counted=self.counts(add),
            )

        return tuple(live_file(path, add) for path, add in sorted(self.before.live.items()))

    def counts(self, add: Add) -> bool:
        """Whether the engine knows how many rows the file of an add has, before the step: by its statistics, if it reads them."""
        unread = self.table.has(Feature.STRUCT_STATISTICS) and not self.rules.reads_struct_statistics
        return '"numRecords"' in (add.stats or "") and not (unread and self.before.log.is_checkpointed(add))

    @cached_property
    def asked(self) -> Mapping[tuple[Operation, PathKind], list[Access]] | None:
        """What the step asked of storage; None: it was not counted."""
        if self.outcome.accesses is None:
            return None
        listings = (self.before.listing, self.after.listing)
        directories = {path for one in listings for path, entry in one.items() if entry.kind is EntryKind.DIRECTORY}
        return by_kind(self.outcome.accesses, directories)

    @property
    def refused(self) -> bool:
        return self.outcome.error is not None

    def instant(self, ms: int) -> str:
        """An instant as text, relative to the start of the case."""
        return f"start {'+' if ms >= self.start else '-'} {duration(abs(ms - self.start))}"


@dataclass(frozen=True)
class DeleteObservation(Observation):
    step: Delete

    @cached_property
    def prediction(self) -> DeletePrediction:
        by_rows = self._predicted(whole_files=False)
        if by_rows.scope is ConditionScope.ROWS and self._may_be_folded:
            whole = self._predicted(whole_files=True)
            # Files without rows are removed by a condition on partitions only.
            told_apart = whole.removed_paths - by_rows.touched
            if not told_apart or told_apart & self.removed:
                return whole
        return by_rows

    def _predicted(self, *, whole_files: bool) -> DeletePrediction:
        return predict_delete(
            self.live_files,
            self.step,
            self.table,
            whole_files=whole_files,
            writes_vectors=self.rules.writes_vectors,
            keeps_emptied_files=self.rules.keeps_emptied_files,
        )

    @property
    def _may_be_folded(self) -> bool:
        """Whether the engine may have treated the condition as one on partitions: an optimizer may see that it is the same
        for all rows.

        The case says whether it may; that it did shows in what it did not do: it wrote no file, and counted no rows. With
        deletion vectors a DELETE counts no bytes of the files that it removes, unless it was one on partitions.
        """
        if self.step.where is None or not self.commits or not self.is_constant:
            return False
        metrics = self.info.fields.get("operationMetrics") if self.info else None
        counts = isinstance(metrics, Mapping) and "numDeletedRows" in metrics
        counted = all(file.counted for file in self.live_files)
        by_vectors = (
            isinstance(metrics, Mapping)
            and metrics.get("numRemovedBytes") == "0"
            and any(one.size for one in self.removes)
        )
        return not (self.adds or self.change_files or self.appeared or (counts and not counted) or by_vectors)

    @cached_property
    def is_constant(self) -> bool:
        """Whether the condition is TRUE for all rows that a file can have, or for none, as far as the table's values show."""
        return self.step.where is not None and is_constant(self.live_files, self.step, self.table)


@dataclass(frozen=True)
class RefusalObservation(Observation):
    """A DELETE that must be refused, or was refused and may be: its condition is an error for some row, or it would write a
    NULL that the schema does not allow."""

    step: Delete | InvalidDelete
    due: Refusal | None  # None: a refusal that may be, with the engine's own words
    writes_null: bool = False  # whether it may be refused for the NULL alone

    @property
    def append_only(self) -> bool:
        return isinstance(self.step, Delete) and self.due is not None


@dataclass(frozen=True)
class DamagedTableObservation(Observation):
    """A DELETE whose condition is on rows, of a table with live files that nobody can read whole. It may be refused; where
    it is not, it may leave the rows that it could not read."""

    step: Delete

    @cached_property
    def damaged(self) -> tuple[LiveFile, ...]:
        """The live files before the step that cannot be read whole, with their rows."""
        return tuple(file for file in self.live_files if file.path in damaged_paths(self.table))

    @cached_property
    def undecided_rows(self) -> Rows:
        """The rows of these files that match, and perhaps cannot be read."""
        rows = (row for file in self.damaged for row in file.visible)
        return Counter(row for row in rows if matches(self.step, self.table, row) is True)

    @cached_property
    def unread_rows(self) -> dict[str, Rows]:
        """By path of such a file, the visible rows that nobody can read: those of its last row group, if the others are whole."""
        readable = {file_path(self.table, file): len(file.readable_rows) for file in self.table.files if file.damage}
        return {
            file.path: Counter(
                row
                for index, row in enumerate(file.rows)
                if index >= readable.get(file.path, 0) and index not in file.hidden
            )
            for file in self.damaged
        }


def damaged_paths(table: Table) -> frozenset[str]:
    """The paths of the files that nobody can read whole, from the root."""
    return frozenset(file_path(table, file) for file in table.damaged_files)


def decides_beside_damage(table: Table, state: TableState, step: EngineStep) -> bool:
    """Whether a step is a DELETE that must read rows, and a live file before it cannot be read whole."""
    by_rows = isinstance(step, Delete) and scope_of(step.where, table.partition_by) is ConditionScope.ROWS
    return by_rows and not damaged_paths(table).isdisjoint(state.live)


@dataclass(frozen=True)
class UnreadTableObservation(Observation):
    """A command that was refused in a table whose newest checkpoint was written by half: the commits that it replaces are all
    there, so that an engine may read the table, but none has promised to (PROTOCOL.md, "Checkpoints")."""


def refusal_due(table: Table, state: TableState, step: Delete | InvalidDelete) -> Refusal | None:
    """The refusal that the step must end in, if any."""
    append_only = table.has(Feature.APPEND_ONLY)
    if isinstance(step, InvalidDelete):
        values = [partition_of(table, add) for add in state.live.values()]
        first = table.partition_columns[:1]
        named = named_partition((value[0] for value in values), first[0]) if first else NamedPartition.NONE
        return expected_refusal(step.mistake, append_only=append_only, partition=named)
    return APPEND_ONLY if append_only else None


@dataclass(frozen=True)
class ChangesObservation(Observation):
    """A read of the change data feed."""

    step: ReadChanges
    version: int = -1  # the one whose changes were read

    @cached_property
    def of(self) -> DeleteObservation | None:
        """The DELETE that committed the version; None where it committed nothing."""
        found = next((observation for observation in self.earlier if observation.index == self.step.of_step), None)
        return found if isinstance(found, DeleteObservation) and found.commits else None

    @property
    def vacuumed(self) -> bool:
        """Whether a VACUUM ran since the step whose changes are read."""
        later = (observation for observation in self.earlier if observation.index > self.step.of_step)
        return any(isinstance(observation.step, Vacuum) and not observation.step.dry_run for observation in later)

    @cached_property
    def commit_time(self) -> int:
        """When the version was committed, ms since the epoch, later than the version before (docs/delta.md 1.3)."""
        return monotonized(commit_times(self.before))[self.version]


@dataclass(frozen=True)
class OpenObservation(Observation):
    """A session opens the table. It is judged where it reads the table as a stream."""

    step: OpenSession


@dataclass(frozen=True)
class ConflictObservation(Observation):
    """A command of a session that opened the table earlier was refused: it may be, if others have committed since."""

    step: Delete | Vacuum
    opened: int  # the version that the session opened


@dataclass(frozen=True)
class EarlierReadObservation(Observation):
    """What a query returns that a session made when it opened the table, or what its stream has delivered."""

    step: Read
    opened: int  # the version that the session opened
    streams: bool  # whether it reads the table as a stream


@dataclass(frozen=True)
class InsertObservation(Observation):
    """An append by the engine: the files that it wrote are part of the table from then on."""

    step: Insert


@dataclass(frozen=True)
class CommandObservation(Observation):
    """A command other than DELETE and VACUUM. ``table`` is the definition before it."""

    step: OtherCommand
    promised: Rows  # of the current version afterwards, if it succeeds
    defined: Table  # the definition afterwards, if it succeeds
    may_be_refused: bool  # for an error in its condition, or as nobody can read the version to restore
    version: int  # to which a RESTORE goes back; else the current one

    @property
    def makes_again(self) -> bool:
        """Whether what is ``AsWritten`` has made another table in the same place: its versions and files are others."""
        return made_again(self.step, self.before, self.after)


def made_again(step: EngineStep, before: TableState, after: TableState) -> bool:
    written = isinstance(step, OtherCommand) and isinstance(step.command, AsWritten)
    return written and after.broken is None and before.snapshot.metadata.id != after.snapshot.metadata.id


@dataclass(frozen=True)
class ReadObservation(Observation):
    step: Read
    version: int = -1  # the one that was read

    @property
    def expected_version(self) -> ExpectedVersion:
        return self.versions[self.version]

    @property
    def is_current(self) -> bool:
        return self.version == self.before.version

    @property
    def inside_retention(self) -> bool:
        """Whether the version may be read: since Delta 4.1, none older than the retention (docs/delta.md 1.7)."""
        return self.is_current or self.expected_version.committed >= self.clock - self.table.retention

    @property
    def after_step(self) -> Observation | None:
        """The engine's latest step before the read that is no such read itself; None if there is none."""
        return next((one for one in reversed(self.earlier) if not isinstance(one, ReadObservation)), None)

    def last(self, kind: type[Observation]) -> Observation | None:
        """The latest step of this kind before the read."""
        return next((observation for observation in reversed(self.earlier) if isinstance(observation, kind)), None)

    @cached_property
    def rows(self) -> Rows:
        return Counter(self.outcome.rows)

    def answers(self, reading: Reading) -> Iterator[tuple[str, Answer]]:
        """What the engine answered to such a reading, by how it was asked; nothing where the read itself failed."""
        for way, answer in self.outcome.answers.items() if not self.refused else ():
            if answer.reading is reading:
                yield way, answer


def partition_of(table: Table, action: Add | Remove | Cdc) -> Row:
    """An action's partition values, in the order of the table's partition columns. Raises ValueError."""
    values = action.partition_values or {}
    return tuple(
        partition_value(values.get(physical_name(table, column.name)), column.type)
        for column in table.partition_columns
    )


def relative(path: str, root: str) -> str:
    """A path as the engine prints it, relative to the table's root; unchanged if it is not below it.

    The root may also be the link by which a command names it.
    """
    plain = path.removeprefix("file://").removeprefix("file:")
    below = next((name for name in (root, link_of(root)) if plain == name or plain.startswith(f"{name}/")), None)
    return plain if below is None else plain.removeprefix(below).lstrip("/")
