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
from deltalog.listing import Entry, EntryKind
from engines.port import Outcome
from model.delete import DeletePrediction, LiveFile, predict_delete, says_nothing_of_rows
from model.layout import partition_value, physical_name
from model.refusals import APPEND_ONLY, CANNOT_VACUUM_LITE, UNKNOWN_PROTOCOL, Refusal, expected_refusal
from model.steps import BadDelete, BadVacuum, Delete, EngineStep, Inventory, Read, ReadChanges, Trouble, Vacuum
from model.table import Feature, Table
from model.vacuum import (
    Cutoff,
    FullScan,
    InventoryScan,
    Judged,
    LogPruned,
    References,
    Scan,
    Window,
    cutoff_for,
    ends_in_error,
    lite_window,
    predict_vacuum,
    whole_hours,
)
from model.values import Row
from suites.state import RowId, Rows, TableState
from suites.vacuum_facts import commit_times, lite_scan, named_outside, references_of

__all__ = [
    "ChangesSeen",
    "DeleteSeen",
    "Promised",
    "ReadSeen",
    "RefusalSeen",
    "RowId",
    "Rows",
    "Seen",
    "TableState",
    "VacuumRefusalSeen",
    "VacuumSeen",
    "duration",
    "partition_of",
    "refusal_due",
    "relative",
]

#: The troubles that a path has when it is deleted.
_OF_DELETION = (Trouble.CANNOT_DELETE, Trouble.DELETE_CRASHES, Trouble.FILE_VANISHES)


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
    def changed_beside(self) -> list[str]:
        """The paths beside the root that are not as they were, of files, links and directories; sorted."""
        paths = sorted({*self.before.beside, *self.after.beside})
        return [path for path in paths if _kept(self.before.beside.get(path)) != _kept(self.after.beside.get(path))]

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

    @property
    def too_short(self) -> bool:
        """Whether the step asks for less than the table's retention: refused with the safety check on (facts 1.2, step 7)."""
        return self.retain is not None and self.retain < self.table.retention

    @cached_property
    def references(self) -> References:
        """What the log referred to below the root, before the step."""
        return references_of(self.before)

    @cached_property
    def outside(self) -> frozenset[str]:
        """The paths beside the root that the log named by URI, before the step: of data files and of vectors."""
        return named_outside(self.before)

    @property
    def last_vacuumed(self) -> int | None:
        """Up to which version a LITE VACUUM had gone through the log before the step; None: no bookmark."""
        return self.before.last_vacuumed

    @cached_property
    def window(self) -> Window | None:
        """The versions that a LITE run looks through; None: it is no LITE run, there are none, or it must be refused."""
        try:
            return self._window if self.step.mode.lite else None
        except LogPruned:
            return None

    @property
    def _window(self) -> Window | None:
        return lite_window(
            commit_times(self.before), cutoff=self.cutoff.earliest, last_vacuumed=self.before.last_vacuumed
        )

    @cached_property
    def scan(self) -> Scan:
        """Where the run looks for files to delete."""
        if self.step.mode.lite:
            return lite_scan(self.before, self.window)
        if self.step.mode.inventory:
            return InventoryScan(self.step.inventory is Inventory.FILES)
        return FullScan()

    @cached_property
    def fates(self) -> dict[str, Judged]:
        """What must become of every path below the root that was there before."""
        # What goes wrong with a deletion does not happen to a run that deletes nothing.
        untroubled = self.step.dry_run and self.step.trouble in _OF_DELETION
        return predict_vacuum(
            self.before.things,
            self.references,
            partition_by=self.table.partition_by,
            cutoff=self.cutoff,
            scan=self.scan,
            troubled=None if untroubled else self._troubled,
        )

    @property
    def _troubled(self) -> tuple[Trouble, str] | None:
        trouble, path = self.step.trouble, self.step.troubled
        return None if trouble is None or path is None else (trouble, path)

    @cached_property
    def fails(self) -> bool:
        """Whether the trouble that the file system has must end the run in an error; as it happened where none can tell.

        Not where the run is refused before it comes to that.
        """
        if self.too_short and self.step.safety_check:
            return False
        ends = ends_in_error(
            self.fates,
            self.before.things,
            partition_by=self.table.partition_by,
            scan=self.scan,
            troubled=self._troubled,
            dry_run=self.step.dry_run,
        )
        return self.refused if ends is None else ends

    @property
    def due(self) -> Refusal | None:
        """How the step must be refused for what the table is, if it must be. Not for a RETAIN that is too short."""
        unknown = next((feature for feature in UNKNOWN_PROTOCOL if self.table.has(feature)), None)
        if unknown is not None:
            return UNKNOWN_PROTOCOL[unknown]
        if not self.step.mode.lite or (self.too_short and self.step.safety_check):
            return None
        try:
            _ = self._window
        except LogPruned:
            return CANNOT_VACUUM_LITE
        return None

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
class VacuumRefusalSeen(Seen):
    """A VACUUM that must be refused, dry run or not: for what it says, or for what the table is."""

    step: Vacuum | BadVacuum
    due: Refusal


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


def _kept(entry: Entry | None) -> object:
    """What must not change of an entry. A directory's time changes with what is made in it."""
    return "directory" if entry and entry.kind is EntryKind.DIRECTORY else entry


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
