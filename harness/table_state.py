"""A table at rest, as it was observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from deltalog.actions import Add, Remove
from deltalog.listing import Entry, EntryKind, leads_to
from deltalog.log import Log
from deltalog.snapshot import Snapshot
from model.table import Kind
from model.vacuum import LOG_DIRECTORY, Thing
from model.values import Row

Rows = Counter[Row]

#: A row's stable id and the version that last wrote it; None where the table does not know.
RowId = tuple[int | None, int | None]


def differing(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> list[str]:
    """The paths that are not the same in two listings, sorted. Directories differ only by being there or not.

    A directory's time changes with what is made in it.
    """

    def lasting(entry: Entry | None) -> object:
        return "directory" if entry and entry.kind is EntryKind.DIRECTORY else entry

    return [path for path in sorted({*before, *after}) if lasting(before.get(path)) != lasting(after.get(path))]


@dataclass(frozen=True)
class TableState:
    """A table at rest: what lies on storage, what the log says, and the rows of every data file that the log refers to.

    All paths lead from the root, those in ``log`` and ``snapshot`` too (harness.root_paths): what is beside the root begins
    with ``../``, and whether an action names a file by its path or by its URI makes no difference. ``log.snapshot`` of an
    earlier version is that of the log as it is on storage when it is asked.
    """

    listing: Mapping[str, Entry]  # below the root
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
    beside: Mapping[str, Entry] = field(default_factory=dict)  # all that lies beside the root, and below that
    by_uri: frozenset[str] = frozenset()  # paths of live files that their add names by URI
    last_vacuum: Mapping[str, object] | None = None  # what _last_vacuum_info holds; None: it is not there, or no JSON
    broken: str | None = None  # why the log cannot be replayed; ``log`` and ``snapshot`` are then those of before

    @property
    def root(self) -> str:
        return str(self.log.root)

    @property
    def version(self) -> int:
        return self.snapshot.version

    @property
    def last_vacuumed(self) -> int | None:
        """Up to which version a LITE VACUUM has gone through the log; None where no bookmark says so (docs/delta.md 1.3)."""
        found = (self.last_vacuum or {}).get("latestCommitVersionOutsideOfRetentionWindow")
        return found if isinstance(found, int) else None

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
        """Everything on storage below the root and outside the log."""
        return {path: entry for path, entry in self.listing.items() if path.split("/")[0] != LOG_DIRECTORY}

    @cached_property
    def things(self) -> dict[str, Thing]:
        """What lies below the root as the model takes it; of a link, where it leads."""
        return {
            path: Thing(Kind(entry.kind.value), entry.modified, entry.size, self.target(path))
            for path, entry in self.listing.items()
        }

    def entry(self, path: str) -> Entry | None:
        """What lies at a path, below the root or beside it."""
        return self.listing.get(path) or self.beside.get(path)

    def target(self, path: str) -> str | None:
        """Where a link leads in the end, as a path from the root (``"."`` is the root); None: to nothing, or no link."""
        entry = self.entry(path)
        if entry is None or entry.kind is not EntryKind.LINK:
            return None
        return leads_to(path, {**self.listing, **self.beside}, self.root)

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
