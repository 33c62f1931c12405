"""What was seen of one step: the table before and after, the engine's answer, and what the model says of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from deltalog.actions import Add, Cdc, CommitInfo, Remove
from deltalog.commits import Commit
from deltalog.listing import Entry
from deltalog.log import Log
from deltalog.snapshot import Snapshot
from engines.port import Outcome
from model.delete import DeletePrediction, LiveFile, predict_delete, says_nothing_of_rows
from model.layout import partition_value, physical_name
from model.refusals import APPEND_ONLY, Refusal, expected_refusal
from model.steps import BadDelete, Delete, EngineStep, Read, ReadChanges, Vacuum
from model.table import Feature, Table
from model.vacuum import LOG_DIRECTORY, Cutoff, Judged, Thing, cutoff_for, predict_vacuum, whole_hours
from model.values import Row

Rows = Counter[Row]

#: A row's stable id and the version that last wrote it; None where the table does not know.
RowId = tuple[int | None, int | None]


@dataclass(frozen=True)
class TableState:
    """A table at rest: what lies on storage, what the log says, and the rows of every data file that the log refers to."""

    listing: Mapping[str, Entry]
    log: Log
    snapshot: Snapshot
    contents: Mapping[
        str, tuple[Row, ...] | None
    ]  # by path, all stored rows, full and in schema order; None: unreadable
    unreferenced: Mapping[
        str, int | None
    ]  # files that the engine wrote and no action refers to: their rows, if readable
    vectors: Mapping[str, frozenset[int] | str]  # by unique id, the row indexes that it hides, or why it cannot be read
    row_ids: Mapping[str, tuple[RowId, ...]]  # by path of a live file, of each stored row; empty without row tracking
    changes: Mapping[
        str, tuple[tuple[Row, str], ...] | None
    ]  # by path of a change file: rows, each with its change type
    columns: Mapping[str, Mapping[str, int | None]]  # by path, a live file's stored columns and their ids; with mapping
    broken: str | None = None  # why the log cannot be replayed; ``log`` and ``snapshot`` are then those of before

    @property
    def version(self) -> int:
        return self.snapshot.version

    @cached_property
    def live(self) -> dict[str, Add]:
        """The current version's files by path."""
        return {add.file: add for add in self.snapshot.adds.values()}

    @cached_property
    def tombstones(self) -> dict[str, Remove]:
        """The removed files by path; of several tombstones of a file, the one that protects it longest."""
        latest: dict[str, Remove] = {}
        for remove in self.snapshot.removes.values():
            known = latest.get(remove.file)
            if known is None or (known.deletion_timestamp or 0) < (remove.deletion_timestamp or 0):
                latest[remove.file] = remove
        return latest

    @cached_property
    def data(self) -> dict[str, Entry]:
        """Everything on storage outside the log."""
        return {path: entry for path, entry in self.listing.items() if path.split("/")[0] != LOG_DIRECTORY}

    @cached_property
    def rows(self) -> Rows | None:
        """All rows of the current version as our own reader sees them; None where a live file cannot be read."""
        total: Rows = Counter()
        for path in self.live:
            visible = self.visible(path)
            if visible is None:
                return None
            total.update(row for _, row in visible)
        return total

    def hidden(self, action: Add | Remove) -> frozenset[int] | None:
        """The row indexes that the action's deletion vector hides; None where it cannot be read."""
        if action.deletion_vector is None:
            return frozenset()
        found = self.vectors.get(action.deletion_vector.unique_id)
        return found if isinstance(found, frozenset) else None

    def visible(self, path: str) -> list[tuple[int, Row]] | None:
        """The rows that the table has in a live file, each with its index; None where it cannot be read."""
        stored, hidden = self.contents[path], self.hidden(self.live[path])
        if stored is None or hidden is None:
            return None
        return [(index, row) for index, row in enumerate(stored) if index not in hidden]


@dataclass(frozen=True)
class Promised:
    """What the case alone promises of a version: its rows, and when it was committed (ms since the epoch)."""

    rows: Rows
    committed: int


