"""An observed state of a table: its storage and its log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from deltalog.entries.actions import Add, Remove
from deltalog.log import Log
from deltalog.snapshot import Snapshot
from deltalog.storage.listing import Entry, EntryKind, leads_to, links_in
from deltalog.storage.names import LAST_VACUUM_KEY
from harness.observing.table.log_facts import LogFacts
from harness.observing.table.not_read import UnreadByKey
from model.prediction.paths import LOG_DIRECTORY, StorageEntry
from model.vocabulary.table import Kind
from model.vocabulary.values import Row

Rows = Counter[Row]

#: A row's stable id and the version that last wrote it; None where the table does not have it.
RowId = tuple[int | None, int | None]


def differing(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> list[str]:
    """The paths that differ between two listings, sorted. The times of directories are ignored: they follow from their files."""

    def compared(entry: Entry | None) -> object:
        return "directory" if entry and entry.kind is EntryKind.DIRECTORY else entry

    return [path for path in sorted({*before, *after}) if compared(before.get(path)) != compared(after.get(path))]


@dataclass(frozen=True)
class CloneState:
    """The shallow clone of a table: its rows, None where they cannot be read, and the files that it refers to.

    ``files`` are paths from the table's root, of data files and of deletion vectors.
    """

    rows: Rows | None
    files: frozenset[str]


@dataclass(frozen=True)
class TableState:
    """A state of a table: its storage, its log, and the rows of every data file that the log refers to.

    All paths are from the root, those in ``log`` and ``snapshot`` too, whether an action has a path or a URI
    (harness.observing.table.root_paths): a path beside the root begins with ``../``. ``log.snapshot`` of an earlier version
    reads the log as it is on storage when it is called.
    """

    listing: Mapping[str, Entry]  # below the root
    log: Log
    snapshot: Snapshot
    contents: Mapping[str, tuple[Row, ...] | None]  # by path: all stored rows, in schema order; None: unreadable
    unreferenced: Mapping[str, int | None]  # the engine's files without an action: their row counts, if readable
    vectors: Mapping[str, frozenset[int] | str]  # by unique id, the row indexes that it hides, or why it cannot be read
    row_ids: Mapping[str, tuple[RowId, ...]]  # by path of a live file, of each stored row; empty without row tracking
    changes: Mapping[str, tuple[tuple[Row, str], ...] | None]  # by path of a change file: rows with change types
    columns: Mapping[str, Mapping[str, int | None]]  # by path, a live file's stored columns and their ids; with mapping
    beside: Mapping[str, Entry] = field(default_factory=dict)  # everything beside the root, recursively
    by_uri: frozenset[str] = frozenset()  # paths of live files that their add names by URI
    last_vacuum: Mapping[str, object] | None = None  # _last_vacuum_info; None: absent, or no JSON
    last_checkpoint: Mapping[str, object] | None = None  # _last_checkpoint, likewise
    checksums: Mapping[int, Mapping[str, object] | None] = field(
        default_factory=dict
    )  # N.crc by version; None: no JSON
    clone: CloneState | None = None  # None if it has none
    broken: str | None = None  # why the log cannot be replayed: ``log`` and ``snapshot`` are those of the state before

    @property
    def root(self) -> str:
        return str(self.log.root)

    @property
    def version(self) -> int:
        return self.snapshot.version

    @property
    def is_read(self) -> bool:
        """Whether its data files were read. Where stand-ins have their places, what is in them raises NotRead when it is used."""
        return not isinstance(self.contents, UnreadByKey)

    @property
    def last_vacuumed(self) -> int | None:
        """The version up to which LITE VACUUMs have read the log; None: no bookmark (docs/delta.md 1.3)."""
        found = (self.last_vacuum or {}).get(LAST_VACUUM_KEY)
        return found if isinstance(found, int) else None

    @cached_property
    def facts(self) -> LogFacts:
        """What the log says beyond its current version."""
        return LogFacts(self.log, self.snapshot)

    @cached_property
    def live(self) -> dict[str, Add]:
        """The current version's files by path."""
        return {add.file: add for add in self.snapshot.adds.values()}

    @cached_property
    def tombstones(self) -> dict[str, Remove]:
        """The removed files by path; of several tombstones of a file, the latest."""
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
    def things(self) -> dict[str, StorageEntry]:
        """The listing for the model; a link has its target, and that file's time."""
        things = {}
        for path, entry in self.listing.items():
            target = self.target(path)
            file = None if target is None else self.entry(target)
            modified = file.modified if file is not None and file.kind is EntryKind.FILE else None
            things[path] = StorageEntry(Kind(entry.kind.value), entry.modified, entry.size, target, modified)
        return things

    def entry(self, path: str) -> Entry | None:
        """The entry at a path, below the root or beside it."""
        return self.listing.get(path) or self.beside.get(path)

    def target(self, path: str) -> str | None:
        """The final target of a link, as a path from the root (``"."`` is the root); None: no target, or no link."""
        entry = self.entry(path)
        if entry is None or entry.kind is not EntryKind.LINK:
            return None
        return leads_to(path, self._entries, self.root, self._links)

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {**self.listing, **self.beside}

    @cached_property
    def _links(self) -> dict[str, str]:
        return links_in(self._entries, self.root)

    @cached_property
    def rows(self) -> Rows | None:
        """All rows of the current version, read without the engine; None where a live file cannot be read."""
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
        return None if found is None or isinstance(found, str) else found

    @property
    def stored_rows(self) -> Iterator[Row]:
        """The rows in live files, those that are deleted too; none of files that cannot be read."""
        return (row for path in self.live for row in self.contents[path] or ())

    def visible(self, path: str) -> list[tuple[int, Row]] | None:
        """The rows of a live file that are not deleted, each with its index; None where it cannot be read."""
        stored, hidden = self.contents[path], self.hidden(self.live[path])
        if stored is None or hidden is None:
            return None
        return [(index, row) for index, row in enumerate(stored) if index not in hidden]
