"""The rules that give each path its fate at a VACUUM (docs/delta.md 1.2 to 1.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from model.prediction.fates import DISPUTED, Fate, PathFate, Reason
from model.prediction.links import behind_links
from model.prediction.paths import StorageEntry, checksum_of, is_hidden, is_vector_file, is_visible, parents
from model.prediction.retention import Cutoff
from model.prediction.scans import FullScan, InventoryScan, LiteScan, ObjectScan, References, Scan
from model.vocabulary.steps import IOFault
from model.vocabulary.table import Kind


def is_scanned(
    path: str,
    partition_by: Iterable[str],
    scan: Scan,
    faulty_path: tuple[IOFault, str] | None = None,
    reserved: Collection[str] = (),
) -> bool:
    """Whether a scan of the directory visits the path. It skips what it treats as hidden."""
    if isinstance(scan, (FullScan, ObjectScan)) and not scan.hides_names:
        return is_visible(path, partition_by, hides_names=False)
    if isinstance(scan, (InventoryScan, ObjectScan)):
        # The path is tested as a whole, so only its first component counts (docs/delta.md 1.4).
        return not is_hidden(path, partition_by, reserved)
    if (
        faulty_path is not None
        and faulty_path[0] is IOFault.DIRECTORY_VANISHES
        and path.startswith(f"{faulty_path[1]}/")
    ):
        return False
    return is_visible(path, partition_by, reserved)


@dataclass
class PathRules:
    """The rules of one VACUUM, with what is derived from its input once."""

    listing: Mapping[str, StorageEntry]
    references: References
    partition_by: tuple[str, ...]
    cutoff: Cutoff
    scan: Scan
    faulty_path: tuple[IOFault, str] | None
    reserved: Collection[str] = ()
    directories: bool = True  # whether the storage has directories

    def __post_init__(self) -> None:
        #: Why a path must be kept, whatever it is and wherever it is.
        self.protected: dict[str, Reason] = {}
        #: Paths whose tombstones may or may not be expired.
        self.uncertain: set[str] = set()
        self.kept_directories: set[str] = set()
        self.uncertain_directories: set[str] = set()
        self._protect()
        self.contents: dict[str, list[str]] = {}
        for path in self.listing:
            for directory in parents(path):
                self.contents.setdefault(directory, []).append(path)

    def _protect(self) -> None:
        """docs/delta.md 1.2, step 8. Later statements take precedence."""
        references = self.references
        # "Files from these versions will not be deleted" (delta-rs, DeltaTable.vacuum), whatever else is true of them.
        self.protected.update(dict.fromkeys(references.kept_vectors, Reason.KEPT_VERSION_VECTOR))
        self.protected.update(dict.fromkeys(references.kept, Reason.KEPT_VERSION))
        for path, deleted in references.absolute_vectors.items():
            if deleted is None:
                self.protected[path] = Reason.ABSOLUTE_VECTOR
            else:
                self._retain(path, deleted, Reason.ABSOLUTE_VECTOR)
        for path, deleted in references.vector_tombstones.items():
            self._retain(path, deleted, Reason.RETAINED_VECTOR)
        for path, deleted in references.tombstones.items():
            self._retain(path, deleted, Reason.RETAINED)
        self.protected.update(dict.fromkeys(references.live_vectors, Reason.LIVE_VECTOR))
        self.protected.update(dict.fromkeys(references.live, Reason.LIVE))
        self.protected.update(dict.fromkeys(references.by_uri, Reason.LIVE_BY_URI))
        # Directories are protected by data files only, not by deletion vectors.
        for path in {*references.live, *references.tombstones}:
            if path in references.live or self.cutoff.retains(references.tombstones[path]):
                self.kept_directories.update(parents(path))
            elif path in self.uncertain:
                self.uncertain_directories.update(parents(path))

    def _retain(self, path: str, deleted: int, reason: Reason) -> None:
        retains = self.cutoff.retains(deleted)
        if retains:
            self.protected[path] = reason
        elif retains is None:
            self.uncertain.add(path)

    def fates(self) -> dict[str, PathFate]:
        """The fate of every listed path."""
        fates: dict[str, PathFate] = {}
        for path, thing in self.listing.items():
            if not thing.directory:
                fate = self._fate_in_lite(path, thing) if isinstance(self.scan, LiteScan) else self._file(path, thing)
                fates[path] = self._with_io_fault(path, fate)
            elif self.directories and (self._hidden(path) or isinstance(self.scan, LiteScan)):
                fates[path] = self._unvisited_directory(path)
        # A file's checksum shares its fate, so after the files behind links; a directory's depends on both.
        behind = self._behind_links()
        self._set_files_behind_links(fates, behind)
        self._set_checksums(fates)
        self._set_hidden_directories_behind_links(fates, behind)
        # The deepest first: a directory that is kept keeps those above it.
        for path in sorted(self.listing, key=lambda path: -path.count("/")):
            if path not in fates:
                fates[path] = self._with_io_fault(path, self._directory(path, fates, path in behind))
        return fates

    @property
    def _hides_names(self) -> bool:
        return not isinstance(self.scan, (FullScan, ObjectScan)) or self.scan.hides_names

    # Files and links -------------------------------------------------------------------------------------------------

    def _hidden(self, path: str) -> Reason | None:
        """Why a listing skips the path; None if it does not (docs/delta.md 1.2, step 9)."""
        if not self._hides_names:
            return None if is_visible(path, self.partition_by, hides_names=False) else Reason.INSIDE_HIDDEN
        if any(is_hidden(name, self.partition_by, self.reserved) for name in path.split("/")[:-1]):
            return Reason.INSIDE_HIDDEN
        if not is_hidden(path.rpartition("/")[2], self.partition_by, self.reserved):
            return None
        thing = self.listing.get(path)
        return Reason.HIDDEN_DIRECTORY if thing is not None and thing.directory else Reason.HIDDEN_FILE

    def _is_scanned(self, path: str) -> bool:
        return is_scanned(path, self.partition_by, self.scan, self.faulty_path, self.reserved)

    def _old(self, thing: StorageEntry) -> bool | None:
        """Whether a scan treats it as old. A link has the age of its file (docs/delta.md 1.2, step 9); other links have none."""
        modified = thing.target_modified if thing.kind is Kind.LINK else thing.modified
        return None if modified is None else self.cutoff.is_old(modified)

    def _file(self, path: str, thing: StorageEntry) -> PathFate:
        """A scan of the directory: docs/delta.md 1.2, steps 9 to 11; 1.4."""
        old = self._old(thing)
        scanned = self._is_scanned(path)
        # Whether an engine with the known fault lists it.
        disputed = None if scanned and old is not False else False
        reason, hidden = self.protected.get(path), self._hidden(path)
        if reason is not None:
            return PathFate(Fate.KEEP, reason, disputed if reason in DISPUTED else False)
        if hidden is not None:
            return PathFate(Fate.KEEP, hidden if disputed is False else Reason.HIDDEN_DEEPER, disputed)
        by_tombstone = isinstance(self.scan, (FullScan, ObjectScan)) and not self.scan.ages_removed_files
        if by_tombstone and path in self.references.tombstones:
            return self._removed(path)
        if old is False:
            return PathFate(Fate.KEEP, Reason.YOUNG_REMOVED if self._is_removed(path) else Reason.YOUNG, False)
        if not scanned:
            return PathFate(Fate.UNSPECIFIED, Reason.FAULTY, False)
        if thing.kind is Kind.LINK:
            return PathFate(Fate.UNSPECIFIED, Reason.LINK, None)
        if old is None or path in self.uncertain:
            return PathFate(Fate.UNSPECIFIED, Reason.AT_CUTOFF, None)
        if self._is_removed_by_young_commit(path):
            return PathFate(Fate.UNSPECIFIED, Reason.YOUNG_COMMIT, None)
        return PathFate(Fate.DELETE, self._reason_to_delete(path), True)

    def _is_removed(self, path: str) -> bool:
        """Whether tombstones refer to it that are all expired: what is protected has another reason."""
        references = self.references
        named = (references.tombstones, references.vector_tombstones, references.absolute_vectors)
        return path not in self.uncertain and any(path in paths for paths in named)

    def _is_removed_by_young_commit(self, path: str) -> bool:
        """Whether a commit that removed it may count as young, for an engine that looks at that."""
        removal = self.references.removals.get(path)
        return removal is not None and self.cutoff.is_old(removal) is not True

    def _removed(self, path: str) -> PathFate:
        """A removed file: its tombstone decides, not its own age."""
        if path in self.uncertain:
            return PathFate(Fate.UNSPECIFIED, Reason.AT_CUTOFF, None)
        if self._is_removed_by_young_commit(path):
            return PathFate(Fate.UNSPECIFIED, Reason.YOUNG_COMMIT, None)
        return PathFate(Fate.DELETE, Reason.EXPIRED, True)

    def _reason_to_delete(self, path: str) -> Reason:
        if path in self.references.tombstones:
            return Reason.EXPIRED
        if path in self.references.vector_tombstones or path in self.references.absolute_vectors:
            return Reason.EXPIRED_VECTOR
        return Reason.ORPHAN_VECTOR if is_vector_file(path) else Reason.ORPHAN

    def _fate_in_lite(self, path: str, thing: StorageEntry) -> PathFate:
        """A file in LITE: its deletionTimestamps decide, not its own age (docs/delta.md 1.3)."""
        assert isinstance(self.scan, LiteScan), "the scan of a LITE VACUUM"
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
            # Exactly at the cutoff too: the tombstone has left the state, but its timestamp is not old.
            return PathFate(Fate.KEEP, Reason.RETAINED if data else Reason.RETAINED_VECTOR, False)
        if thing.kind is Kind.LINK:
            return PathFate(Fate.UNSPECIFIED, Reason.LINK, None)
        if old is None or path in self.uncertain:
            return PathFate(Fate.UNSPECIFIED, Reason.AT_CUTOFF, None)
        if path not in self.scan.stamps:
            return PathFate(Fate.DELETE, Reason.CHANGE_FILE, True)
        return PathFate(Fate.DELETE, Reason.EXPIRED if data else Reason.EXPIRED_VECTOR, True)

    def _set_checksums(self, fates: dict[str, PathFate]) -> None:
        """Hadoop's local file system deletes a file's checksum along with it (docs/delta.md 1.2, step 13)."""
        for path, fate in fates.items():
            file = checksum_of(path)
            may_be_deleted = file in self.listing and file in fates and not fates[file].is_surely_kept
            if may_be_deleted and path not in self.protected and not self.listing[path].directory:
                fates[path] = PathFate(Fate.UNSPECIFIED, Reason.CHECKSUM, fate.listed)

    def _behind_links(self) -> frozenset[str]:
        """The paths that the scan reaches by another path too."""
        if not isinstance(self.scan, (FullScan, ObjectScan)):
            return frozenset()
        return behind_links(self.listing, self.partition_by, self.reserved, self._hides_names)

    def _set_files_behind_links(self, fates: dict[str, PathFate], behind: Collection[str]) -> None:
        """Files to keep that look like an unreferenced file by their other path."""
        for path in behind:
            thing = self.listing[path]
            if not thing.directory and fates[path].fate is Fate.KEEP and self._old(thing) is not False:
                fates[path] = PathFate(Fate.KEEP, Reason.BEHIND_LINK, None)

    def _set_hidden_directories_behind_links(self, fates: dict[str, PathFate], behind: Collection[str]) -> None:
        """Hidden directories that look like an empty directory by their other path."""
        for path in behind & fates.keys():
            files = [other for other in self.contents.get(path, []) if not self.listing[other].directory]
            if self.listing[path].directory and not any(fates[other].is_surely_kept for other in files):
                fates[path] = PathFate(Fate.KEEP, Reason.BEHIND_LINK, None)

    # Directories -----------------------------------------------------------------------------------------------------

    @property
    def _only_files(self) -> bool:
        """Whether the scan has no directories."""
        return isinstance(self.scan, ObjectScan) or (isinstance(self.scan, InventoryScan) and self.scan.files_only)

    def _unvisited_directory(self, path: str) -> PathFate:
        """A directory that the scan does not visit, or should not."""
        hidden = self._hidden(path)
        if hidden is None or self._only_files:
            return PathFate(Fate.KEEP, hidden or Reason.NOT_SCANNED, False)
        if isinstance(self.scan, InventoryScan) and is_scanned(
            path, self.partition_by, self.scan, reserved=self.reserved
        ):
            return PathFate(Fate.KEEP, Reason.HIDDEN_DEEPER, None)
        return PathFate(Fate.KEEP, hidden, False)

    def _directory(self, path: str, fates: Mapping[str, PathFate], behind_link: bool) -> PathFate:
        """A visited directory must be deleted if it is empty, unless a live or retained file belongs in it (step 8).

        A DRY RUN also lists directories that are then kept, as they contain young or hidden files (docs/delta.md 1.2, step 11
        (c), (d)). How many of several nested directories one run deletes depends on the order of deletion, which is unspecified.
        """
        if not self.directories:
            return self._prefix(path)
        if isinstance(self.scan, ObjectScan):
            return self._above_objects(path, fates)
        if self._only_files:
            return PathFate(Fate.KEEP, Reason.NOT_SCANNED, False)
        contents = self.contents.get(path, [])
        listed = self._is_listed(path, contents)
        if any(other in fates and fates[other].is_surely_kept for other in contents):
            return PathFate(Fate.KEEP, Reason.HOLDS, listed)
        if not self._is_scanned(path):
            return PathFate(Fate.UNSPECIFIED, Reason.FAULTY, False)
        if path in self.kept_directories:
            # By another path, through a link, it looks like any empty directory.
            return PathFate(Fate.UNSPECIFIED if behind_link else Fate.KEEP, Reason.PARENT, False)
        if not contents:
            if listed is None:
                return PathFate(Fate.UNSPECIFIED, Reason.AT_CUTOFF, None)
            return PathFate(Fate.DELETE, Reason.EMPTY, True)
        if all(self.listing[other].directory for other in contents):
            return PathFate(Fate.UNSPECIFIED, Reason.HOLDS_EMPTY, listed)
        return PathFate(Fate.UNSPECIFIED, Reason.HOLDS_OLD, listed)

    def _prefix(self, path: str) -> PathFate:
        """A prefix of keys is there as long as one of its files is, and longer if there is a marker; a DRY RUN may list it."""
        return PathFate(Fate.UNSPECIFIED, Reason.HOLDS_OLD if self.contents.get(path) else Reason.EMPTY, None)

    def _above_objects(self, path: str, fates: Mapping[str, PathFate]) -> PathFate:
        """A directory, to an engine that lists objects only: it is not listed, and may be deleted if empty."""
        contents = self.contents.get(path, [])
        if any(other in fates and fates[other].is_surely_kept for other in contents):
            return PathFate(Fate.KEEP, Reason.HOLDS, False)
        return PathFate(Fate.UNSPECIFIED, Reason.HOLDS_OLD if contents else Reason.EMPTY, False)

    def _is_listed(self, path: str, contents: Iterable[str]) -> bool | None:
        """Whether a DRY RUN lists a directory: it does if no old file and no protected path is below it."""
        if path in self.kept_directories:
            return False
        unless_old = None if path in self.uncertain_directories else True
        if isinstance(self.scan, InventoryScan):
            # The files of an inventory do not count for their directories.
            return unless_old
        if not self._is_scanned(path):
            return False
        old = {
            self._old(self.listing[other])
            for other in contents
            if not self.listing[other].directory and self._is_scanned(other)
        }
        return False if True in old else None if None in old else unless_old

    # I/O faults ------------------------------------------------------------------------------------------------------

    def _with_io_fault(self, path: str, fate: PathFate) -> PathFate:
        """The fate, or UNSPECIFIED if the path has an I/O fault that VACUUM runs into."""
        if self.faulty_path is None or path != self.faulty_path[1] or fate.fate is Fate.KEEP:
            return fate
        occurs = fate.listed is not False if self.faulty_path[0].of_deletion else self._lists(path)
        return PathFate(Fate.UNSPECIFIED, Reason.FAULTY, fate.listed) if occurs else fate

    def _lists(self, path: str) -> bool:
        return isinstance(self.scan, FullScan) and self.listing[path].directory
