"""Behaviour that is known to differ between versions of an engine, or between two engines, each with its source.

The sources for Delta on Spark are its code (delta-io/delta, by tag) and the pull requests named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from model.versions import parse
from reports.compare.commands import Command
from reports.compare.differences import Amount, Difference, Paths

#: A test of a value that may be missing, and of a command.
Value = Callable[["str | None"], bool]
Commands = Callable[[Command], bool]


def one_of(*values: str | None) -> Value:
    return frozenset(values).__contains__


def anything(value: str | None) -> bool:
    return True


def something(value: str | None) -> bool:
    return value is not None


def error_class(error: str | None) -> bool:
    """Whether it is an error class, not an exception."""
    return error is not None and error == error.upper()


def legacy(error: str | None) -> bool:
    """Whether it is an error class with a number instead of a name."""
    return error is not None and error.startswith("_LEGACY_ERROR_TEMP_")


def named_by_spark(error: str | None) -> bool:
    return error is not None and error_class(error) and not error.startswith(("_LEGACY_", "DELTA_"))


def kinds(*names: str) -> Commands:
    return lambda command: command.kind in names


def mistaken(*mistakes: str) -> Commands:
    """VACUUMs that are invalid for one of these reasons."""
    return lambda command: command.kind == "bad_vacuum" and command.mistake in mistakes


def retains(command: Command) -> bool:
    """Whether it is a VACUUM with a RETAIN that does not round to 0 hours."""
    return command.kind == "vacuum" and command.retain == "hours"


def reads_earlier(command: Command) -> bool:
    return command.earlier or command.kind == "read_changes"


def every(command: Command) -> bool:
    return True


nothing = one_of(None)
deletes, plain_deletes, truncates = kinds("delete", "truncate"), kinds("delete"), kinds("truncate")
vacuums, any_vacuums = kinds("vacuum"), kinds("vacuum", "bad_vacuum")


@dataclass(frozen=True)
class Pattern:
    """Which differences, from the older version to the newer. ``fields``: see Difference.field."""

    fields: tuple[str, ...]
    commands: Commands
    base: Value = anything
    candidate: Value = anything
    amounts: tuple[Amount | None, ...] = (None,)
    paths: tuple[Paths, ...] = tuple(Paths)
    within: tuple[str, ...] = ()  # none: anything

    def matches(self, difference: Difference) -> bool:
        return (
            difference.field in self.fields
            and self.commands(difference.command)
            and self.base(difference.base)
            and self.candidate(difference.candidate)
            and difference.amount in self.amounts
            and (difference.paths is None or difference.paths in self.paths)
            and (not self.within or difference.within in self.within)
        )


def paths(commands: Commands, *amounts: Amount, of: tuple[Paths, ...] = tuple(Paths)) -> Pattern:
    """Other paths are deleted, or listed by a dry run."""
    return Pattern(("vanished", "rows"), commands, amounts=amounts or tuple(Amount), paths=of)


def error(commands: Commands, base: Value, candidate: Value) -> Pattern:
    return Pattern(("error",), commands, base, candidate)


def added(field: str, commands: Commands, *names: str) -> Pattern:
    """These members are new."""
    return Pattern((field,), commands, nothing, one_of(*names))


@dataclass(frozen=True)
class KnownChange:
    """A change in the version ``since``, or between two engines (then ``since`` is empty)."""

    since: str
    sentence: str
    source: str
    patterns: tuple[Pattern, ...]

    @property
    def word(self) -> str:
        """``known since 4.1``, or ``known`` between two engines."""
        return f"known since {self.since}" if self.since else "known"

    def explains(self, difference: Difference) -> bool:
        """Whether a difference, from the older version to the newer, is this change."""
        return any(pattern.matches(difference) for pattern in self.patterns)


def change(since: str, sentence: str, source: str, *patterns: Pattern) -> KnownChange:
    return KnownChange(since, sentence, source, patterns)


#: The result of evaluating a condition, once the command is no longer refused.
_EVALUATED = one_of(
    None,
    *("ARITHMETIC_OVERFLOW", "CAST_INVALID_INPUT", "CAST_OVERFLOW", "DIVIDE_BY_ZERO", "NUMERIC_VALUE_OUT_OF_RANGE"),
    *("NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION", "REMAINDER_BY_ZERO"),
)
_UNSUPPORTED = ("DELTA_UNSUPPORTED_FEATURES_FOR_READ", "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE")
_BEYOND_RETENTION = "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION"
_VACUUM_COMMITS = "VACUUM START, VACUUM END"
_STATISTICS = tuple(f"stats.{name}" for name in ("numRecords", "minValues", "maxValues", "nullCount", "tightBounds"))

#: By engine, in the order of versions. The last one that explains a difference applies.
BY_ENGINE: Mapping[str, tuple[KnownChange, ...]] = {
    "spark": (
        change(
            "3.0",
            "DELETE reports how many deletion vectors it added, removed and updated.",
            "delta-io/delta v3.0.0: DeltaOperations.scala, DeltaOperationMetrics.DELETE",
            added("metrics", deletes, *(f"numDeletionVectors{name}" for name in ("Added", "Removed", "Updated"))),
        ),
        change(
            "3.0",
            "The removes of a DELETE have statistics, and row ids where the table has them.",
            "delta-io/delta v3.0.0: actions.scala, AddFile.removeWithTimestamp",
            added("remove_fields", deletes, "stats", *_STATISTICS, "baseRowId", "defaultRowCommitVersion"),
        ),
        change(
            "3.0",
            "DELETE works on tables with deletion vectors and column mapping, which was refused.",
            "delta-io/delta#1891 (v3.0.0)",
            error(deletes, one_of("DELTA_CANNOT_RESOLVE_COLUMN"), _EVALUATED),
        ),
        change(
            "3.0",
            "VACUUM has other error classes for a partition's directory, a view, and a path without a table.",
            "delta-io/delta v3.0.0: VacuumTableCommand.scala",
            error(
                mistaken("partition directory as the target"),
                one_of("DELTA_UNSUPPORTED_VACUUM_SPECIFIC_PARTITION"),
                one_of("DELTA_TABLE_ONLY_OPERATION"),
            ),
            error(
                mistaken("directory that is no Delta table as the target", "missing path as the target"),
                one_of("DELTA_TABLE_ONLY_OPERATION"),
                one_of("DELTA_MISSING_DELTA_TABLE"),
            ),
            error(
                mistaken("temporary view as the target"),
                one_of("TABLE_OR_VIEW_NOT_FOUND"),
                one_of("_LEGACY_ERROR_TEMP_1013", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
            ),
        ),
        change(
            "3.1",
            "The exception for an unknown table feature has another class.",
            "delta-io/delta v3.1.0: DeltaErrors.scala, DeltaUnsupportedTableFeatureException",
            Pattern(
                ("error.exception",),
                every,
                one_of("DeltaTableFeatureException"),
                one_of("DeltaUnsupportedTableFeatureException"),
                within=_UNSUPPORTED,
            ),
        ),
        change(
            "3.1",
            "VACUUM, also with DRY RUN, checks that it may write the table.",
            "delta-io/delta 16c386b155 (v3.1.0): Add missing Write PROTOCOL check to the Vacuum Command",
            error(any_vacuums, nothing, one_of("DELTA_UNSUPPORTED_FEATURES_FOR_WRITE")),
        ),
        change(
            "3.1",
            "VACUUM skips every file and directory named metadata.",
            "delta-io/delta v3.1.0: DeltaTable.scala, DeltaTableUtils.isHiddenDirectory",
            paths(vacuums, Amount.FEWER, of=(Paths.METADATA,)),
        ),
        change(
            "3.2",
            "DELETE preserves row ids, and commitInfo has a tag for it.",
            "delta-io/delta v3.2.0: DeleteCommand.scala, rowTracking.preserved",
            added("keys", deletes, "tags"),
        ),
        change(
            "3.2",
            "DELETE works on tables with deletion vectors and no column with a range, which was refused.",
            "delta-io/delta#2687 (v3.2.0)",
            error(deletes, one_of("FIELD_NOT_FOUND"), _EVALUATED),
        ),
        change(
            "3.3",
            "VACUUM writes _last_vacuum_info into the log's directory, for the next VACUUM LITE.",
            "delta-io/delta 5d2a275b55 (v3.3.0): Implementation for Lite Vacuum (#3757)",
            Pattern(("last_vacuum",), vacuums, nothing, something),
        ),
        change(
            "3.3",
            "VACUUM skips what is named metadata in UniForm tables only.",
            "delta-io/delta 4ceba238a4 (v3.3.0): fix Delta Uniform vacuum hidden dir",
            paths(vacuums, Amount.MORE, of=(Paths.METADATA,)),
        ),
        change(
            "3.3",
            "VACUUM URL-encodes all paths in the same way, which matters for names with special characters.",
            "delta-io/delta#3678 (v3.3.0)",
            paths(vacuums, of=(Paths.SPECIAL,)),
        ),
        change(
            "4.0",
            "Spark 4, which comes with it, has names and SQLSTATEs for errors that had none.",
            "apache/spark v4.0.0: error-conditions.json",
            error(every, legacy, named_by_spark),
            Pattern(("error.sqlstate",), every, nothing, something),
        ),
        change(
            "4.1",
            "VACUUM ignores a RETAIN that does not round to 0 hours, and never refuses it.",
            "delta-io/delta#5028 (v4.1.0)",
            error(retains, one_of("IllegalArgumentException"), nothing),
            paths(retains),
            Pattern(("operations",), retains, nothing, one_of(_VACUUM_COMMITS)),
            Pattern(("operations",), retains, one_of(_VACUUM_COMMITS), nothing),
            Pattern(("checkpoints",), retains, amounts=tuple(Amount)),
            Pattern(("last_vacuum.keys",), retains),
            Pattern(
                tuple(f"metrics.num{name}" for name in ("FilesToDelete", "DeletedFiles", "VacuumedDirectories")),
                retains,
                amounts=tuple(Amount),
                within=("VACUUM START", "VACUUM END"),
            ),
            Pattern(("metrics.sizeOfDataToDelete",), retains, amounts=tuple(Amount), within=("VACUUM START",)),
            Pattern(("parameters",), retains, one_of("specifiedRetentionMillis"), nothing, within=("VACUUM START",)),
        ),
        change(
            "4.1",
            "New files of tables with column mapping are in directories with random names, not in partitions or at the root.",
            "delta-io/delta#5229 (v4.1.0): TransactionalWrite.getCommitter",
            added("places", deletes, "directories with random names"),
            Pattern(("places",), deletes, one_of("the root", "directories of partitions"), nothing),
        ),
        change(
            "4.1",
            "Spark 4.1, which comes with it, has an error class for a remainder by zero.",
            "apache/spark v4.1.0: QueryExecutionErrors.remainderByZeroError",
            error(deletes, one_of("DIVIDE_BY_ZERO"), one_of("REMAINDER_BY_ZERO")),
        ),
        change(
            "4.1",
            "A version older than the retention cannot be read, whether its files exist or not.",
            "delta-io/delta#5022 (v4.1.0)",
            error(reads_earlier, anything, one_of(_BEYOND_RETENTION)),
        ),
        change(
            "4.1",
            "A retention that is too short, or negative, is refused with an error class of its own.",
            "delta-io/delta#5722 (v4.1.0)",
            error(
                vacuums,
                one_of("IllegalArgumentException"),
                one_of(*(f"DELTA_VACUUM_RETENTION_PERIOD_{what}" for what in ("TOO_SHORT", "NEGATIVE"))),
            ),
        ),
        change(
            "4.3",
            "DELETE works on tables with deletion vectors and a column named path, which was refused.",
            "delta-io/delta#5203 (v4.3.0)",
            error(deletes, one_of("AMBIGUOUS_REFERENCE"), _EVALUATED),
        ),
        change(
            "4.3",
            "TRUNCATE TABLE is a command with its own operation in the log; it commits nothing to an empty table.",
            "delta-io/delta#6845 (v4.3.0)",
            error(truncates, something, nothing),
            Pattern(("operations",), truncates, one_of("DELETE"), one_of("TRUNCATE", None)),
        ),
    ),
    "deltalake": (),
}

_DELTA_RS = "delta-io/delta-rs: crates/core/src/operations"

#: Between two engines, from the first to the second, in any version.
BY_PAIR: Mapping[tuple[str, str], tuple[KnownChange, ...]] = {
    ("spark", "deltalake"): (
        change(
            "",
            "delta-rs has other members in commitInfo, its metrics and its parameters.",
            f"{_DELTA_RS}/delete.rs and vacuum.rs",
            Pattern(("keys", "metrics", "parameters"), every),
        ),
        change(
            "",
            "VACUUM LITE of delta-rs looks at the tombstones of the current version, and keeps no _last_vacuum_info.",
            f"{_DELTA_RS}/vacuum.rs, VacuumMode::Lite",
            Pattern(("last_vacuum",), vacuums, something, nothing),
            error(vacuums, one_of("DELTA_CANNOT_VACUUM_LITE"), nothing),
        ),
        change(
            "",
            "The removes of delta-rs have no statistics.",
            f"{_DELTA_RS}/delete.rs",
            Pattern(("remove_fields",), deletes, one_of("stats", *_STATISTICS), nothing),
        ),
        change(
            "",
            "Errors of delta-rs have no classes.",
            "delta-io/delta-rs: python/src/error.rs",
            error(
                every,
                error_class,
                one_of("DeltaError", "TableNotFoundError", "DeltaProtocolError", "CommitFailedError"),
            ),
        ),
        change(
            "",
            "delta-rs writes no deletion vectors: it rewrites the file.",
            f"{_DELTA_RS}/delete.rs",
            Pattern(("masked",), plain_deletes, amounts=(Amount.FEWER,)),
            Pattern(("appeared",), plain_deletes, amounts=(Amount.FEWER,), within=("vector files",)),
            Pattern(("appeared",), plain_deletes, amounts=(Amount.MORE,), within=("data files",)),
            Pattern(("added",), plain_deletes, amounts=(Amount.MORE,)),
            Pattern(
                ("add_fields",),
                plain_deletes,
                one_of("stats.tightBounds", *(f"deletionVector.storageType={kind}" for kind in "uip")),
                nothing,
            ),
        ),
        change(
            "",
            "delta-rs obeys RETAIN; Spark ignores it since 4.1.",
            "delta-io/delta#5028 (v4.1.0)",
            paths(retains),
            Pattern(("operations",), retains, one_of(_VACUUM_COMMITS), nothing),
            Pattern(("operations",), retains, nothing, one_of(_VACUUM_COMMITS)),
            error(retains, one_of(None, "IllegalArgumentException"), one_of("DeltaError")),
        ),
        change(
            "",
            "A VACUUM of delta-rs that finds nothing to delete commits nothing.",
            f"{_DELTA_RS}/vacuum.rs",
            Pattern(("operations",), vacuums, one_of(_VACUUM_COMMITS), nothing),
        ),
        change(
            "",
            "delta-rs lists objects: it deletes and counts no directory.",
            f"{_DELTA_RS}/vacuum.rs",
            Pattern(("metrics.numVacuumedDirectories",), vacuums, amounts=(Amount.OTHER,), within=("VACUUM END",)),
        ),
        change(
            "",
            "Spark fails on tables with inline deletion vectors (VAC-LIVE-6).",
            "docs/findings.md",
            error(vacuums, one_of("SparkException"), nothing),
        ),
    ),
}


@dataclass(frozen=True)
class Knowledge:
    """The changes known between two engines. ``backwards``: from the candidate to the base."""

    changes: tuple[KnownChange, ...]
    backwards: bool

    def of(self, difference: Difference) -> KnownChange | None:
        """The newest known change that explains a difference, or the first of two engines."""
        found = difference.reversed if self.backwards else difference
        return next((change for change in self.changes if change.explains(found)), None)


def knowledge(base: tuple[str, str], candidate: tuple[str, str]) -> Knowledge:
    """What is known to differ between two engines, each a name and a version.

    Between versions of one engine: the changes after the older one, up to the newer. A change in 4.1 is in 4.1.0.
    Between two engines: only what ``BY_PAIR`` names.
    """
    if base[0] != candidate[0]:
        pair = (base[0], candidate[0])
        return Knowledge(BY_PAIR.get(pair) or BY_PAIR.get(pair[::-1], ()), backwards=pair not in BY_PAIR)
    old, new = sorted((base[1], candidate[1]), key=parse)
    found = [change for change in BY_ENGINE.get(base[0], ()) if parse(old) < parse(change.since) <= parse(new)]
    return Knowledge(tuple(reversed(found)), backwards=parse(base[1]) > parse(candidate[1]))
