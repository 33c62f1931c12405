"""Rules that differ between engines or releases, for the model.

A rule is here only if an engine's documentation or source states it, not because it was observed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal

from model.vocabulary.withdrawals import Withdrawal


class Retain(Enum):
    """Which RETAIN of a VACUUM moves its cutoff."""

    ANY = "any"
    ZERO = "one that rounds to 0 hours"  # Delta on Spark from 4.1 on (docs/delta.md 1.2, step 4)


class Walk(Enum):
    """How a full VACUUM lists the files below the root, and so which names it treats as hidden."""

    DIRECTORIES = "directory by directory"  # a hidden name at any depth hides a path; directories are deleted too
    OBJECTS = "as an object store's list"  # only the first component can hide a path; directories are not listed


#: Those that promise more than the format does, in their documentation or source.
Implementation = Literal["spark", "deltalake"]


@dataclass(frozen=True)
class Rules:
    """The rules of one engine in one version. The other defaults are those of the newest supported Delta on Spark."""

    #: Whose promises it keeps beside those of the format; None: nobody's.
    implementation: Implementation | None = None
    #: Whether the case sets the engine's clock. If not, VACUUM uses the wall clock, and the table is moved in time.
    own_clock: bool = True
    retain: Retain = Retain.ZERO
    walk: Walk = Walk.DIRECTORIES
    #: Whether names hide paths from a full VACUUM; if not, it leaves out the table's log alone.
    hides_names: bool = True
    #: Whether a removed file must be old itself, too, for a full VACUUM to delete it; if not, its tombstone alone decides.
    ages_removed_files: bool = True
    #: Whether VACUUM keeps what a young commit removed, by the time of the commit's file, although the tombstone is expired.
    keeps_removals_of_young_commits: bool = False
    #: Whether LITE reads the commits since the last LITE; if not, the tombstones of the current version.
    lite_window: bool = True
    #: Whether a DELETE writes deletion vectors if the table has them enabled; if not, it rewrites files.
    writes_vectors: bool = True
    #: Whether a file stays if a deletion vector hides all of its rows, as PROTOCOL.md allows; if not, it is removed.
    keeps_emptied_files: bool = False
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
    #: Whether the number of processors is drawn, as the engine plans a query by it.
    draws_processors: bool = False
    #: Whether reading a version older than the retention is refused.
    blocks_expired_versions: bool = True
    #: Whether every VACUUM refuses a table whose protocol requires a writer feature that the engine does not know; if not, only
    #: one that commits (model.prediction.refusals.checks_writer).
    checks_write_protocol: bool = True
    #: Whether writing a NULL struct is refused if one of its fields is NOT NULL (docs/delta.md 2.2, "Constraints").
    checks_required_fields: bool = True
    #: Whether new files of tables with column mapping are in directories with random names.
    random_directories: bool = True
    #: Whether a DELETE writes TIMESTAMP partition values in UTC and ISO form; if not, in the session's time zone.
    utc_partition_values: bool = True
    #: Whether a VACUUM that has nothing to delete writes START and END too.
    logs_empty_vacuums: bool = True
    #: Whether the storage has directories; if not, one is no more than a prefix of keys, or an empty object: a marker.
    directories: bool = True
    #: Whether a VACUUM writes START and END if logging is switched neither on nor off (VacuumCommand.scala, shouldLogVacuum).
    logs_by_default: bool = True
    #: What the URI of a file begins with in the log, before its path: ``s3a://bucket`` in a bucket.
    file_uris: str = "file://"
    #: The unit, in ms, in which the storage tells the times of files, rounded down.
    time_unit: int = 1
    #: Whether a log cleanup rounds its cutoff down to a day in UTC (MetadataCleanup.scala).
    rounds_log_retention: bool = True
    #: Whether the change feed of a table with column mapping can be read.
    reads_mapped_change_feed: bool = True
    #: Whether statistics that a checkpoint has as a struct only are read; if not, the file has none.
    reads_struct_statistics: bool = True
    #: Whether new files of a table with type widening have a defaultRowCommitVersion, without row tracking too.
    row_versions_with_widening: bool = False


@dataclass(frozen=True)
class RuleChange:
    """A release gave one field of Rules another value; or, if ``since`` is empty, a storage does."""

    since: str  # a version such as 4.1: it holds from the first release of that line on
    field: str
    value: Any
    sentence: str  # for users
    source: str  # what a reader can open
    withdrawal: Withdrawal | None = None  # the promise of earlier releases that goes with it

    def applied_to(self, rules: Rules) -> Rules:
        """These rules with the change."""
        changed: Rules = replace(rules, **{self.field: self.value})
        return changed


def with_changes(rules: Rules, changes: Iterable[RuleChange]) -> Rules:
    """These rules with all of the changes."""
    for change in changes:
        rules = change.applied_to(rules)
    return rules


#: Delta on Spark, from 4.1 on.
SPARK = Rules(implementation="spark")

_HADOOP = "https://github.com/apache/hadoop/blob/rel/release-3.5.0/hadoop-tools/hadoop-aws/src"

#: What is different in an S3 bucket: for Delta on Spark, by the source of Delta and of Hadoop's client of S3.
SPARK_ON_S3 = (
    RuleChange(
        "",
        "time_unit",
        1000,
        "S3 tells the times of objects in whole seconds.",
        "https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html, Last-Modified",
    ),
    RuleChange(
        "",
        "directories",
        False,
        "There are no directories in S3: a prefix of keys looks like one, and so does an empty object whose key ends in a slash.",
        f'{_HADOOP}/site/markdown/tools/hadoop-aws/index.md, "Directories are mimicked"',
    ),
    RuleChange(
        "",
        "logs_by_default",
        False,
        "VACUUM commits START and END only if that is switched on: s3a is not among the file systems for which it is by default.",
        "https://github.com/delta-io/delta/blob/v4.4.0/spark/src/main/scala/org/apache/spark/sql/delta/commands/VacuumCommand.scala",
    ),
)

#: ... and for delta-rs, whose other rules are those of objects everywhere.
DELTA_RS_ON_S3 = SPARK_ON_S3[:2]

#: delta-rs (crates/core/src/operations/vacuum.rs).
DELTA_RS = Rules(
    implementation="deltalake",
    own_clock=False,
    retain=Retain.ANY,
    walk=Walk.OBJECTS,
    ages_removed_files=False,
    lite_window=False,
    writes_vectors=False,
    cleans_up_anytime=True,
    error_classes=False,
    retain_error_class=False,
    draws_processors=True,  # DataFusion's target_partitions, by default as many as the calling thread may use
    blocks_expired_versions=False,
    checks_required_fields=False,
    random_directories=False,
    logs_empty_vacuums=False,
    rounds_log_retention=False,
    reads_mapped_change_feed=False,
)

#: The counts in the metrics of a DELETE of delta-rs (DeleteMetrics in crates/core/src/operations/delete.rs), in the order in
#: which the adapter returns them.
DELTA_RS_COUNTS = ("num_deleted_rows", "num_added_files", "num_removed_files", "num_copied_rows")
