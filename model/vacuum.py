"""What a VACUUM must do with every path below a table's root: keep it, delete it, or either.

The rules are those of a FULL VACUUM (facts 1.2, steps 4 to 13). They are stated over paths, ages and tombstones; how
an engine lists, joins or deletes does not matter here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from model.table import HOUR

#: Names that begin with ``_`` and are visible all the same (facts 1.2, step 9).
VISIBLE_PREFIXES = ("_delta_index", "_change_data")

LOG_DIRECTORY = "_delta_log"


class Fate(str, Enum):
    STAY = "stay"
    GO = "go"
    EITHER = "either"


class Reason(str, Enum):
    """Why a path has its fate."""

    LIVE = "the current version refers to it"
    RETAINED = "its tombstone is inside retention"
    YOUNG = "nothing refers to it, and it is younger than retention"
    HIDDEN = "its name is hidden"
    INSIDE_HIDDEN = "it lies in a hidden directory"
    HOLDS = "the directory holds something that stays"
    HOLDS_OLD = "the directory holds a file that this run deletes"
    HOLDS_EMPTY = "the directory holds only empty directories"
    PARENT = "the directory belongs to the path of a file that is live or retained"
    EXPIRED = "its tombstones are all expired, and the file is old"
    ORPHAN = "nothing refers to it, and it is old"
    EMPTY = "the directory is empty"
    AT_CUTOFF = "its age and the cutoff cannot be told apart"
    CHECKSUM = "it is the checksum of a file that goes"


@dataclass(frozen=True)
class Cutoff:
    """Where VACUUM draws the line, in ms since the epoch.

    ``earliest`` and ``latest`` are equal unless the engine takes the cutoff from a clock that nobody can set (RETAIN 0 on
    Spark). ``state`` is clock - the table's own retention: tombstones at or before it have left the table's state, whatever
    RETAIN says (facts 1.2, step 8 NB).
    """

    earliest: int
    latest: int
    state: int

    def is_old(self, modified: int) -> bool | None:
        """Whether a file of this mtime is old: strictly before the cutoff (facts 1.2, step 10). None: cannot be told."""
        if modified < self.earliest:
            return True
        return None if modified < self.latest else False

    def retains(self, deleted: int) -> bool | None:
        """Whether a tombstone of this deletionTimestamp still protects its file. None: cannot be told.

        It must be at or after the cutoff, and strictly after ``state``: with the default retention, one at the
        cutoff's very millisecond is expired.
        """
        if deleted <= self.state:
            return False
        old = self.is_old(deleted)
        return None if old is None else not old


def cutoff_for(*, clock: int, retention: int, retain: int | None, wall: tuple[int, int]) -> Cutoff:
    """The cutoff of a VACUUM, all in ms. ``retain`` is a RETAIN that has an effect, which the wall clock then measures.

    Facts 1.2, steps 4 and 5: without one, the cutoff is the engine's (injected) clock minus the table's retention.
    """
    state = clock - retention
    if retain is None:
        return Cutoff(state, state, state)
    return Cutoff(wall[0] - retain, wall[1] - retain, state)


def whole_hours(hours: float) -> int:
    """RETAIN's hours as the engine takes them: rounded to whole ones, halves up; in ms (facts 1.1)."""
    whole = math.floor(hours)
    # Not floor(hours + 0.5): that sum is itself rounded, and the greatest number below a half would become 1.
    return (whole + (hours - whole >= 0.5)) * HOUR


def is_hidden(name: str, partition_by: Iterable[str]) -> bool:
    """Whether one component of a path is hidden (facts 1.2, step 9)."""
    if not name.startswith(("_", ".")) or name.startswith(VISIBLE_PREFIXES):
        return False
    return not any(name.startswith(f"{column}=") for column in partition_by)


@dataclass(frozen=True)
class Thing:
    """What lies at a path below the root."""

    directory: bool
    modified: int  # ms since the epoch
    size: int  # bytes


@dataclass(frozen=True)
class Judged:
    """A path's fate and why; ``listed`` says whether a DRY RUN names it (None: cannot be told)."""

    fate: Fate
    reason: Reason
    listed: bool | None