@dataclass(frozen=True)
class Seen:
    """One step of the engine, observed. ``earlier`` are the engine's steps before it in the same case."""

    table: Table
    root: str  # where the table is
    index: int
    step: EngineStep
    outcome: Outcome
    before: TableState
    after: TableState
    clock: int  # the engine's, ms since the epoch
    start: int  # of the case, ms since the epoch
    versions: Mapping[int, Promised]  # every version that the case has made so far, this step's included
    promised_rows: Rows  # of the current version after the step, by the case alone
    earlier: tuple[Seen, ...]

    @cached_property
    def commits(self) -> tuple[Commit, ...]:
        """The versions that appeared during the step, in order."""
        return tuple(
            commit for version, commit in sorted(self.after.log.commits.items()) if version > self.before.version
        )

    @cached_property
    def cleaned_up(self) -> frozenset[int]:
        """Versions that the step wrote and whose commits its own log cleanup took: a later checkpoint stands for them.

        Source: PROTOCOL.md, "Metadata Cleanup". It happens where the clock is far beyond the commits' own times.
        """
        newest = max((checkpoint.version for checkpoint in self.after.log.checkpoints), default=-1)
        return frozenset(set(range(self.before.version + 1, newest)) - set(self.after.log.commits))

    @cached_property
    def appeared(self) -> frozenset[str]:
        """Paths outside the log that are on storage after the step and were not before."""
        return frozenset(self.after.data) - frozenset(self.before.data)

    @cached_property
    def vanished(self) -> frozenset[str]:
        """Paths outside the log that were on storage before the step and are not after."""
        return frozenset(self.before.data) - frozenset(self.after.data)

    @cached_property
    def previous(self) -> Seen | None:
        """The engine's step right before this one: nothing was done to the table, nor to the clock, between the two.

        Reads in between do not count.
        """
        index = self.index
        for seen in reversed(self.earlier):
            if seen.index != index - 1:
                return None
            if not isinstance(seen, ReadSeen):
                return seen
            index = seen.index
        return None

    @property
    def refused(self) -> bool:
        return self.outcome.error is not None

    def instant(self, ms: int) -> str:
        """An instant for people: relative to the start of the case."""
        return f"start {'+' if ms >= self.start else '-'} {duration(abs(ms - self.start))}"


@dataclass(frozen=True)
class DeleteSeen(Seen):
    step: Delete

    @cached_property
    def live_files(self) -> tuple[LiveFile, ...]:
        """The live files before the step, as the model takes them. Where one cannot be read, it has no rows here."""
        return tuple(
            LiveFile(
                path,
                partition_of(self.table, add),
                self.before.contents[path] or (),
                self.before.hidden(add) or frozenset(),
                counted='"numRecords"' in (add.stats or ""),
            )
            for path, add in sorted(self.before.live.items())
        )

    @cached_property
    def prediction(self) -> DeletePrediction:
        return predict_delete(self.live_files, self.step, self.table, folded=self._folded)

    @property
    def _folded(self) -> bool:
        """Whether the commit's own predicate names no data column, though the condition does, and that may be right."""
        parameters = self.info.fields.get("operationParameters") if self.info else None
        said = parameters.get("predicate") if isinstance(parameters, Mapping) else None
        if not isinstance(said, str) or self.step.where is None:
            return False
        try:
            said = " ".join(map(str, json.loads(said)))  # an array of one text
        except ValueError:
            return False
        # Catalyst writes a column as its name, # and a number.
        names = (re.escape(column.name) for column in self.table.data_columns)
        named = any(re.search(rf"(?<!\w){name}#\d", said) for name in names)
        return not named and says_nothing_of_rows(self.live_files, self.step, self.table)

    @cached_property
    def adds(self) -> tuple[Add, ...]:
        return tuple(action for commit in self.commits for action in commit.actions if isinstance(action, Add))

    @cached_property
    def written(self) -> tuple[Add, ...]:
        """The adds of files that were not live before: what a rewriting DELETE has written."""
        return tuple(add for add in self.adds if add.file not in self.before.live)

    @cached_property
    def masked(self) -> tuple[Add, ...]:
        """The adds of files that were live before: the same file, with another deletion vector."""
        return tuple(add for add in self.adds if add.file in self.before.live)

    @cached_property
    def change_files(self) -> tuple[Cdc, ...]:
        return tuple(action for commit in self.commits for action in commit.actions if isinstance(action, Cdc))

    @cached_property
    def removes(self) -> tuple[Remove, ...]:
        return tuple(action for commit in self.commits for action in commit.actions if isinstance(action, Remove))

    @cached_property
    def info(self) -> CommitInfo | None:
        infos = [action for commit in self.commits for action in commit.actions if isinstance(action, CommitInfo)]
        return infos[0] if infos else None


