"""Behaviour that is known to be another one in one version of an engine than in another, each with its source.

Facts about Delta on Spark are from its releases' source (delta-io/delta, by tag) and from the pull requests that are named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from model.versions import parse
from reports.differences import Difference


@dataclass(frozen=True)
class KnownChange:
    """A change that came with a version, or lies between two engines (then without ``since``).

    ``subject`` and ``what`` are patterns of a whole Difference, from old to new.

    ``source`` is where a person can read of it. The default subject is any.
    """

    since: str
    sentence: str
    source: str
    what: str
    subject: str = ".*"

    @property
    def word(self) -> str:
        """``known since 4.1``, or ``known`` where it is of two engines."""
        return f"known since {self.since}" if self.since else "known"

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        return re.compile(self.subject), re.compile(self.what)

    def explains(self, difference: Difference) -> bool:
        """Whether the change, from before ``since`` to it, looks like this difference."""
        subject, what = self._patterns
        return bool(subject.fullmatch(difference.subject) and what.fullmatch(difference.what))


_RETAIN = r"VACUUM( LITE| USING INVENTORY)? with RETAIN(, DRY RUN)?"
_DELETE = "DELETE|TRUNCATE TABLE"

#: By engine, in the order of versions. The first that explains a difference is named.
BY_ENGINE: Mapping[str, tuple[KnownChange, ...]] = {
    "spark": (
        KnownChange(
            "3.0",
            "DELETE reports how many deletion vectors it added, removed and updated.",
            "delta-io/delta v3.0.0: DeltaOperations.scala, DeltaOperationMetrics.DELETE",
            r"metrics \+ numDeletionVectors(Added|Removed|Updated)",
            _DELETE,
        ),
        KnownChange(
            "3.0",
            "The removes of a DELETE carry statistics, and row ids where the table has them.",
            "delta-io/delta v3.0.0: actions.scala, AddFile.removeWithTimestamp",
            r"remove fields \+ (stats(\..*)?|baseRowId|defaultRowCommitVersion)",
            _DELETE,
        ),
        KnownChange(
            "3.0",
            "DELETE works on tables with deletion vectors and column mapping: it was refused.",
            "delta-io/delta#1891 (v3.0.0)",
            r"error DELTA_CANNOT_RESOLVE_COLUMN → \S+",
            _DELETE,
        ),
        KnownChange(
            "3.0",
            "Errors of VACUUM have other classes: of a partition's directory, a view, and a path at which no table is.",
            "delta-io/delta v3.0.0: VacuumTableCommand.scala",
            r"error (DELTA_(UNSUPPORTED_VACUUM_SPECIFIC_PARTITION|TABLE_ONLY_OPERATION)|TABLE_OR_VIEW_NOT_FOUND) → .*",
            "VACUUM.*",
        ),
        KnownChange(
            "3.1",
            "An unknown table feature is told by an exception of another class.",
            "delta-io/delta v3.1.0: DeltaErrors.scala, DeltaUnsupportedTableFeatureException",
            r"error DELTA_UNSUPPORTED_FEATURES_FOR_(READ|WRITE): exception DeltaTableFeatureException → .*",
        ),
        KnownChange(
            "3.1",
            "VACUUM checks that it may write the table at all, dry run too.",
            "delta-io/delta 16c386b155 (v3.1.0): Add missing Write PROTOCOL check to the Vacuum Command",
            r"error none → DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            "VACUUM.*",
        ),
        KnownChange(
            "3.1",
            "VACUUM leaves every file and directory named metadata alone.",
            "delta-io/delta v3.1.0: DeltaTable.scala, DeltaTableUtils.isHiddenDirectory",
            r"(deletes|names) fewer files or directories named metadata( from storage)?",
            "VACUUM.*",
        ),
        KnownChange(
            "3.2",
            "DELETE keeps the ids of rows, and says so in commitInfo's tags.",
            "delta-io/delta v3.2.0: DeleteCommand.scala, rowTracking.preserved",
            r"commitInfo \+ tags",
            _DELETE,
        ),
        KnownChange(
            "3.2",
            "DELETE works on tables with deletion vectors and no column that has a range: it was refused.",
            "delta-io/delta#2687 (v3.2.0)",
            r"error FIELD_NOT_FOUND → \S+",
            _DELETE,
        ),
        KnownChange(
            "3.3",
            "A VACUUM leaves _last_vacuum_info in the log's directory, LITE's bookmark.",
            "delta-io/delta 5d2a275b55 (v3.3.0): Implementation for Lite Vacuum (#3757)",
            r"no _last_vacuum_info → one",
            "VACUUM.*",
        ),
        KnownChange(
            "3.3",
            "What is named metadata is hidden from VACUUM on UniForm tables only.",
            "delta-io/delta 4ceba238a4 (v3.3.0): fix Delta Uniform vacuum hidden dir",
            r"(deletes|names) more files or directories named metadata( from storage)?",
            "VACUUM.*",
        ),
        KnownChange(
            "3.3",
            "Paths are url-encoded alike everywhere in VACUUM, which matters for names with special characters.",
            "delta-io/delta#3678 (v3.3.0)",
            r"(deletes|names) (fewer|more|other) paths with special characters( from storage)?",
            "VACUUM.*",
        ),
        KnownChange(
            "4.0",
            "Spark 4, which goes with it, has names and SQLSTATEs for errors that had none.",
            "apache/spark v4.0.0: error-conditions.json",
            r"error _LEGACY_ERROR_TEMP_\d+ → \S+|error [A-Z_]+: sqlstate None → \w+",
        ),
        KnownChange(
            "4.1",
            "A RETAIN that does not round to 0 hours is ignored: it neither shortens nor lengthens, and is never refused.",
            "delta-io/delta#5028 (v4.1.0)",
            r"error \S+ → none"
            r"|(deletes|names) (fewer|more|other) .*"
            r"|commits (none → VACUUM START, VACUUM END|VACUUM START, VACUUM END → none)"
            r"|writes .*checkpoints?"
            r"|_last_vacuum_info [+-] .*"
            r"|(START|END): another value of .*",
            _RETAIN,
        ),
        KnownChange(
            "4.1",
            "New files of tables with column mapping lie in directories with random names, not in partitions or at the root.",
            "delta-io/delta#5229 (v4.1.0): TransactionalWrite.getCommitter",
            r"new files lie in (\+ directories with random names|- (the root|directories of partitions))",
            _DELETE,
        ),
        KnownChange(
            "4.1",
            "Spark 4.1, which goes with it, names the error of a remainder by zero.",
            "apache/spark v4.1.0: QueryExecutionErrors.remainderByZeroError",
            r"error DIVIDE_BY_ZERO → REMAINDER_BY_ZERO",
            _DELETE,
        ),
        KnownChange(
            "4.1",
            "A RETAIN that is ignored is not in the commit's parameters.",
            "delta-io/delta#5028 (v4.1.0)",
            r"START: parameters - specifiedRetentionMillis",
            "VACUUM",
        ),
        KnownChange(
            "4.1",
            "A version older than the retention can be read no more, whether its files are there or not.",
            "delta-io/delta#5022 (v4.1.0)",
            r"error \S+ → DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION",
            r"READ of an earlier version|READ of the change feed",
        ),
        KnownChange(
            "4.1",
            "A retention that is too short, or negative, is refused with an error class of its own.",
            "delta-io/delta#5722 (v4.1.0)",
            r"error IllegalArgumentException → DELTA_VACUUM_RETENTION_PERIOD_(TOO_SHORT|NEGATIVE)",
            "VACUUM.*",
        ),
        KnownChange(
            "4.3",
            "DELETE works on tables with deletion vectors and a column named path: it was refused.",
            "delta-io/delta#5203 (v4.3.0)",
            r"error AMBIGUOUS_REFERENCE → \S+",
            _DELETE,
        ),
        KnownChange(
            "4.3",
            "TRUNCATE TABLE is a command of its own, with its own operation in the log; it commits nothing to an empty table.",
            "delta-io/delta#6845 (v4.3.0)",
            r"error \S+ → none|commits \S+ → (TRUNCATE|none)",
            "TRUNCATE TABLE",
        ),
    ),
    "deltalake": (),
}

#: What is known of a pair of engines, from the first to the second; versions do not count.
BY_PAIR: Mapping[tuple[str, str], tuple[KnownChange, ...]] = {
    ("spark", "deltalake"): (
        KnownChange(
            "",
            "delta-rs gives commitInfo and its metrics names and fields of its own.",
            "delta-io/delta-rs: crates/core/src/operations/delete.rs and vacuum.rs",
            r"((START|END): )?(commitInfo|metrics|parameters) [+-] .*",
        ),
        KnownChange(
            "",
            "delta-rs keeps no bookmark for LITE: that looks through the tombstones of the current version each time.",
            "delta-io/delta-rs: crates/core/src/operations/vacuum.rs, VacuumMode::Lite",
            r"a _last_vacuum_info → none|error DELTA_CANNOT_VACUUM_LITE → none",
        ),
        KnownChange(
            "",
            "Removes that delta-rs writes carry no statistics.",
            "delta-io/delta-rs: crates/core/src/operations/delete.rs",
            r"remove fields - stats.*",
        ),
        KnownChange(
            "",
            "Errors of delta-rs have no classes.",
            "delta-io/delta-rs: python/src/error.rs",
            r"error [A-Z_.]+ → (DeltaError|TableNotFoundError|DeltaProtocolError|CommitFailedError)",
        ),
        KnownChange(
            "",
            "delta-rs writes no deletion vectors: it rewrites the file.",
            "delta-io/delta-rs: crates/core/src/operations/delete.rs",
            r"hides rows of fewer files|writes (fewer vector|more data) files|adds more files"
            r"|add fields - (deletionVector.*|stats\.tightBounds)",
            "DELETE",
        ),
        KnownChange(
            "",
            "delta-rs does what RETAIN says; Spark ignores it since 4.1.",
            "delta-io/delta#5028 (v4.1.0)",
            r"(commits|deletes|names|error) .*",
            _RETAIN,
        ),
        KnownChange(
            "",
            "A VACUUM of delta-rs that finds nothing to delete commits nothing.",
            "delta-io/delta-rs: crates/core/src/operations/vacuum.rs",
            r"commits VACUUM START, VACUUM END → none",
        ),
        KnownChange(
            "",
            "delta-rs knows of no directories: it lists objects, deletes and counts no directory.",
            "delta-io/delta-rs: crates/core/src/operations/vacuum.rs",
            r"END: another value of the metric numVacuumedDirectories",
        ),
        KnownChange(
            "",
            "Spark fails on tables with inline deletion vectors (VAC-LIVE-6).",
            "docs/findings.md",
            r"error SparkException → none",
            "VACUUM.*",
        ),
    ),
}


@dataclass(frozen=True)
class Knowledge:
    """What is known of two engines: the changes that lie between them, and whether they go from the candidate to the base."""

    changes: tuple[KnownChange, ...]
    backwards: bool

    def of(self, forwards: Difference, backwards: Difference) -> KnownChange | None:
        """The first known change that explains a difference, given as it goes and with the sides exchanged."""
        difference = backwards if self.backwards else forwards
        return next((change for change in self.changes if change.explains(difference)), None)


def knowledge(base: tuple[str, str], candidate: tuple[str, str]) -> Knowledge:
    """What is known to differ between two engines, each a name and a version.

    Between versions of one engine: the changes since after the older one, up to the newer. A change that came with 4.1
    is in 4.1.0. Between two engines: only what ``BY_PAIR`` names.
    """
    if base[0] != candidate[0]:
        pairs = BY_PAIR.get((base[0], candidate[0]), ()), BY_PAIR.get((candidate[0], base[0]), ())
        return Knowledge(pairs[0] or pairs[1], backwards=not pairs[0])
    old, new = sorted((base[1], candidate[1]), key=parse)
    found = tuple(change for change in BY_ENGINE.get(base[0], ()) if parse(old) < parse(change.since) <= parse(new))
    return Knowledge(found, backwards=parse(base[1]) > parse(candidate[1]))
