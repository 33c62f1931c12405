"""The rules by which a VACUUM's paths are judged, one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from model.fates import DISPUTED, Fate, PathFate, Reason
from model.links import behind_links
from model.paths import Thing, checksum_of, is_hidden, is_vector_file, is_visible, parents
from model.retention import Cutoff
from model.scans import FullScan, InventoryScan, LiteScan, ObjectScan, References, Scan
from model.steps import IOFault
from model.table import Kind


def is_scanned(
    path: str,
    partition_by: Iterable[str],
    scan: Scan,
    faulty_path: tuple[IOFault, str] | None = None,
    reserved: Collection[str] = (),
) -> bool:
    """Whether a scan of the directory comes by the path at all. Which is not so of what is hidden, as the scan sees it."""
    if isinstance(scan, (InventoryScan, ObjectScan)):
        # One look at the whole path, so only at its first component (docs/delta.md 1.4).
        return not is_hidden(path, partition_by, reserved)
    if (
        faulty_path is not None
        and faulty_path[0] is IOFault.DIRECTORY_VANISHES
        and path.startswith(f"{faulty_path[1]}/")
    ):
        return False
    return is_visible(path, partition_by, reserved)


class Judge:
    """One VACUUM's rules, with what they are asked of again and again worked out once."""

    def __init__(
        self,
        listing: Mapping[str, Thing],
        references: References,
        partition_by: tuple[str, ...],
        cutoff: Cutoff,
        scan: Scan,
        faulty_path: tuple[IOFault, str] | None,
        reserved: Collection[str] = (),
    ) -> None:
        self.listing = listing
        self.references = references
        self.partition_by = partition_by
        self.cutoff = cutoff
        self.scan = scan
        self.faulty_path = faulty_path
        self.reserved = reserved
        #: Why a path must stay, whatever it is and wherever it lies.
        self.protected: dict[str, Reason] = {}
        #: Paths of which it cannot be told whether their tombstones still protect them.
        self.doubtful: set[str] = set()
        self.kept_directories: set[str] = set()
        self.doubtful_directories: set[str] = set()
        self._protect()
        self.within: dict[str, list[str]] = {}
        for path in listing:
            for directory in parents(path):
                self.within.setdefault(directory, []).append(path)

    def _protect(self) -> None:
        """docs/delta.md 1.2, step 8. What comes later here takes precedence."""
        said = self.references
        by_absolute_path = {path: deleted for path, deleted in said.absolute_vectors.items() if deleted is not None}
        for path, deleted in said.absolute_vectors.items():
            if deleted is None:
                self.protected[path] = Reason.ABSOLUTE_VECTOR
        self._retain(by_absolute_path, Reason.ABSOLUTE_VECTOR)
        self._retain(said.vector_tombstones, Reason.RETAINED_VECTOR)
        self._retain(said.tombstones, Reason.RETAINED)
        self.protected.update(dict.fromkeys(said.live_vectors, Reason.LIVE_VECTOR))
        self.protected.update(dict.fromkeys(said.live, Reason.LIVE))
        self.protected.update(dict.fromkeys(said.by_uri, Reason.LIVE_BY_URI))
        # Directories are protected by data files only, not by vectors.
        for path in {*said.live, *said.tombstones}:
            if path in said.live or self.cutoff.retains(said.tombstones[path]):
                self.kept_directories.update(parents(path))
            elif path in self.doubtful:
                self.doubtful_directories.update(parents(path))

    def _retain(self, tombstones: Mapping[str, int], reason: Reason) -> None:
        for path, deleted in tombstones.items():
            retains = self.cutoff.retains(deleted)
            if retains:
                self.protected[path] = reason
            elif retains is None:
                self.doubtful.add(path)

    def judge(self) -> dict[str, PathFate]:
        judged: dict[str, PathFate] = {}
        for path, thing in self.listing.items():
            if not thing.directory:
                one = self.named(path, thing) if isinstance(self.scan, LiteScan) else self._file(path, thing)
                judged[path] = self._io_fault(path, one)
            elif self._hidden(path) or isinstance(self.scan, LiteScan):
                judged[path] = self._left_alone(path)
        self._judge_checksums(judged)
        if isinstance(self.scan, (FullScan, ObjectScan)):
            self._judge_behind_links(judged)
        # The deepest first: one that stays keeps those above it.
        for path in sorted(self.listing, key=lambda path: -path.count("/")):
            if path not in judged:
                judged[path] = self._io_fault(path, self._directory(path, judged))
        return judged

    # Files and links -------------------------------------------------------------------------------------------------

    def _hidden(self, path: str) -> Reason | None:
        """Why a listing does not come by the path (docs/delta.md 1.2, step 9)."""
        if any(is_hidden(name, self.partition_by, self.reserved) for name in path.split("/")[:-1]):
            return Reason.INSIDE_HIDDEN
        if not is_hidden(path.rpartition("/")[2], self.partition_by, self.reserved):
            return None
        thing = self.listing.get(path)
        return Reason.HIDDEN_DIRECTORY if thing is not None and thing.directory else Reason.HIDDEN_FILE

    def _is_scanned(self, path: str) -> bool:
        return is_scanned(path, self.partition_by, self.scan, self.faulty_path, self.reserved)

    def _old(self, thing: Thing) -> bool | None:
        """Whether a scan takes it for old. Of a link that is its target's age, which may be anything."""
        return None if thing.kind is Kind.LINK else self.cutoff.is_old(thing.modified)

    def _file(self, path: str, thing: Thing) -> PathFate:
        """A scan of the directory: docs/delta.md 1.2, steps 9 to 11; 1.4."""
        old = self._old(thing)
        scanned = self._is_scanned(path)
        #: Whether an engine lists it that does not know what disputes its going.
        disputed = None if scanned and old is not False else False
        reason, hidden = self.protected.get(path), self._hidden(path)
        if reason is not None:
            return PathFate(Fate.KEEP, reason, disputed if reason in DISPUTED else False)
        if hidden is not None:
            return PathFate(Fate.KEEP, hidden if disputed is False else Reason.HIDDEN_DEEPER, disputed)
        if isinstance(self.scan, ObjectScan) and path in self.references.tombstones:
            return self._removed(path)
        if old is False:
            return PathFate(Fate.KEEP, Reason.YOUNG, False)
        if not scanned:
            return PathFate(Fate.UNSPECIFIED, Reason.FAULTY, False)
        if thing.kind is Kind.LINK:
            return PathFate(Fate.UNSPECIFIED, Reason.LINK, None)
        if old is None or path in self.doubtful:
            return PathFate(Fate.UNSPECIFIED, Reason.AT_CUTOFF, None)
        return PathFate(Fate.DELETE, self._why_it_goes(path), True)

    def _removed(self, path: str) -> PathFate:
        """A removed file, of which the log says all: its own age plays no part."""
        if path in self.doubtful:
            return PathFate(Fate.UNSPECIFIED, Reason.AT_CUTOFF, None)
        return PathFate(Fate.DELETE, Reason.EXPIRED, True)

    def _why_it_goes(self, path: str) -> Reason:
        said = self.references
        if path in said.tombstones:
            return Reason.EXPIRED
        if path in said.vector_tombstones or path in said.absolute_vectors:
            return Reason.EXPIRED_VECTOR
        return Reason.ORPHAN_VECTOR if is_vector_file(path) else Reason.ORPHAN

    def named(self, path: str, thing: Thing) -> PathFate:
        """A scan of the log: docs/delta.md 1.3. Its own age plays no part, only the stamps of its removes."""
        assert isinstance(self.scan, LiteScan), "only a scan of the log asks what the log names"
        stamp = self.scan.stamps.get(path, 0 if path in self.scan.changes else None)
        old = False if stamp is None else self.cutoff.is_old(stamp)
        disputed = None if old is not False else False
        reason, hidden = self.protected.get(path), self._hidden(path)
        if reason is not None:
            return PathFate(Fate.KEEP, reason, disputed if reason in DISPUTED else False)
        if hidden is not None:
            return PathFate(Fate.KEEP, hidden, disputed)
        if stamp is None:
            return PathFate(Fate.KEEP, Reason.NOT_SCANNED, False)
        data = path in self.references.tombstones or not is_vector_file(path)
        if old is False:
            # Also at the cutoff's very millisecond: the state has lost the tombstone, but its stamp is not old.
            return PathFate(Fate.KEEP, Reason.RETAINED if data else Reason.RETAINED_VECTOR, False)
        if thing.kind is Kind.LINK:
            return PathFate(Fate.UNSPECIFIED, Reason.LINK, None)
        if old is None or path in self.doubtful:
            return PathFate(Fate.UNSPECIFIED, Reason.AT_CUTOFF, None)
        if path not in self.scan.stamps:
            return PathFate(Fate.DELETE, Reason.CHANGE_FILE, True)
        return PathFate(Fate.DELETE, Reason.EXPIRED if data else Reason.EXPIRED_VECTOR, True)

    def _judge_checksums(self, judged: dict[str, PathFate]) -> None:
        """Hadoop's local file system deletes a file's checksum along with it (docs/delta.md 1.2, step 13)."""
        for path, one in judged.items():
            checked = checksum_of(path)
            goes = checked in self.listing and checked in judged and not judged[checked].surely_stays
            if goes and path not in self.protected and not self.listing[path].directory:
                judged[path] = PathFate(Fate.UNSPECIFIED, Reason.CHECKSUM, one.listed)

    def _judge_behind_links(self, judged: dict[str, PathFate]) -> None:
        """What stays, and is taken for an unreferenced file or an empty directory by its other path."""
        behind = behind_links(self.listing, self.partition_by, self.reserved)
        # Files first: what surely stays keeps the directories above it.
        for path in sorted(behind & judged.keys(), key=lambda path: self.listing[path].directory):
            thing = self.listing[path]
            if thing.directory:
                within = [other for other in self.within.get(path, []) if not self.listing[other].directory]
                at_risk = not any(judged[other].surely_stays for other in within)
            else:
                at_risk = self._old(thing) is not False
            if at_risk and judged[path].fate is Fate.KEEP:
                judged[path] = PathFate(Fate.KEEP, Reason.BEHIND_LINK, None)

    # Directories -----------------------------------------------------------------------------------------------------

    @property
    def _only_files(self) -> bool:
        """Whether the scan knows of no directories."""
        return isinstance(self.scan, ObjectScan) or (isinstance(self.scan, InventoryScan) and self.scan.files_only)

    def _left_alone(self, path: str) -> PathFate:
        """A directory that the scan does not come by, or should not."""
        hidden = self._hidden(path)
        if hidden is None or self._only_files:
            return PathFate(Fate.KEEP, hidden or Reason.NOT_SCANNED, False)
        if isinstance(self.scan, InventoryScan) and is_scanned(
            path, self.partition_by, self.scan, reserved=self.reserved
        ):
            return PathFate(Fate.KEEP, Reason.HIDDEN_DEEPER, None)
        return PathFate(Fate.KEEP, hidden, False)

    def _directory(self, path: str, judged: Mapping[str, PathFate]) -> PathFate:
        """A directory goes when it is empty, if the scan comes by it.

        A DRY RUN also names directories that then stay, since they hold young or hidden things (docs/delta.md 1.2, step 11 (c),
        (d)); and of directories in directories, the order of deletion, which is not promised, decides how many go at once.
        """
        if isinstance(self.scan, ObjectScan):
            return self._above_objects(path, judged)
        if self._only_files:
            return PathFate(Fate.KEEP, Reason.NOT_SCANNED, False)
        within = self.within.get(path, [])
        listed = self._is_listed(path, within)
        if any(other in judged and judged[other].surely_stays for other in within):
            return PathFate(Fate.KEEP, Reason.HOLDS, listed)
        disputed = any(other in judged and judged[other].fate is Fate.KEEP for other in within)
        kept = path in self.kept_directories
        if not self._is_scanned(path):
            return PathFate(Fate.UNSPECIFIED, Reason.FAULTY, False)
        if not within:
            if kept or listed is None:
                return PathFate(Fate.UNSPECIFIED, Reason.PARENT, listed)
            return PathFate(Fate.DELETE, Reason.EMPTY, True)
        if kept and not disputed:
            return PathFate(Fate.KEEP, Reason.HOLDS, False)
        if all(self.listing[other].directory for other in within):
            return PathFate(Fate.UNSPECIFIED, Reason.HOLDS_EMPTY, listed)
        return PathFate(Fate.UNSPECIFIED, Reason.HOLDS_OLD, listed)

    def _above_objects(self, path: str, judged: Mapping[str, PathFate]) -> PathFate:
        """A directory, to an engine that knows of objects only: an empty one may go or stay, and is not listed."""
        within = self.within.get(path, [])
        if any(other in judged and judged[other].surely_stays for other in within):
            return PathFate(Fate.KEEP, Reason.HOLDS, False)
        return PathFate(Fate.UNSPECIFIED, Reason.HOLDS_OLD if within else Reason.PARENT, False)

    def _is_listed(self, path: str, within: Iterable[str]) -> bool | None:
        """Whether a DRY RUN names a directory: no old file lies below it, and nothing that is kept belongs there."""
        if path in self.kept_directories:
            return False
        in_doubt = None if path in self.doubtful_directories else True
        if isinstance(self.scan, InventoryScan):
            # An inventory's files do not count for the directories that they lie in.
            return in_doubt
        if not self._is_scanned(path):
            return False
        old = {
            self._old(self.listing[other])
            for other in within
            if not self.listing[other].directory and self._is_scanned(other)
        }
        return False if True in old else None if None in old else in_doubt

    # Trouble ---------------------------------------------------------------------------------------------------------

    def _io_fault(self, path: str, one: PathFate) -> PathFate:
        """The path's own trouble, where VACUUM runs into it, may change what becomes of it."""
        if self.faulty_path is None or path != self.faulty_path[1] or one.fate is Fate.KEEP:
            return one
        met = one.listed is not False if self.faulty_path[0].of_deletion else self._lists(path)
        return PathFate(Fate.UNSPECIFIED, Reason.FAULTY, one.listed) if met else one

    def _lists(self, path: str) -> bool:
        return isinstance(self.scan, FullScan) and self.listing[path].directory
