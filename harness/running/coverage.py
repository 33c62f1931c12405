"""Counts what a case exercised: operations, and of its VACUUMs reasons to keep or delete, modes, retentions, the cutoff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from deltalog.storage.listing import EntryKind
from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.vacuum_inputs import commit_times
from model.prediction.fates import KEPT_BY_AGE, Reason
from model.prediction.lite import monotonized
from model.prediction.paths import in_underscored_partition
from model.prediction.scans import LiteScan
from model.vocabulary.operations import operation_of
from model.vocabulary.steps import Step, Vacuum
from model.vocabulary.table import Kind, Table, retention_text


class Cell(NamedTuple):
    """A cell of one of the coverage tables.

    ``paths`` counts paths by reason and prediction; ``vacuums`` VACUUMs by retention and mode; ``cutoff`` timestamps by
    kind that are 1 ms before the cutoff, equal to it, or 1 ms after; ``operations`` the steps that ran by operation.
    """

    table: str
    row: str
    column: str


def nested(counts: Mapping[Cell, int]) -> dict[str, dict[str, dict[str, int]]]:
    """The counts as JSON: by table, row and column, each in order."""
    tables: dict[str, dict[str, dict[str, int]]] = {}
    for cell, count in sorted(counts.items()):
        tables.setdefault(cell.table, {}).setdefault(cell.row, {})[cell.column] = count
    return tables


#: The reasons as row names.
SHORT_NAMES = {
    Reason.LIVE: "live add",
    Reason.LIVE_BY_URI: "live add by URI",
    Reason.KEPT_VERSION: "version to keep",
    Reason.KEPT_VERSION_VECTOR: "deletion vector of a version to keep",
    Reason.LIVE_VECTOR: "live deletion vector",
    Reason.RETAINED: "retained tombstone",
    Reason.RETAINED_VECTOR: "retained deletion vector",
    Reason.ABSOLUTE_VECTOR: "deletion vector by absolute path",
    Reason.BEHIND_LINK: "behind a link",
    Reason.HIDDEN_FILE: "hidden file",
    Reason.HIDDEN_DIRECTORY: "hidden directory",
    Reason.INSIDE_HIDDEN: "inside a hidden directory",
    Reason.HIDDEN_DEEPER: "hidden deeper down",
    Reason.NOT_SCANNED: "not scanned",
    Reason.YOUNG: "young",
    Reason.YOUNG_REMOVED: "young, with an expired tombstone",
    Reason.HOLDS: "directory with something to keep",
    Reason.PARENT: "emptied directory of a protected path",
    Reason.EXPIRED: "expired tombstone",
    Reason.EXPIRED_VECTOR: "expired deletion vector",
    Reason.ORPHAN_VECTOR: "orphaned deletion vector",
    Reason.ORPHAN: "orphaned file",
    Reason.CHANGE_FILE: "change file",
    Reason.EMPTY: "empty directory",
    Reason.HOLDS_OLD: "directory of deleted files",
    Reason.HOLDS_EMPTY: "directory of empty directories",
    Reason.AT_CUTOFF: "as old as the cutoff",
    Reason.YOUNG_COMMIT: "removed by a young commit",
    Reason.CHECKSUM: "checksum of a deleted file",
    Reason.LINK: "link",
    Reason.FAULTY: "I/O fault",
}

#: The reasons for which a file in a partition directory with a hidden name is counted a second time.
_IN_PARTITION = (Reason.LIVE, Reason.RETAINED, *KEPT_BY_AGE)

#: The reasons that depend on the file's age.
_BY_AGE = (*KEPT_BY_AGE, Reason.EXPIRED, Reason.EXPIRED_VECTOR, Reason.ORPHAN, Reason.ORPHAN_VECTOR)

#: A RETAIN of this many hours or more is huge: ten years.
_HUGE = 10 * 365 * 24


def operation_cell(step: Step) -> Cell:
    """The cell that counts a step of any kind."""
    return Cell("operations", operation_of(step).value, "steps")


def coverage(observation: VacuumObservation) -> Counter[Cell]:
    """The coverage of a VACUUM. Paths and timestamps are counted only if it deletes: no DRY RUN, no refusal."""
    found = Counter([Cell("vacuums", retention_form(observation.step, observation.table), observation.step.mode.value)])
    if not observation.ran:
        return found
    for path, predicted in observation.fates.items():
        if path not in observation.before.data:
            continue
        found[Cell("paths", SHORT_NAMES[predicted.reason], predicted.fate.value)] += 1
        if predicted.reason in _IN_PARTITION and in_underscored_partition(path, observation.table.partition_by):
            found[Cell("paths", "partition with a hidden name", "keep")] += 1
    outside = sum(entry.kind is not EntryKind.DIRECTORY for entry in observation.before.beside.values())
    if outside:
        found[Cell("paths", "outside the root", "keep")] = outside
    return found + _boundaries(observation)


def retention_form(step: Vacuum, table: Table) -> str:
    """The source of a VACUUM's retention (RETAIN or the table's property), and the kind of its value."""
    hours = step.retain_hours
    if hours is None:
        return f"table's {_unit(table.retention_hours)}"
    if hours < 0:
        kind = "negative"
    elif hours == 0:
        kind = "zero"
    elif hours >= _HUGE:
        kind = "huge"
    else:
        kind = "whole" if hours == int(hours) else "fraction"
    return f"RETAIN {kind}, check {'on' if step.safety_check else 'off'}"


def _unit(hours: float | None) -> str:
    if hours is None:
        return "default"
    if hours == 0:
        return "zero"
    return retention_text(hours).split()[-1].rstrip("s") + "s"


def _boundaries(observation: VacuumObservation) -> Counter[Cell]:
    """The timestamps that decide about a path, near a cutoff that is exact to the millisecond."""
    if observation.cutoff.earliest != observation.cutoff.latest:
        return Counter()
    things, references, scan = observation.before.things, observation.references, observation.scan
    lite = isinstance(scan, LiteScan)
    stamps = scan.stamps if isinstance(scan, LiteScan) else {**references.vector_tombstones, **references.tombstones}
    alive = references.live | references.live_vectors
    # With a listing, a tombstone decides only about old files.
    decided = (
        stamp
        for path, stamp in stamps.items()
        if path in things and path not in alive and (lite or observation.cutoff.is_old(things[path].modified))
    )
    ages = (
        things[path].modified
        for path, predicted in observation.fates.items()
        if predicted.reason in _BY_AGE and not lite and things[path].kind is Kind.FILE
    )
    commits = monotonized(commit_times(observation.before)).values() if lite else ()
    sides = {observation.cutoff.latest + distance: text for distance, text in ((-1, "-1"), (0, "0"), (1, "+1"))}
    by_kind = (("tombstone", decided), ("file", ages), ("commit", commits))
    return Counter(Cell("cutoff", kind, sides[at]) for kind, instants in by_kind for at in instants if at in sides)
