"""VACUUM of the reference engine: what the model predicts, in every mode and form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deltalog.entries.actions import Cdc, CommitInfo, Remove
from deltalog.errors import AlreadyWritten
from deltalog.storage.names import LAST_VACUUM_INFO, LAST_VACUUM_KEY, LOG_DIRECTORY, commit_name
from deltalog.storage.times import set_modified
from model.prediction.fates import PathFate, Reason
from model.prediction.lite import LogPruned, last_outside_retention, lite_window
from model.prediction.paths import StorageEntry, is_hidden, is_visible
from model.prediction.refusals import CANNOT_VACUUM_LITE, TOO_SHORT
from model.prediction.retention import Cutoff, cutoff_for, effective_retain, refuses_retain
from model.prediction.scans import FullScan, InventoryScan, LiteScan, ObjectScan, References, Scan, listing_of
from model.prediction.vacuum import predict_vacuum
from model.vocabulary.accesses import Operation
from model.vocabulary.rules import DELTA_RS, SPARK, Rules, Walk
from model.vocabulary.steps import CrashPoint, Inventory, IOFault, Vacuum
from model.vocabulary.table import Feature, Kind
from model.vocabulary.values import Row
from reference_engine.refusals import Refused, due
from reference_engine.storage import TableStorage
from reference_engine.transaction import origin
from reference_engine.view import View


@dataclass(frozen=True)
class ReferenceOptions:
    """Choices in which engines may differ."""

    top_down: bool = False  # try to delete a directory before its content
    deletes_checksums: bool = True  # delete a file's checksum with it, as Hadoop's local file system does
    one_file: bool = False  # DELETE writes the survivors of a partition into one file, not file by file
    deletes_links: bool = False  # delete symbolic links to old files
    reads_commits: bool = False  # read a table from its commits if the newest checkpoint was written by half


class _Crash(Exception):
    """The file system failed while a path was deleted."""


@dataclass
class _Named:
    """The paths below the root that the commits of LITE's window name."""

    #: By removed file or deletion-vector file: the latest deletionTimestamp.
    stamps: dict[str, int] = field(default_factory=dict)
    changes: set[str] = field(default_factory=set)  # change files
    sizes: dict[str, int] = field(default_factory=dict)  # bytes, by the latest action; 0 if it has no size


