"""What a VACUUM must do with every path below a table's root: keep it, delete it, or either.

The rules are those of docs/delta.md 1.2 (steps 4 to 13), 1.3 and 1.4. They are stated over paths, ages and tombstones; how an
engine lists, joins or deletes does not matter here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from model.fates import DISPUTED as DISPUTED
from model.fates import Fate as Fate
from model.fates import PathFate as PathFate
from model.fates import Reason as Reason
from model.judging import Judge, is_scanned
from model.links import behind_links as behind_links
from model.links import reached_directories as reached_directories
from model.links import resolved as resolved
from model.lite import LogPruned as LogPruned
from model.lite import Window as Window
from model.lite import last_outside_retention as last_outside_retention
from model.lite import lite_window as lite_window
from model.lite import monotonized as monotonized
from model.paths import LOG_DIRECTORY as LOG_DIRECTORY
from model.paths import VISIBLE_PREFIXES as VISIBLE_PREFIXES
from model.paths import Thing as Thing
from model.paths import checksum_of as checksum_of
from model.paths import in_underscored_partition as in_underscored_partition
from model.paths import is_hidden as is_hidden
from model.paths import is_vector_file as is_vector_file
from model.paths import is_visible as is_visible
from model.paths import parents as parents
from model.retention import Cutoff as Cutoff
from model.retention import cutoff_for as cutoff_for
from model.retention import effective_retain as effective_retain
from model.retention import refuses_retain as refuses_retain
from model.retention import whole_hours as whole_hours
from model.scans import FullScan as FullScan
from model.scans import InventoryScan as InventoryScan
from model.scans import LiteScan as LiteScan
from model.scans import ObjectScan as ObjectScan
from model.scans import References as References
from model.scans import Scan as Scan
from model.steps import IOFault
from model.table import Kind

_FULL_SCAN = FullScan()


def predict_vacuum(
    listing: Mapping[str, Thing],
    references: References,
    *,
    partition_by: tuple[str, ...],
    cutoff: Cutoff,
    scan: Scan = _FULL_SCAN,
    faulty_path: tuple[IOFault, str] | None = None,
    reserved: Collection[str] = (),
) -> dict[str, PathFate]:
    """The fate of every path in ``listing`` (relative paths as on storage, directories too, without the root).

    ``troubled`` is a path with which the file system has trouble. Where that makes VACUUM fail (``ends_in_error``), what
    must go may stay all the same: the fates are those of a run that gets to its end. ``reserved`` names are hidden.
    """
    return Judge(listing, references, partition_by, cutoff, scan, faulty_path, reserved).judge()


def ends_in_error(
    judged: Mapping[str, PathFate],
    listing: Mapping[str, Thing],
    *,
    partition_by: tuple[str, ...],
    scan: Scan,
    faulty_path: tuple[IOFault, str] | None,
    dry_run: bool,
    reserved: Collection[str] = (),
) -> bool | None:
    """Whether the trouble makes VACUUM fail; None: cannot be told. ``judged`` is what was predicted with that trouble.

    A directory that cannot be listed always does, in a dry run too; a deletion that breaks does where there is one.
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
    if path in judged:
        return judged[path].listed
    # What the log names is tried to be deleted, whether it is there or not.
    return None if isinstance(scan, LiteScan) and (path in scan.stamps or path in scan.changes) else False


def lite_candidates(references: References, scan: LiteScan, cutoff: Cutoff) -> dict[str, bool | None]:
    """What a LITE VACUUM tries to delete, whether it is on storage or not (docs/delta.md 1.3). None: cannot be told.

    A DRY RUN names these paths, and START's numFilesToDelete counts them. All that the window names is in the answer.
    """
    judge = Judge({}, references, (), cutoff, scan, None)
    named = sorted({*scan.stamps, *scan.changes})
    return {path: judge.named(path, Thing(Kind.FILE, 0, 0)).listed for path in named}


def listed_directories(
    listing: Mapping[str, Thing],
    *,
    partition_by: tuple[str, ...],
    scan: Scan = _FULL_SCAN,
    faulty_path: tuple[IOFault, str] | None = None,
    reserved: Collection[str] = (),
) -> int | None:
    """What END's numVacuumedDirectories says: the visible directories that were listed, and one for the root (docs/delta.md 1.5).

    None: cannot be told, since a symbolic link leads to a directory.
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
        end = None if target is None else listing.get(target)
        if target is not None and (end is None or end.kind is not Kind.FILE):
            return None
    return count
