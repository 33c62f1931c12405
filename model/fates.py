"""What becomes of a path at a VACUUM, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Fate(str, Enum):
    """What a VACUUM must do with a path."""

    KEEP = "keep"
    DELETE = "delete"
    UNSPECIFIED = "unspecified"  # both are right


class Reason(str, Enum):
    """Why a path has its fate."""

    # It must stay.
    LIVE = "the current version refers to it"
    LIVE_BY_URI = "the current version refers to it, by a URI"
    LIVE_VECTOR = "a deletion vector of the current version is in it"
    RETAINED = "its tombstone is inside retention"
    RETAINED_VECTOR = "a deletion vector of a tombstone inside retention is in it"
    ABSOLUTE_VECTOR = (
        "a deletion vector of the current version or of a retained tombstone is in it, by an absolute path"
    )
    BEHIND_LINK = "it must stay, and a symbolic link to a directory leads to it as well"
    HIDDEN_FILE = "its name is hidden"
    HIDDEN_DIRECTORY = "the directory's name is hidden"
    INSIDE_HIDDEN = "it lies in a hidden directory"
    HIDDEN_DEEPER = "it is hidden, but not by the first component of its path"
    NOT_SCANNED = "this kind of VACUUM does not look at it"
    YOUNG = "nothing refers to it, and it is younger than retention"
    HOLDS = "the directory holds something that stays"

    # It must go.
    EXPIRED = "its tombstones are all expired, and nothing else protects it"
    EXPIRED_VECTOR = "only expired tombstones have deletion vectors in it"
    ORPHAN_VECTOR = "it is a file of deletion vectors, nothing refers to it, and it is old"
    ORPHAN = "nothing refers to it, and it is old"
    CHANGE_FILE = "it is a change file of a version outside retention"
    EMPTY = "the directory is empty"

    # It may do either.
    HOLDS_OLD = "the directory holds a file that this run deletes, or may delete"
    HOLDS_EMPTY = "the directory holds only empty directories"
    PARENT = "the directory belongs to the path of a file that is live or retained"
    AT_CUTOFF = "its age and the cutoff cannot be told apart"
    CHECKSUM = "it is the checksum of a file that goes"
    LINK = "it is a symbolic link"
    FAULTY = "the file system has trouble with it, or with what is above or below it"


#: Reasons to stay of which an engine is known that does not honour them: what else is judged must not fail with them.
DISPUTED = frozenset({Reason.ABSOLUTE_VECTOR, Reason.BEHIND_LINK, Reason.HIDDEN_DEEPER})


@dataclass(frozen=True)
class PathFate:
    """A path's fate and why; ``listed`` says whether a DRY RUN names it (None: cannot be told, or either is right)."""

    fate: Fate
    reason: Reason
    listed: bool | None

    @property
    def surely_stays(self) -> bool:
        """Whether it stays, and nothing else may depend on its going."""
        return self.fate is Fate.KEEP and not (self.reason in DISPUTED and self.listed is None)
