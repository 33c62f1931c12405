"""The model of VACUUM: which paths below a table's root it must keep, must delete, or may delete.

The rules are those of docs/delta.md 1.2 (steps 4 to 13), 1.3 and 1.4, in terms of paths, ages and tombstones. How an engine
lists, joins or deletes does not matter.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from model.prediction.fates import PathFate
from model.prediction.links import resolved
from model.prediction.path_rules import PathRules, is_scanned
from model.prediction.paths import StorageEntry, is_visible
from model.prediction.retention import Cutoff
from model.prediction.scans import FullScan, InventoryScan, LiteScan, ObjectScan, References, Scan
from model.vocabulary.steps import IOFault
from model.vocabulary.table import Kind

_FULL_SCAN = FullScan()


def predict_vacuum(
    listing: Mapping[str, StorageEntry],
    references: References,
    *,
    partition_by: tuple[str, ...],
    cutoff: Cutoff,
    scan: Scan = _FULL_SCAN,
    faulty_path: tuple[IOFault, str] | None = None,
    reserved: Collection[str] = (),
    directories: bool = True,
) -> dict[str, PathFate]:
    """The fate of every path in ``listing`` (relative paths as on storage, directories too, without the root).

    ``faulty_path`` has an I/O fault. The fates are those of a run that does not fail: if the fault makes VACUUM fail
    (``ends_in_error``), paths that must be deleted may still be there. ``reserved`` names are hidden. ``directories``:
    whether the storage has any.
    """
    return PathRules(listing, references, partition_by, cutoff, scan, faulty_path, reserved, directories).fates()


def ends_in_error(
    fates: Mapping[str, PathFate],
    listing: Mapping[str, StorageEntry],
    *,
    partition_by: tuple[str, ...],
    scan: Scan,
    faulty_path: tuple[IOFault, str] | None,
    dry_run: bool,
    reserved: Collection[str] = (),
) -> bool | None:
    """Whether the I/O fault makes VACUUM fail; None: unknown. ``fates`` are those predicted with that fault.

    CANNOT_LIST on a directory always does, in a DRY RUN too; DELETE_CRASHES does if the path is deleted.
    """
    if faulty_path is None:
        return False
    io_fault, path = faulty_path
    if io_fault is IOFault.CANNOT_LIST:
        thing = listing.get(path)
        listed = thing is not None and thing.directory and is_visible(path, partition_by, reserved)
        return listed and isinstance(scan, FullScan)
    if io_fault is not IOFault.DELETE_CRASHES or dry_run:
        return False
    if path in fates:
        return fates[path].listed
    # LITE tries to delete what the log names, whether it is there or not.
    return None if isinstance(scan, LiteScan) and (path in scan.stamps or path in scan.changes) else False


def listed_directories(
    listing: Mapping[str, StorageEntry],
    *,
    partition_by: tuple[str, ...],
    scan: Scan = _FULL_SCAN,
    faulty_path: tuple[IOFault, str] | None = None,
    reserved: Collection[str] = (),
) -> int | None:
    """END's numVacuumedDirectories: the visible directories that were listed, and one for the root (docs/delta.md 1.5).

    None: unknown, as a symbolic link leads to a directory.
    """
    if isinstance(scan, (LiteScan, ObjectScan)) or (isinstance(scan, InventoryScan) and scan.files_only):
        return 1
    count = 1
    for path, thing in listing.items():
        if thing.kind is Kind.FILE or not is_scanned(path, partition_by, scan, faulty_path, reserved):
            continue
        if thing.directory:
            count += 1
            continue
        target = resolved(path, listing)
        destination = None if target is None else listing.get(target)
        if target is not None and (destination is None or destination.kind is not Kind.FILE):
            return None
    return count
