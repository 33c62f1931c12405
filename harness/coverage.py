"""What a VACUUM met: reasons, modes, retentions, instants at the cutoff. The report counts them over a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from deltalog.listing import EntryKind
from model.steps import Vacuum
from model.table import DAY, HOUR, WEEK, Kind, Table
from model.vacuum import LiteScan, Reason, in_underscored_partition, monotonized
from harness.vacuum_inputs import commit_times
from harness.vacuum_observation import VacuumObservation

#: The reasons in a few words.
SHORT_NAMES = {
    Reason.LIVE: "live add",
    Reason.LIVE_BY_URI: "live add by URI",
    Reason.LIVE_VECTOR: "live vector",
    Reason.RETAINED: "retained tombstone",
    Reason.RETAINED_VECTOR: "retained vector",
    Reason.ABSOLUTE_VECTOR: "absolute vector",
    Reason.BEHIND_LINK: "behind a link",
    Reason.HIDDEN_FILE: "hidden file",
    Reason.HIDDEN_DIRECTORY: "hidden directory",
    Reason.INSIDE_HIDDEN: "inside a hidden directory",
    Reason.HIDDEN_DEEPER: "hidden deeper down",
    Reason.NOT_SCANNED: "not scanned",
    Reason.YOUNG: "young",
    Reason.HOLDS: "directory that holds something",
    Reason.EXPIRED: "expired tombstone",
    Reason.EXPIRED_VECTOR: "expired vector",
    Reason.ORPHAN_VECTOR: "orphan vector",
    Reason.ORPHAN: "orphan",
    Reason.CHANGE_FILE: "change file",
    Reason.EMPTY: "empty directory",
    Reason.HOLDS_OLD: "directory of what goes",
    Reason.HOLDS_EMPTY: "directory of empty directories",
    Reason.PARENT: "empty directory of a protected path",
    Reason.AT_CUTOFF: "as old as the cutoff",
    Reason.CHECKSUM: "checksum of what goes",
    Reason.LINK: "link",
    Reason.FAULTY: "troubled",
}

#: The reasons that a file in a partition directory whose name begins with ``_`` or ``.`` is counted for besides.
_IN_PARTITION = (Reason.LIVE, Reason.RETAINED, Reason.YOUNG)

#: The reasons by which a file's own age decides.
_BY_AGE = (Reason.YOUNG, Reason.EXPIRED, Reason.EXPIRED_VECTOR, Reason.ORPHAN, Reason.ORPHAN_VECTOR)

#: From this RETAIN on it is a huge one: ten years.
_HUGE = 10 * 365 * 24


def coverage(observation: VacuumObservation) -> Counter[str]:
    """What the VACUUM met, each with the number of times.

    ``stay: …``, ``go: …`` and ``either: …`` count paths, ``boundary: …`` those whose instant is a millisecond before the
    cutoff, at it, or a millisecond after; both of real runs only, and not of refused or failed ones. ``mode … × …`` counts
    each step.
    """
    met = Counter([f"mode {observation.step.mode.value} × {retention_form(observation.step, observation.table)}"])
    if not observation.ran:
        return met
    for path, judged in observation.fates.items():
        if path not in observation.before.data:
            continue
        met[f"{judged.fate.value}: {SHORT_NAMES[judged.reason]}"] += 1
        if judged.reason in _IN_PARTITION and in_underscored_partition(path, observation.table.partition_by):
            met["stay: `_`-partition"] += 1
    outside = sum(entry.kind is not EntryKind.DIRECTORY for entry in observation.before.beside.values())
    if outside:
        met["stay: outside the root"] = outside
    return met + _boundaries(observation)


def retention_form(step: Vacuum, table: Table) -> str:
    """How the retention of a VACUUM is said: by its RETAIN, or by the table."""
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


def _unit(hours: int | None) -> str:
    if hours is None:
        return "default"
    if hours == 0:
        return "zero"
    return "weeks" if hours % (WEEK // HOUR) == 0 else "days" if hours % (DAY // HOUR) == 0 else "hours"


def _boundaries(observation: VacuumObservation) -> Counter[str]:
    """Instants by which something was decided, and that are next to a cutoff which is known to the millisecond."""
    if observation.cutoff.earliest != observation.cutoff.latest:
        return Counter()
    things, references, scan = observation.before.things, observation.references, observation.scan
    lite = isinstance(scan, LiteScan)
    stamps = scan.stamps if isinstance(scan, LiteScan) else {**references.vector_tombstones, **references.tombstones}
    alive = references.live | references.live_vectors
    # Where a listing is looked through, a tombstone decides of an old file only.
    decided = (
        stamp
        for path, stamp in stamps.items()
        if path in things and path not in alive and (lite or observation.cutoff.is_old(things[path].modified))
    )
    ages = (
        things[path].modified
        for path, judged in observation.fates.items()
        if judged.reason in _BY_AGE and not lite and things[path].kind is Kind.FILE
    )
    commits = monotonized(commit_times(observation.before)).values() if lite else ()
    return (
        _sides("tombstone", decided, observation.cutoff.latest)
        + _sides("file", ages, observation.cutoff.latest)
        + _sides("commit", commits, observation.cutoff.latest)
    )


def _sides(what: str, instants: Iterable[int], cutoff: int) -> Counter[str]:
    sides = {-1: "-1", 0: "0", 1: "+1"}
    return Counter(f"boundary: {what} {sides[at - cutoff]}" for at in instants if at - cutoff in sides)
