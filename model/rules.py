"""What engines promise differently: the rules by which the model predicts one engine in one version.

A rule is here if an engine's documentation or source says it, not because it was seen. What no engine may do differently
has no rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Retain(Enum):
    """Which RETAIN of a VACUUM moves its cutoff."""

    ANY = "any"
    ZERO = "one that rounds to 0 hours"  # Delta on Spark from 4.1 on (docs/delta.md 1.2, step 4)


class Walk(Enum):
    """How a full VACUUM comes by the files below the root, and so which names it takes for hidden."""

    DIRECTORIES = "directory by directory"  # hidden is what has a hidden name at any depth; directories go, too
    OBJECTS = "as an object store's list"  # hidden is what begins with a hidden name; there are no directories


@dataclass(frozen=True)
class Rules:
    """The rules of one engine in one version. The defaults are those of the newest Delta on Spark that is known here."""

    implementation: str = "spark"
    #: Whether the engine's clock is the case's. If not, VACUUM draws its line by the wall clock, and only the table ages.
    own_clock: bool = True
    retain: Retain = Retain.ZERO
    walk: Walk = Walk.DIRECTORIES
    #: Whether LITE goes through the commits since the last one; if not, through the tombstones of the current version.
    lite_window: bool = True
    #: Whether a DELETE writes deletion vectors where a table asks for them; if not, it rewrites files.
    writes_vectors: bool = True
    #: Whether any commit may be followed by a cleanup of the log (PROTOCOL.md, "Metadata Cleanup"); if not, a checkpoint's only.
    cleans_up_anytime: bool = False
    #: Whether errors have classes (docs/delta.md 1.1, 2.1): if not, an error will do wherever one must come.
    error_classes: bool = True
    #: Names of files and directories that VACUUM takes for hidden wherever they lie (docs/delta.md 5).
    reserved_names: frozenset[str] = frozenset()
    #: Whether the metrics of a DELETE count deletion vectors.
    counts_vectors: bool = True
    #: The release of Delta on Spark, by which some errors have other classes.
    release: tuple[int, ...] = (4, 4)
    #: Whether a RETAIN that must be refused has an error class of its own.
    retain_error_class: bool = True
    #: Whether a version older than the retention is read no more, whatever is left of it.
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
