"""The model's prediction for a VACUUM of a table by a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from deltalog.storage.listing import EntryKind
from engines.port import Outcome
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.not_read import UNREAD, UnreadByKey
from model.prediction.fates import Fate, PathFate
from model.text.durations import duration
from model.vocabulary.steps import Vacuum
from rehearsal.log_clean_up import clean_up_of
from rehearsal.reading import ReadTable
from rehearsal.rehearsed import ByDirectory, ByReason, Concern, ReleaseRehearsal, Sum, sum_of
from rehearsal.releases import Release
from rehearsal.statement import retain_of
from rehearsal.versions import VersionFates, versions_after


@dataclass(frozen=True)
class Prediction:
    """``at`` is the time of the VACUUM, ms since the epoch. A DRY RUN has the fates of the run that it announces."""

    read: ReadTable
    release: Release
    vacuum: Vacuum
    at: int

    @cached_property
    def observation(self) -> VacuumObservation:
        """As if the VACUUM took no time: the model uses only what was there before."""
        return VacuumObservation(
            table=self.read.table,
            root=self.read.root.path,
            index=0,
            step=self.vacuum,
            outcome=Outcome((), None, self.at, self.at),
            before=self.read.state,
            after=self.read.state,
            clock=self.at,
            start=self.at,
            versions=UnreadByKey(),
            expected_rows=UNREAD,
            clone_rows=None,
            earlier=(),
            rules=self.release.rules,
        )

    @cached_property
    def refusal(self) -> str | None:
        """Why the release refuses the VACUUM, without a full stop; None if it does not."""
        if not self.release.knows(self.vacuum):
            return "it does not know VACUUM LITE"
        if self.observation.retain_refused:
            return f"{retain_of(self.vacuum)} is shorter than the table's retention of {duration(self.read.table.retention)}"
        if self.observation.due is not None:
            return "the log lacks commits that no VACUUM LITE has read"
        return None

    @cached_property
    def fates(self) -> Mapping[str, PathFate]:
        """Of everything below the root except the log, by path; none if the VACUUM is refused."""
        return {} if self.refusal is not None else self.observation.fates

    @cached_property
    def deleted(self) -> frozenset[str]:
        """The paths that it deletes, including directories."""
        return frozenset(path for path, fate in self.fates.items() if fate.fate is Fate.DELETE)

    @cached_property
    def deleted_files(self) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.deleted if not self.is_directory(path)))

    def is_directory(self, path: str) -> bool:
        return self.read.state.listing[path].kind is EntryKind.DIRECTORY

    @cached_property
    def versions(self) -> VersionFates:
        cutoff = self.observation.cutoff
        # A tombstone that has left the table's state protects nothing, however long RETAIN is (docs/delta.md 1.2, step 8).
        return versions_after(self.read.state, self.deleted, cutoff=max(cutoff.latest, cutoff.state))

    def total(self, paths: Iterable[str]) -> Sum:
        """Counts the files among the paths."""
        return sum_of(self.read.state.listing[path].size for path in paths if not self.is_directory(path))

    def rehearsed(self, faults: tuple[Concern, ...] = ()) -> ReleaseRehearsal:
        """With counts and bytes instead of paths. ``faults``: the known faults that concern the table."""
        by_directory: dict[str, list[ByReason]] = {}
        for path, fate in self.fates.items():
            if not self.is_directory(path):
                row = ByReason(fate.fate.value, fate.reason.value, 1, self.read.state.listing[path].size)
                by_directory.setdefault(path.rpartition("/")[0] or ".", []).append(row)
        every = [row for rows in by_directory.values() for row in rows]
        return ReleaseRehearsal(
            release=self.release.title,
            refusal=self.refusal,
            deleted=summed(every, Fate.DELETE),
            kept=summed(every, Fate.KEEP),
            unspecified=summed(every, Fate.UNSPECIFIED),
            directories_deleted=sum(map(self.is_directory, self.deleted)),
            reasons=merged(every),
            directories=tuple(of_directory(path, found) for path, found in sorted(by_directory.items())),
            lost=self.versions.lost,
            needed=self.versions.needed,
            faults=faults,
            clean_up=clean_up_of(self.read, self.release, self.at),
        )


def of_directory(path: str, rows: Iterable[ByReason]) -> ByDirectory:
    found = merged(rows)
    deleted, kept, unspecified = (summed(found, fate) for fate in (Fate.DELETE, Fate.KEEP, Fate.UNSPECIFIED))
    return ByDirectory(path, deleted, kept, unspecified, found)


def merged(rows: Iterable[ByReason]) -> tuple[ByReason, ...]:
    """One row for each fate and reason: deleted files first, then by the number of files."""
    files: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for row in rows:
        files[row.fate, row.reason] += row.files
        sizes[row.fate, row.reason] += row.bytes
    found = [ByReason(*key, count, sizes[key]) for key, count in files.items()]
    order = [Fate.DELETE.value, Fate.UNSPECIFIED.value, Fate.KEEP.value]
    return tuple(sorted(found, key=lambda row: (order.index(row.fate), -row.files, row.reason)))


def summed(rows: Iterable[ByReason], fate: Fate) -> Sum:
    found = [row for row in rows if row.fate == fate.value]
    return Sum(sum(row.files for row in found), sum(row.bytes for row in found))
