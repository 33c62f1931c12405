"""What a VACUUM must do with a path, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Fate(str, Enum):
    """Whether a VACUUM must keep or delete a path."""

    KEEP = "keep"
    DELETE = "delete"
    UNSPECIFIED = "unspecified"  # it may do either


class Reason(str, Enum):
    """Why a path has its fate. Shown in messages."""

    # Must be kept:
    LIVE = "the current version refers to it"
    LIVE_BY_URI = "the current version refers to it, by a URI"
    KEPT_VERSION = "it is of a version that VACUUM is asked to keep"
    KEPT_VERSION_VECTOR = "a deletion vector of a version that VACUUM is asked to keep is in it"
    LIVE_VECTOR = "a deletion vector of the current version is in it"
    RETAINED = "its tombstone is inside the retention"
    RETAINED_VECTOR = "a deletion vector of a tombstone inside the retention is in it"
    ABSOLUTE_VECTOR = (
        "a deletion vector of the current version or of a retained tombstone is in it, by an absolute path"
    )
    BEHIND_LINK = "it must be kept, and is also reachable through a symbolic link to a directory"
    HIDDEN_FILE = "its name is hidden"
    HIDDEN_DIRECTORY = "the directory's name is hidden"
    INSIDE_HIDDEN = "it is in a hidden directory"
    HIDDEN_DEEPER = "a component of its path other than the first is hidden"
    NOT_SCANNED = "this kind of VACUUM does not scan it"
    YOUNG = "nothing refers to it, and it is younger than the retention"
    YOUNG_REMOVED = "only expired tombstones refer to it, but the file itself is younger than the retention"
    HOLDS = "the directory contains something that must be kept"
    PARENT = "the directory is in the path of a live or retained file"

    # Must be deleted:
    EXPIRED = "all its tombstones are expired, and nothing else protects it"
    EXPIRED_VECTOR = "only expired tombstones have deletion vectors in it"
    ORPHAN_VECTOR = "it is a deletion vector file, nothing refers to it, and it is old"
    ORPHAN = "nothing refers to it, and it is old"
    CHANGE_FILE = "it is a change data file of a version outside the retention"
    EMPTY = "the directory is empty"

    # May be kept or deleted:
    HOLDS_OLD = "the directory contains a file that this run deletes, or may delete"
    HOLDS_EMPTY = "the directory contains only empty directories"
    AT_CUTOFF = "whether it is older than the cutoff cannot be known"
    YOUNG_COMMIT = "its tombstone is expired, and the commit that removed it is inside the retention"
    CHECKSUM = "it is the checksum of a file that may be deleted"
    LINK = "it is a symbolic link"
    FAULTY = "an I/O fault affects it, or a directory above or below it"


#: Reasons to keep a file for its own age alone.
KEPT_BY_AGE = (Reason.YOUNG, Reason.YOUNG_REMOVED)

#: Reasons to keep that a known engine ignores. The expectations for other paths must not depend on them.
DISPUTED = frozenset({Reason.ABSOLUTE_VECTOR, Reason.BEHIND_LINK, Reason.HIDDEN_DEEPER})


@dataclass(frozen=True, slots=True)  # there may be 100,000
class PathFate:
    """A path's fate and why. ``listed``: whether a DRY RUN lists it (None: unknown, or both are right)."""

    fate: Fate
    reason: Reason
    listed: bool | None

    @property
    def is_surely_kept(self) -> bool:
        """Whether every engine keeps it, those with a known fault too."""
        return self.fate is Fate.KEEP and not (self.reason in DISPUTED and self.listed is None)
