"""What was seen of one step: the table before and after, the engine's answer, and what the model says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from deltalog.actions import Add, CommitInfo, Remove
from deltalog.commits import Commit
from deltalog.listing import Entry
from deltalog.log import Log
from deltalog.snapshot import Snapshot
from engines.port import Outcome
from model.delete import DeletePrediction, LiveFile, predict_delete
from model.layout import partition_value
from model.steps import Delete, EngineStep, Read, Vacuum
from model.table import Table
from model.vacuum import LOG_DIRECTORY, Cutoff, Judged, Thing, cutoff_for, predict_vacuum, whole_hours
from model.values import Row

Rows = Counter[Row]


@dataclass(frozen=True)
class TableState:
    """A table at rest: what lies on storage, what the log says, and the rows of every data file that the log refers to."""

    listing: Mapping[str, Entry]
    log: Log
    snapshot: Snapshot
    contents: Mapping[str, tuple[Row, ...] | None]  # by path, full rows in schema order; None: no such (readable) file
    unreferenced: Mapping[
        str, int | None
    ]  # files that the engine wrote and no action refers to: their rows, if readable
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
            contents = self.contents[path]
            if contents is None:
                return None
            total.update(contents)
        return total


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
        types = {column.name: column.type for column in self.table.columns}
        names = self.table.partition_by
        return tuple(
            LiveFile(
                path,
                tuple(partition_value(add.partition_values.get(name), types[name]) for name in names),
                self.before.contents[path] or (),
            )
            for path, add in sorted(self.before.live.items())
        )

    @cached_property
    def prediction(self) -> DeletePrediction:
        return predict_delete(
            self.live_files,
            self.step.where,
            columns=tuple(column.name for column in self.table.columns),
            partition_by=self.table.partition_by,
        )

    @cached_property
    def adds(self) -> tuple[Add, ...]:
        return tuple(action for commit in self.commits for action in commit.actions if isinstance(action, Add))

    @cached_property
    def removes(self) -> tuple[Remove, ...]:
        return tuple(action for commit in self.commits for action in commit.actions if isinstance(action, Remove))

    @cached_property
    def info(self) -> CommitInfo | None:
        infos = [action for commit in self.commits for action in commit.actions if isinstance(action, CommitInfo)]
        return infos[0] if infos else None


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
