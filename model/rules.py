"""Rules that differ between engines or releases, for the model.

A rule is here only if an engine's documentation or source states it, not because it was observed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Retain(Enum):
    """Which RETAIN of a VACUUM moves its cutoff."""

    ANY = "any"
    ZERO = "one that rounds to 0 hours"  # Delta on Spark from 4.1 on (docs/delta.md 1.2, step 4)


class Walk(Enum):
    """How a full VACUUM lists the files below the root, and so which names it treats as hidden."""

    DIRECTORIES = "directory by directory"  # a hidden name at any depth hides a path; directories are deleted too
    OBJECTS = "as an object store's list"  # only the first component can hide a path; there are no directories


@dataclass(frozen=True)
class Rules:
    """The rules of one engine in one version. The defaults are those of the newest supported Delta on Spark."""

    implementation: str = "spark"
    #: Whether the case sets the engine's clock. If not, VACUUM uses the wall clock, and the table is moved in time.
    own_clock: bool = True
    retain: Retain = Retain.ZERO
    walk: Walk = Walk.DIRECTORIES
    #: Whether LITE reads the commits since the last LITE; if not, the tombstones of the current version.
    lite_window: bool = True
    #: Whether a DELETE writes deletion vectors if the table has them enabled; if not, it rewrites files.
    writes_vectors: bool = True
    #: Whether any commit may be followed by a log cleanup (PROTOCOL.md, "Metadata Cleanup"); if not, only a checkpoint.
    cleans_up_anytime: bool = False
    #: Whether errors have classes (docs/delta.md 1.1, 2.1); if not, any error is accepted where one is required.
    error_classes: bool = True
    #: Names of files and directories that VACUUM treats as hidden at any depth (docs/delta.md 5).
    reserved_names: frozenset[str] = frozenset()
    #: Whether the metrics of a DELETE count deletion vectors.
    counts_vectors: bool = True
    #: The release of Delta on Spark; some error classes depend on it.
    release: tuple[int, ...] = (4, 4)
    #: Whether the refusal of a RETAIN has its own error class.
    retain_error_class: bool = True
    #: Whether reading a version older than the retention is refused.
    blocks_expired_versions: bool = True


#: Delta on Spark, from 4.1 on.
SPARK = Rules()

#: delta-rs (crates/core/src/operations/vacuum.rs).
DELTA_RS = Rules(
    implementation="deltalake",
    own_clock=False,
    retain=Retain.ANY,
    walk=Walk.OBJECTS,
    lite_window=False,
    writes_vectors=False,
    cleans_up_anytime=True,
    error_classes=False,
    retain_error_class=False,
    blocks_expired_versions=False,
)
