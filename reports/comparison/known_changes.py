"""Changes that no rule of the model predicts, each known by exact fields and values: classes of errors, members of the log.

The sources for Delta on Spark are its code, by tag, and the pull requests named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import PurePosixPath

from model.vocabulary.versions import parse
from reports.comparison.differences import Amount, Difference
from reports.comparison.explanations import Explanation, ExplanationKind, ExplanationReason, Identity
from reports.comparison.facts import FactField, Facts, of_one_side


@dataclass(frozen=True)
class ChangeEntry:
    """A difference, from the older version to the newer, without the options of the command. ``command`` is the kind of the
    step, with the mistake of an invalid one; the rest as in Difference.
    """

    command: str
    field: str
    older: str | None = None
    newer: str | None = None
    within: str = ""
    amount: Amount | None = None

    @classmethod
    def of(cls, found: Difference) -> ChangeEntry:
        command = found.command
        kind = f"{command.kind}: {command.mistake}" if command.mistake else command.kind
        return cls(kind, found.field.path, found.base, found.candidate, found.field.within, found.amount)


@dataclass(frozen=True)
class KnownChange:
    """A change in the release ``since``. ``shown_by``: whether a step can show it, by what both versions did there."""

    since: str
    sentence: str
    source: str
    entries: tuple[ChangeEntry, ...]
    shown_by: Callable[[Facts, Facts], bool]

    @cached_property
    def explanation(self) -> Explanation:
        return Explanation(ExplanationKind.KNOWN_CHANGE, (ExplanationReason(self.since, self.sentence, self.source),))


def change(
    since: str,
    sentence: str,
    source: str,
    *entries: Iterable[ChangeEntry],
    shown_by: Callable[[Facts, Facts], bool] = lambda one, other: True,
) -> KnownChange:
    return KnownChange(since, sentence, source, tuple(entry for group in entries for entry in group), shown_by)


def errors(commands: Iterable[str], older: str | None, newer: str | None) -> list[ChangeEntry]:
    """The error has another class; None: no error."""
    return [ChangeEntry(command, "error", older, newer) for command in commands]


def added(command: str, field: str, *names: str, within: str = "") -> list[ChangeEntry]:
    """The newer version also has these members."""
    return [ChangeEntry(command, field, None, name, within) for name in names]


#: Up to so many keys Scala's immutable maps keep the order in which they were added; with more it is by their hashes.
_KEYS_IN_ORDER = 4


def packed_otherwise(one: Facts, other: Facts) -> bool:
    """Whether both removed the same files, of more than ``_KEYS_IN_ORDER`` partitions, and wrote the same number of rows of
    each partition, in whatever files."""
    removed, added = FactField("removed"), FactField("added")
    partitions = {PurePosixPath(json.loads(path)).parent for path in one[removed] or ()}
    return len(partitions) > _KEYS_IN_ORDER and (one[removed], one[added]) == (other[removed], other[added])


#: What 3.3 writes into a log that earlier releases do not.
_OF_3_3 = re.compile(r"/_delta_log/\.?([0-9]{20}\.crc|_last_vacuum_info)(\.crc)?$")


_STATISTICS = tuple(f"stats.{name}" for name in ("numRecords", "minValues", "maxValues", "nullCount", "tightBounds"))
_FILES = "https://github.com/delta-io/delta/blob/{}/spark/src/main/scala/org/apache/spark/sql/delta"

_CONDITIONS = "https://github.com/apache/spark/blob/v4.0.0/common/utils/src/main/resources/error/error-conditions.json"

_CHANGE_LOG = "https://github.com/delta-io/delta-rs/blob/main/CHANGELOG.md"

#: The conditions of Delta's exceptions for conflicts, by their classes. Some have a hint since 4.1.
_CONFLICTS = {
    **{
        f"Concurrent{name.title().replace('_', '')}Exception": [
            f"DELTA_CONCURRENT_{name}{hint}" for hint in ("", ".WITH_PARTITION_HINT", ".WITHOUT_HINT")
        ]
        for name in ("APPEND", "DELETE_READ", "DELETE_DELETE")
    },
    "ConcurrentWriteException": ["DELTA_CONCURRENT_WRITE"],
    "ConcurrentTransactionException": ["DELTA_CONCURRENT_TRANSACTION"],
    "MetadataChangedException": ["DELTA_METADATA_CHANGED"],
    "ProtocolChangedException": ["DELTA_PROTOCOL_CHANGED"],
}

#: Each class with each of its conditions.
_OF_CONFLICTS = [(name, condition) for name, conditions in _CONFLICTS.items() for condition in conditions]

#: By engine, in the order of versions.
BY_ENGINE: Mapping[str, tuple[KnownChange, ...]] = {
    "spark": (
        change(
            "3.0",
            "DELETE and UPDATE report how many deletion vectors they added, removed and updated.",
            f"{_FILES.format('v3.0.0')}/DeltaOperations.scala",
            *(
                added(
                    command,
                    "metrics",
                    *(f"numDeletionVectors{name}" for name in ("Added", "Removed", "Updated")),
                    within=command.upper(),
                )
                for command in ("delete", "UPDATE")
            ),
        ),
        change(
            "3.0",
            "The removes have statistics, and row ids where the table has them.",
            f"{_FILES.format('v3.0.0')}/actions/actions.scala",
            *(
                added(command, "remove_fields", "stats", *_STATISTICS, "baseRowId", "defaultRowCommitVersion")
                for command in (
                    "delete",
                    "UPDATE",
                    "MERGE",
                    "OPTIMIZE",
                    "REORG PURGE",
                    "RESTORE",
                    "overwrite",
                    "together",
                )
            ),
        ),
        change(
            "3.0",
            "PySpark 3.5, which comes with it, has a class of its own for Java's UnsupportedOperationException.",
            "https://github.com/apache/spark/blob/v3.5.0/python/pyspark/errors/exceptions/captured.py",
            [
                ChangeEntry(
                    "RESTORE",
                    "error.exception",
                    "DeltaCommandUnsupportedWithDeletionVectorsException",
                    "UnsupportedOperationException",
                    "DELTA_ADDING_DELETION_VECTORS_DISALLOWED",
                )
            ],
        ),
        change(
            "3.1",
            "The exception for an unknown table feature has another class.",
            f"{_FILES.format('v3.1.0')}/DeltaErrors.scala",
            [
                ChangeEntry(
                    command,
                    "error.exception",
                    "DeltaTableFeatureException",
                    "DeltaUnsupportedTableFeatureException",
                    f"DELTA_UNSUPPORTED_FEATURES_FOR_{access}",
                )
                for command, access in product(("delete", "read", "vacuum"), ("READ", "WRITE"))
            ],
        ),
        change(
            "3.1",
            "UPDATE and MERGE write deletion vectors too, and report how many.",
            f"{_FILES.format('v3.1.0')}/sources/DeltaSQLConf.scala",
            [
                ChangeEntry(command, "appeared", within="vector files", amount=Amount.MORE)
                for command in ("UPDATE", "together")
            ],
            added("UPDATE", "remove_fields", "stats", *_STATISTICS),
            added(
                "MERGE",
                "metrics",
                *(f"numTargetDeletionVectors{name}" for name in ("Added", "Removed", "Updated")),
                within="MERGE",
            ),
        ),
        change(
            "3.1",
            "The history tells of an OPTIMIZE whether Delta began it by itself.",
            f"{_FILES.format('v3.1.0')}/DeltaOperations.scala",
            added("OPTIMIZE", "parameters", "auto", within="OPTIMIZE"),
        ),
        change(
            "3.2",
            "DELETE preserves row ids, and commitInfo has a tag for it.",
            f"{_FILES.format('v3.2.0')}/commands/DeleteCommand.scala",
            added("delete", "keys", "tags", within="DELETE"),
        ),
        change(
            "3.2",
            "The history tells of an OPTIMIZE by which columns the table is clustered.",
            f"{_FILES.format('v3.2.0')}/DeltaOperations.scala",
            added("OPTIMIZE", "parameters", "clusterBy", within="OPTIMIZE"),
        ),
        change(
            "3.3",
            "VACUUM writes _last_vacuum_info into the log's directory, for the next VACUUM LITE.",
            "https://github.com/delta-io/delta/pull/3757",
            [ChangeEntry(command, "last_vacuum", None, "written") for command in ("vacuum", "together")],
        ),
        change(
            "3.3",
            "A VACUUM of a clone writes the same, and checksums of its commits, into the clone's log.",
            "https://github.com/delta-io/delta/pull/3757",
            [ChangeEntry("VACUUM of a clone", "changed_beside", amount=Amount.MORE)],
            shown_by=lambda *seen: all(map(_OF_3_3.search, of_one_side(FactField("changed_beside"), seen))),
        ),
        change(
            "3.3",
            "A MERGE reports how long it took to materialize its source.",
            f"{_FILES.format('v3.3.0')}/commands/MergeIntoCommandBase.scala",
            added("MERGE", "metrics", "materializeSourceTimeMs", within="MERGE"),
        ),
        change(
            "4.0",
            "Spark 4, which comes with it, has other errors for a Parquet file, such as a checkpoint, that it cannot read.",
            _CONDITIONS,
            errors(["delete", "read", "vacuum"], "SparkException", "FAILED_READ_FILE.NO_HINT"),
            errors(["delete", "read", "vacuum"], "SparkException", "RuntimeException"),
        ),
        change(
            "4.0",
            "Spark 4, which comes with it, has error classes and SQLSTATEs for errors that had none.",
            _CONDITIONS,
            errors(["OPTIMIZE", "UPDATE"], "_LEGACY_ERROR_TEMP_1049", "INVALID_ATTRIBUTE_NAME_SYNTAX"),
            errors(["delete"], "IllegalStateException", "INTERNAL_ERROR"),
            [ChangeEntry("delete", "error.sqlstate", None, "58030", "TASK_WRITE_FAILED")],
        ),
        change(
            "4.0",
            "Spark 4, which comes with it, ends in the exception of the task that failed, and no longer in one around it.",
            "https://github.com/apache/spark/pull/44953",
            [
                ChangeEntry("delete", "error.exception", "SparkException", newer, within)
                for within, newer in (
                    ("CAST_INVALID_INPUT", "NumberFormatException"),
                    ("CAST_OVERFLOW", "ArithmeticException"),
                )
            ],
        ),
        change(
            "4.0",
            "An exception for a conflict has its condition in Python, and is caught as delta.exceptions' class only by who "
            "imports delta.exceptions.captured.",
            "https://github.com/delta-io/delta/pull/4652",
            *(errors(["together"], name, condition) for name, condition in _OF_CONFLICTS),
        ),
        change(
            "4.0",
            "The files of five or more partitions are read in another order: Delta groups them in a map of Scala, which is 2.13 "
            "since 4.0. So Spark packs them into other tasks, and writes the rows of a partition into more files or fewer.",
            f"{_FILES.format('v4.0.0')}/files/TahoeFileIndex.scala",
            [
                ChangeEntry("delete", "appeared", within=files, amount=amount)
                for files in ("data files", "change files")
                for amount in (Amount.MORE, Amount.FEWER)
            ],
            shown_by=packed_otherwise,
        ),
        change(
            "4.0",
            "An overwrite counts the files that it removes, and their bytes.",
            "https://github.com/delta-io/delta/pull/4047",
            added("overwrite", "metrics", "numRemovedFiles", "numRemovedBytes", within="WRITE"),
        ),
        change(
            "4.1",
            "The history tells of an overwrite whether it is one of partitions, and whether it may change the schema.",
            "https://github.com/delta-io/delta/pull/5939",
            added(
                *("overwrite", "parameters", "isDynamicPartitionOverwrite", "canOverwriteSchema", "canMergeSchema"),
                within="WRITE",
            ),
        ),
        change(
            "4.1",
            "Spark 4.1, which comes with it, has an error class for a remainder by zero.",
            "https://github.com/apache/spark/blob/v4.1.0/sql/catalyst/src/main/scala/org/apache/spark/sql/errors/QueryExecutionErrors.scala",
            errors(["delete"], "DIVIDE_BY_ZERO", "REMAINDER_BY_ZERO"),
        ),
        change(
            "4.1",
            "A remove counts the rows of a file whose statistics only a checkpoint has, as a struct: they are read.",
            f"{_FILES.format('v4.1.0')}/Snapshot.scala",
            added("delete", "remove_fields", "stats.numRecords"),
        ),
        change(
            "4.1",
            "A RESTORE to a version older than the retention of deleted files has an error class of its own.",
            "https://github.com/delta-io/delta/pull/5022",
            errors(
                ["RESTORE"],
                "IllegalArgumentException",
                "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION",
            ),
        ),
        change(
            "4.1",
            "A change of the table's metadata that another commit made, but that changes nothing in it, is no conflict: the next "
            "reason for one is told.",
            "https://github.com/delta-io/delta/pull/5131",
            *(
                errors(["together"], older, newer)
                for older in ("MetadataChangedException", *_CONFLICTS["MetadataChangedException"])
                for newer in ("ConcurrentAppendException", *_CONFLICTS["ConcurrentAppendException"])
            ),
        ),
        change(
            "4.1",
            "The exceptions for conflicts name the operation and the version of the other commit, and no longer all of its "
            "commitInfo.",
            "https://github.com/delta-io/delta/pull/5720",
            *(
                errors(["together"], conditions[0], hint)
                for conditions in _CONFLICTS.values()
                for hint in conditions[1:]
            ),
        ),
        change(
            "4.1",
            "The schema of a checkpoint is read before its rows: of one that is no Parquet file, the reader's error is reported.",
            f"{_FILES.format('v4.1.0')}/Snapshot.scala",
            errors(["delete", "read", "vacuum"], "FAILED_READ_FILE.NO_HINT", "RuntimeException"),
        ),
        change(
            "4.4",
            "An exception for a conflict is delta.exceptions' class in Python again, and has no condition and no SQLSTATE there.",
            "https://github.com/delta-io/delta/pull/7006",
            *(errors(["together"], condition, name) for name, condition in _OF_CONFLICTS),
        ),
    ),
    "deltalake": (
        change(
            "1.1",
            "Each commit names the version of delta-rs that wrote it.",
            "https://github.com/delta-io/delta-rs/blob/python-v1.1.0/crates/core/src/protocol/mod.rs",
            *(
                added(command, "keys", "engineInfo", within=within)
                for command, within in (
                    *((name, name) for name in ("UPDATE", "MERGE", "OPTIMIZE", "RESTORE", "ADD COLUMN")),
                    *(("vacuum", f"VACUUM {name}") for name in ("START", "END")),
                    *((name, "WRITE") for name in ("insert", "overwrite")),
                    ("delete", "DELETE"),
                    ("set retention", "SET TBLPROPERTIES"),
                )
            ),
        ),
        change(
            "1.2",
            "One writer takes all streams: the rows of a partition are in fewer files.",
            "https://github.com/delta-io/delta-rs/pull/3870",
            [
                ChangeEntry(command, "appeared", within=files, amount=Amount.FEWER)
                for command in ("delete", "UPDATE", "MERGE")
                for files in ("data files", "change files")
            ],
            shown_by=lambda one, other: one[FactField("added")] == other[FactField("added")],
        ),
        change(
            "1.2",
            "The removes of a RESTORE say that they have the partition values and the size of the file.",
            "https://github.com/delta-io/delta-rs/blob/python-v1.2.1/crates/core/src/kernel/snapshot/iterators.rs",
            [
                ChangeEntry("RESTORE", "remove_fields", "extendedFileMetadata=false", None),
                ChangeEntry("RESTORE", "remove_fields", None, "extendedFileMetadata=true"),
            ],
        ),
        change(
            "1.2",
            "Errors of DataFusion and of the kernel are DeltaErrors.",
            "https://github.com/delta-io/delta-rs/tree/python-v1.2.1/crates/core/src/delta_datafusion",
            errors(["delete"], "Exception", "DeltaError"),
            errors(["delete"], "OSError", "DeltaError"),
            errors(["vacuum"], "CommitFailedError", "DeltaError"),
        ),
        change(
            "1.5",
            "VACUUM counts and returns files that are gone, of tombstones in the log: LITE does not list the storage any more.",
            "https://github.com/delta-io/delta-rs/pull/4227",
            [
                ChangeEntry("vacuum", "metrics.numFilesToDelete", within="VACUUM START", amount=Amount.OTHER),
                ChangeEntry("vacuum", "metrics.numDeletedFiles", within="VACUUM END", amount=Amount.OTHER),
                ChangeEntry("vacuum", "operations", None, "VACUUM START, VACUUM END"),
                ChangeEntry("vacuum", "rows", amount=Amount.MORE),
            ],
        ),
        change(
            "1.5.1",
            "A VACUUM of a table with an unknown feature ends in CommitFailedError.",
            _CHANGE_LOG,
            errors(["vacuum"], "DeltaError", "CommitFailedError"),
        ),
        change(
            "1.5.1",
            "A full VACUUM takes the time of a tombstone, not the file's age: it counts and lists fewer files.",
            "https://github.com/delta-io/delta-rs/pull/4300",
            [
                ChangeEntry("vacuum", "rows", amount=Amount.FEWER),
                ChangeEntry("vacuum", "metrics.numFilesToDelete", within="VACUUM START", amount=Amount.OTHER),
                ChangeEntry("vacuum", "metrics.numDeletedFiles", within="VACUUM END", amount=Amount.OTHER),
            ],
        ),
        change(
            "1.5.1",
            "An OPTIMIZE reports how it chose the files that it joins.",
            "https://github.com/delta-io/delta-rs/pull/4326",
            added(
                *("OPTIMIZE", "metrics", "maxBinSpanFiles", "plannerStrategy", "preservedStableOrder"),
                within="OPTIMIZE",
            ),
        ),
        change(
            "1.5.1",
            "The removes of an OPTIMIZE say that they have the partition values and the size of the file.",
            "https://github.com/delta-io/delta-rs/blob/python-v1.5.1/crates/core/src/operations/optimize.rs",
            added("OPTIMIZE", "remove_fields", "extendedFileMetadata=true"),
        ),
        change(
            "1.6.6",
            "An append reports how often its commit was tried again.",
            "https://github.com/delta-io/delta-rs/pull/3848",
            added("insert", "metrics", "num_retries", within="WRITE"),
            added("overwrite", "metrics", "num_retries", within="WRITE"),
        ),
        change(
            "1.6.6",
            "A DRY RUN lists the paths of tombstones decoded.",
            _CHANGE_LOG,
            [ChangeEntry("vacuum", "rows", amount=Amount.FEWER)],
        ),
    ),
}


#: Of any version.
OTHER_WORDS = change(
    "", "An error of the same class has other words: no version promises them.", "reports/comparison/known_changes.py"
)


@dataclass(frozen=True)
class Knowledge:
    """The changes known between two versions. ``backwards``: from the candidate to the base."""

    changes: tuple[KnownChange, ...]
    backwards: bool

    def of(self, difference: Difference, seen: tuple[Facts, Facts]) -> KnownChange | None:
        """The oldest known change that is this difference, between the facts ``seen`` of base and candidate."""
        entry = ChangeEntry.of(difference.reversed if self.backwards else difference)
        found = (one for one in self.changes if entry in one.entries and one.shown_by(*seen))
        return next(found, OTHER_WORDS if entry.field == "error.message" else None)


def knowledge(base: Identity, candidate: Identity) -> Knowledge:
    """The known changes between two versions of an engine: after the older one, up to the newer. A change in 4.1 is in 4.1.0."""
    older, newer, backwards = in_order(base, candidate)
    found = [one for one in BY_ENGINE.get(older[0], ()) if parse(older[1]) < parse(one.since) <= parse(newer[1])]
    return Knowledge(tuple(found), backwards)


def in_order(base: Identity, candidate: Identity) -> tuple[Identity, Identity, bool]:
    """The older and the newer; and whether the base is the newer."""
    backwards = parse(base[1]) > parse(candidate[1])
    return (candidate, base, True) if backwards else (base, candidate, False)