def parents(path: str) -> list[str]:
    """The directories that a relative path lies in, nearest first, without the root."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]


def predict_vacuum(
    listing: Mapping[str, Thing],
    *,
    live: Iterable[str],
    tombstones: Mapping[str, int],
    partition_by: tuple[str, ...],
    cutoff: Cutoff,
) -> dict[str, Judged]:
    """The fate of every path in ``listing`` (relative paths as on storage, directories too, without the root).

    ``tombstones`` are the paths in remove actions with their latest deletionTimestamp (ms since the epoch; 0 where the
    action has none).
    """
    live = frozenset(live)
    retained = {path: cutoff.retains(deleted) for path, deleted in tombstones.items() if path not in live}
    kept = live | {path for path, retains in retained.items() if retains}
    kept_directories = {directory for path in kept for directory in parents(path)}
    doubtful = {directory for path, retains in retained.items() if retains is None for directory in parents(path)}
    judged: dict[str, Judged] = {}
    hidden = {path: _hidden(path, partition_by) for path in listing}
    for path, thing in listing.items():
        if hidden[path]:
            judged[path] = Judged(Fate.STAY, hidden[path] or Reason.HIDDEN, False)
        elif not thing.directory:
            judged[path] = _judge_file(path, thing, live, retained, tombstones, cutoff)
    for path in list(judged):
        checked = checksum_of(path)
        if (
            checked in listing
            and checked in judged
            and judged[checked].fate is not Fate.STAY
            and not listing[path].directory
        ):
            judged[path] = Judged(Fate.EITHER, Reason.CHECKSUM, False)
    for path, thing in listing.items():
        if thing.directory and not hidden[path]:
            judged[path] = _judge_directory(path, listing, judged, hidden, kept_directories, doubtful, cutoff)
    return judged


def checksum_of(path: str) -> str | None:
    """The file that Hadoop's local file system checks with this one (``.x.crc`` beside ``x``), and deletes along with."""
    head, _, name = path.rpartition("/")
    if name.startswith(".") and name.endswith(".crc") and len(name) > len("..crc"):
        return f"{head}/{name[1:-4]}" if head else name[1:-4]
    return None


def _hidden(path: str, partition_by: tuple[str, ...]) -> Reason | None:
    if any(is_hidden(directory.rpartition("/")[2], partition_by) for directory in parents(path)):
        return Reason.INSIDE_HIDDEN
    return Reason.HIDDEN if is_hidden(path.rpartition("/")[2], partition_by) else None


def _judge_file(
    path: str,
    thing: Thing,
    live: frozenset[str],
    retained: Mapping[str, bool | None],
    tombstones: Mapping[str, int],
    cutoff: Cutoff,
) -> Judged:
    if path in live:
        return Judged(Fate.STAY, Reason.LIVE, False)
    if retained.get(path):
        return Judged(Fate.STAY, Reason.RETAINED, False)
    old = cutoff.is_old(thing.modified)
    if old is False:
        return Judged(Fate.STAY, Reason.YOUNG, False)
    if old is None or retained.get(path, False) is None:
        return Judged(Fate.EITHER, Reason.AT_CUTOFF, None)
    return Judged(Fate.GO, Reason.EXPIRED if path in tombstones else Reason.ORPHAN, True)


def _judge_directory(
    path: str,
    listing: Mapping[str, Thing],
    judged: Mapping[str, Judged],
    hidden: Mapping[str, Reason | None],
    kept_directories: set[str],
    doubtful: set[str],
    cutoff: Cutoff,
) -> Judged:
    """A directory goes when it is empty. A DRY RUN names it when no old file lies below it and nothing kept belongs there.

    So a DRY RUN also names directories that then stay, since they hold young or hidden things (facts 1.2, step 11 (c), (d));
    and of directories in directories, the order of deletion, which is not promised, decides how many go at once.
    ``doubtful`` are the directories of files of which it cannot be told whether their tombstones protect them.
    """
    within = [other for other in listing if other.startswith(f"{path}/")]
    old = [
        cutoff.is_old(listing[other].modified) for other in within if not listing[other].directory and not hidden[other]
    ]
    if path in kept_directories:
        holds = bool(within)
        return Judged(Fate.STAY if holds else Fate.EITHER, Reason.HOLDS if holds else Reason.PARENT, False)
    listed = False if True in old else None if None in old or path in doubtful else True
    if not within:
        return Judged(Fate.EITHER, Reason.PARENT, None) if listed is None else Judged(Fate.GO, Reason.EMPTY, True)
    if any(other in judged and judged[other].fate is Fate.STAY for other in within):
        return Judged(Fate.STAY, Reason.HOLDS, listed)
    if all(listing[other].directory for other in within):
        return Judged(Fate.EITHER, Reason.HOLDS_EMPTY, listed)
    return Judged(Fate.EITHER, Reason.HOLDS_OLD, listed)