@dataclass
class Vacuuming:
    """One VACUUM."""

    view: View
    storage: TableStorage
    step: Vacuum
    clock: int  # the engine's clock, ms since the epoch
    at: int  # when it runs, by the wall clock, ms since the epoch
    habits: ReferenceOptions = ReferenceOptions()
    rules: Rules = SPARK

    def __post_init__(self) -> None:
        self.retain = effective_retain(self.step.retain_hours, self.rules.retain)
        self.cutoff: Cutoff = cutoff_for(
            clock=self.clock,
            retention=self.view.retention,
            retain=self.retain,
            wall=(self.at, self.at),
            own_clock=self.rules.own_clock,
        )
        self.end: int | None = None  # the last version of LITE's window
        self.silent = False  # whether it writes no commits

    def run(self) -> tuple[Row, ...]:
        """Execute it and return its result. Raises Refused, also where the file system fails."""
        if refuses_retain(self.retain, retention=self.view.retention, safety_check=self.step.safety_check):
            raise due(TOO_SHORT) if self.rules.retain_error_class else Refused(None, None, "IllegalArgumentException")
        sizes = self._candidates()
        self.silent = not sizes and not self.rules.logs_empty_vacuums
        if self.step.dry_run:
            scheme = "" if self.rules.implementation == DELTA_RS.implementation else "file:"
            return tuple((f"{scheme}{self.view.root / path}",) for path in sizes)
        deleted = self._delete_all(sizes)
        if self.rules.implementation == DELTA_RS.implementation:
            return tuple((f"{self.view.root / path}",) for path in deleted)
        self._write_bookmark()
        return () if not self.step.returns_rows else ((f"file:{self.view.root}",),)

    # What is to be deleted ----------------------------------------------------------------------------------------

    def _candidates(self) -> dict[str, int]:
        """What a DRY RUN lists, with sizes in bytes. Sets ``directories``, the number of directories in the metrics."""
        named = self._named() if self.step.mode.lite else _Named()
        scan = self._scan(named)
        listing = self.view.listing()
        if isinstance(scan, FullScan):
            listing = self._as_listed(listing)
        # LITE lists what the log names even if it no longer exists.
        missing = {path: StorageEntry(Kind.FILE, 0, size) for path, size in named.sizes.items() if path not in listing}
        found = {**listing, **missing}
        judged = predict_vacuum(
            found,
            self._references(),
            partition_by=self.view.table.partition_by,
            cutoff=self.cutoff,
            scan=scan,
            reserved=self.rules.reserved_names,
        )
        visited = [path for path, one in listing.items() if one.kind is Kind.DIRECTORY and self._visits(path, scan)]
        self.directories = 1 + len(visited)
        if isinstance(scan, FullScan):
            self.storage.ask(Operation.LIST, ["", *visited])
        return {
            path: named.sizes.get(path, self._size(path, thing))
            for path, thing in found.items()
            if path in judged and (judged[path].listed or self._deletes_link(path, judged[path], thing, listing))
        }

    def _references(self) -> References:
        references = self.view.references_and(self.step.kept_versions(self.view.snapshot.version))
        if not self.rules.keeps_removals_of_young_commits:
            return references
        return replace(references, removals=self.view.removals)

    def _scan(self, named: _Named) -> Scan:
        if self.step.mode.inventory:
            return InventoryScan(self.step.inventory is Inventory.FILES)
        if self.step.mode.lite:
            return LiteScan(named.stamps, frozenset(named.changes))
        return listing_of(self.rules)

    def _visits(self, path: str, scan: Scan) -> bool:
        """Whether the scan counts this directory."""
        partition_by = self.view.table.partition_by
        if isinstance(scan, (LiteScan, ObjectScan)):
            return False
        if isinstance(scan, InventoryScan):
            return not scan.files_only and not is_hidden(path, partition_by, self.rules.reserved_names)
        return is_visible(path, partition_by, self.rules.reserved_names)

    def _as_listed(self, listing: Mapping[str, StorageEntry]) -> dict[str, StorageEntry]:
        """What a listing finds. Raises Refused where a directory that it enters cannot be listed."""
        path, io_fault = self.step.faulty_path, self.step.io_fault
        if path is None or io_fault not in (IOFault.CANNOT_LIST, IOFault.DIRECTORY_VANISHES):
            return dict(listing)
        if path not in listing or listing[path].kind is not Kind.DIRECTORY or not self._visits(path, FullScan()):
            return dict(listing)
        if io_fault is IOFault.CANNOT_LIST:
            raise Refused(None, None, "SparkException")
        return {other: thing for other, thing in listing.items() if not other.startswith(f"{path}/")}

    def _deletes_link(
        self, path: str, fate: PathFate, thing: StorageEntry, listing: Mapping[str, StorageEntry]
    ) -> bool:
        """Whether this engine deletes a link for which the model allows both."""
        if fate.reason is not Reason.LINK or thing.target is None or not self.habits.deletes_links:
            return False
        if self.step.mode.inventory or self.step.mode.lite:
            return False
        target = self.view.root / thing.target
        return target.is_file() and target.stat().st_mtime_ns // 1_000_000 < self.cutoff.earliest

    def _size(self, path: str, thing: StorageEntry) -> int:
        """Bytes, as Hadoop's local file system reports them: for a link, those of its target."""
        return (self.view.root / path).stat().st_size if thing.kind is Kind.LINK else thing.size

    def _named(self) -> _Named:
        """Collect from LITE's window, and set its end; or from the tombstones, for an engine without a window."""
        if not self.rules.lite_window:
            tombstones = _Named()
            for remove in self.view.snapshot.removes.values():
                self._name(tombstones, self.view.place(remove), remove.deletion_timestamp or 0, remove.size or 0)
            return tombstones
        times = self.view.commit_times
        try:
            window = lite_window(times, cutoff=self.cutoff.latest, last_vacuumed=self.view.bookmark)
        except LogPruned:
            raise due(CANNOT_VACUUM_LITE) from None
        self.end = last_outside_retention(times, self.cutoff.latest)
        named = _Named()
        for version in range(window.first, window.last + 1) if window else ():
            self.storage.ask(Operation.OPEN, [f"{LOG_DIRECTORY}/{commit_name(version)}"])
            for action in self.view.log.commits[version].actions:
                if isinstance(action, Remove):
                    stamp = action.deletion_timestamp or 0
                    self._name(named, self.view.place(action), stamp, action.size or 0)
                    vector = action.deletion_vector
                    if vector is not None and vector.storage == "u" and vector.file is not None:
                        self._name(named, vector.file, stamp, vector.size)
                elif isinstance(action, Cdc):
                    named.changes.add(self.view.place(action))
                    named.sizes[self.view.place(action)] = action.size
        return named

    def _name(self, named: _Named, path: str, stamp: int, size: int) -> None:
        if not path.startswith("../") and stamp >= named.stamps.get(path, 0):
            named.stamps[path], named.sizes[path] = stamp, size

    # The deletion -------------------------------------------------------------------------------------------------

    def _delete_all(self, sizes: Mapping[str, int]) -> list[str]:
        """Delete, between START and END, and return what was deleted. Raises Refused where the file system fails."""
        self._log(
            "VACUUM START",
            self._parameters(),
            _metrics(numFilesToDelete=len(sizes), sizeOfDataToDelete=sum(sizes.values())),
        )
        order = sorted(sizes, key=lambda path: path.count("/"), reverse=not self.habits.top_down)
        try:
            deleted = [path for path in order if self._delete(path)]
        except _Crash:
            self._log("VACUUM END", {"status": "FAILED"}, {})
            raise Refused(None, None, "SparkException" if self.step.parallel else "IllegalStateException") from None
        metrics = _metrics(numDeletedFiles=len(deleted), numVacuumedDirectories=self.directories)
        self._log("VACUUM END", {"status": "COMPLETED"}, metrics)
        return deleted

    def _delete(self, path: str) -> bool:
        """Delete one file, or a directory if it is empty; whether this engine deleted it."""
        if path != self.step.faulty_path:
            return self._remove(path)
        if self.step.io_fault is IOFault.DELETE_CRASHES:
            raise _Crash
        if self.step.io_fault is IOFault.FILE_VANISHES:
            self._remove(path)
            return False
        return self.step.io_fault is not IOFault.CANNOT_DELETE and self._remove(path)

    def _remove(self, path: str) -> bool:
        target = self.view.root / path
        if target.is_dir() and not target.is_symlink():
            if any(target.iterdir()):
                return False
            try:
                self.storage.delete(target, target.rmdir)
            except OSError:  # another session has deleted it, or written a file into it
                return False
            return True
        if not target.exists():
            return False
        try:
            self.storage.delete(target, lambda: self._unlink(target))
        except FileNotFoundError:  # another session has deleted it
            return False
        return True

    def _unlink(self, target: Path) -> None:
        target.unlink()
        checksum = target.with_name(f".{target.name}.crc")
        if self.habits.deletes_checksums and self.rules.walk is Walk.DIRECTORIES and checksum.is_file():
            checksum.unlink()

    # The log and the bookmark -------------------------------------------------------------------------------------------

    def _parameters(self) -> dict[str, Any]:
        specified = {} if self.retain is None else {"specifiedRetentionMillis": self.retain}
        return {
            "retentionCheckEnabled": self.step.safety_check,
            "defaultRetentionMillis": self.view.retention,
            **specified,
        }

    def _log(self, operation: str, parameters: Mapping[str, Any], metrics: Mapping[str, str]) -> None:
        if not (self.rules.logs_by_default if self.step.logging is None else self.step.logging) or self.silent:
            return
        view = View(self.view.root)
        times = {"timestamp": self.clock}
        if view.table.has(Feature.IN_COMMIT_TIMESTAMPS):
            times["inCommitTimestamp"] = view.next_commit_time(self.clock)
        info = {
            **times,
            "operation": operation,
            "operationParameters": parameters,
            "readVersion": view.snapshot.version,
            "isolationLevel": "SnapshotIsolation",
            "isBlindAppend": True,
            "operationMetrics": metrics,
            **origin(),
        }
        try:
            self.storage.commit(view.snapshot.version + 1, [CommitInfo(info)], CrashPoint(operation))
        except AlreadyWritten:  # by another session: nothing of it is in the way of a commit without actions
            self._log(operation, parameters, metrics)

    def _write_bookmark(self) -> None:
        bookmark = {} if self.end is None else {LAST_VACUUM_KEY: self.end}
        path = self.view.root / LOG_DIRECTORY / LAST_VACUUM_INFO
        path.write_text(json.dumps(bookmark) + "\n", encoding="utf-8")
        set_modified(path, self.at)


def _metrics(**numbers: int) -> dict[str, str]:
    return {name: str(number) for name, number in numbers.items()}