@dataclass(frozen=True)
class RefusalSeen(Seen):
    """A DELETE that must be refused, or that was refused and may be: its condition is an error for some row."""

    step: Delete | BadDelete
    due: Refusal | None  # None: an error of the condition's own, which the engine words

    @property
    def append_only(self) -> bool:
        return isinstance(self.step, Delete) and self.due is not None


def refusal_due(table: Table, state: TableState, step: Delete | BadDelete) -> Refusal | None:
    """How the step must be refused, if it must be."""
    append_only = table.has(Feature.APPEND_ONLY)
    if isinstance(step, BadDelete):
        has_partitions = any(partition_of(table, add)[:1] not in ((), (None,)) for add in state.live.values())
        return expected_refusal(step.blunder, append_only=append_only, has_partitions=has_partitions)
    return APPEND_ONLY if append_only else None


@dataclass(frozen=True)
class ChangesSeen(Seen):
    """A read of the change data feed."""

    step: ReadChanges
    version: int = -1  # the version whose changes were read

    @cached_property
    def of(self) -> DeleteSeen | None:
        """The DELETE that committed the version; None where it committed nothing."""
        found = next((seen for seen in self.earlier if seen.index == self.step.of_step), None)
        return found if isinstance(found, DeleteSeen) and found.commits else None


@dataclass(frozen=True)
class VacuumSeen(Seen):
    step: Vacuum

    @cached_property
    def retain(self) -> int | None:
        """The RETAIN that has an effect, in ms: since Delta 4.1 only one that rounds to 0 hours (facts 1.2, step 4)."""
        if self.step.retain_hours is None:
            return None
        rounded = whole_hours(self.step.retain_hours)
        return 0 if rounded == 0 else None

    @cached_property
    def cutoff(self) -> Cutoff:
        return cutoff_for(
            clock=self.clock,
            retention=self.table.retention,
            retain=self.retain,
            wall=(self.outcome.started, self.outcome.ended),
        )

    @cached_property
    def fates(self) -> dict[str, Judged]:
        """What must become of every path that was there before."""
        return predict_vacuum(
            {
                path: Thing(entry.kind == "directory", entry.modified, entry.size)
                for path, entry in self.before.listing.items()
            },
            live=self.before.live,
            tombstones={path: remove.deletion_timestamp or 0 for path, remove in self.before.tombstones.items()},
            partition_by=self.table.partition_by,
            cutoff=self.cutoff,
        )

    @cached_property
    def listed(self) -> frozenset[str]:
        """The relative paths that a DRY RUN named."""
        return (
            frozenset(relative(str(row[0]), self.root) for row in self.outcome.rows)
            if self.step.dry_run
            else frozenset()
        )

    @property
    def ran(self) -> bool:
        """A real run that was not refused."""
        return not self.step.dry_run and not self.refused


@dataclass(frozen=True)
class ReadSeen(Seen):
    step: Read
    version: int = -1  # the version that was read

    @property
    def promised(self) -> Promised:
        return self.versions[self.version]

    @property
    def is_current(self) -> bool:
        return self.version == self.before.version

    @property
    def inside_retention(self) -> bool:
        """Whether the version may be read at all: since Delta 4.1, one older than the retention may not (facts 1.7)."""
        return self.is_current or self.promised.committed >= self.clock - self.table.retention

    def last(self, kind: type[Seen]) -> Seen | None:
        """The latest step of this kind before the read."""
        return next((seen for seen in reversed(self.earlier) if isinstance(seen, kind)), None)

    @cached_property
    def rows(self) -> Rows:
        return Counter(self.outcome.rows)


def partition_of(table: Table, action: Add | Remove | Cdc) -> Row:
    """An action's partition values, in the order of the table's partition columns. Raises ValueError."""
    values = action.partition_values or {}
    return tuple(
        partition_value(values.get(physical_name(table, column.name)), column.type)
        for column in table.partition_columns
    )


def relative(path: str, root: str) -> str:
    """A path as the engine prints it, relative to the table's root; as it is where it lies elsewhere."""
    plain = path.removeprefix("file://").removeprefix("file:")
    return plain.removeprefix(root).lstrip("/") if plain == root or plain.startswith(root + "/") else plain


def duration(ms: int) -> str:
    """A length of time for people: ``7 d 1 h 0.001 s``."""
    parts = []
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000)):
        if ms >= size:
            parts.append(f"{ms // size} {unit}")
            ms %= size
    if ms or not parts:
        parts.append(f"{ms / 1000:g} s")
    return " ".join(parts)
