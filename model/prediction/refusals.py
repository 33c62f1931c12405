"""DELETEs and VACUUMs that must be refused, and the expected errors (their SQL: ``model.text.invalid_sql``).

Error classes and SQLSTATEs are those of Delta 4.4.0 on Spark 4.2, from docs/delta.md 2.1 and Delta's source; each was
observed with that engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from model.text.layout import partition_string
from model.vocabulary.floats import nearest_float
from model.vocabulary.rules import Rules
from model.vocabulary.steps import DeleteMistake, Vacuum, VacuumMistake
from model.vocabulary.table import Column, Feature
from model.vocabulary.values import Type, Value


@dataclass(frozen=True)
class Earlier:
    """The error of releases of Delta before this one, as observed with them."""

    before: tuple[int, ...]
    condition: str
    sqlstate: str | None = None


@dataclass(frozen=True)
class Refusal:
    """The documented refusal: any of these error classes, with any of these SQLSTATEs."""

    conditions: frozenset[str]
    sqlstates: frozenset[str]  # empty: the error class has no SQLSTATE
    exceptions: frozenset[str]  # PySpark's class, or Java's if PySpark has none
    source: str
    earlier: tuple[Earlier, ...] = ()  # oldest first

    @property
    def condition(self) -> str:
        """The error class of a refusal that has exactly one."""
        (condition,) = self.conditions
        return condition

    def at(self, release: tuple[int, ...]) -> Refusal:
        """The same refusal in this release of Delta."""
        for other in self.earlier:
            if release < other.before:
                return replace(self, conditions=frozenset({other.condition}), sqlstates=_as_set(other.sqlstate))
        return self

    def is_matched_by(self, condition: str | None, sqlstate: str | None) -> bool:
        """Whether an error of this class and SQLSTATE is the documented refusal."""
        return condition in self.conditions and (sqlstate in self.sqlstates if self.sqlstates else sqlstate is None)


def _as_set(sqlstate: str | None) -> frozenset[str]:
    return frozenset() if sqlstate is None else frozenset({sqlstate})


def _refusal(
    condition: str,
    sqlstate: str | None,
    source: str,
    exception: str = "AnalysisException",
    *earlier: Earlier,
) -> Refusal:
    return Refusal(frozenset({condition}), _as_set(sqlstate), frozenset({exception}), source, earlier)


#: Any DELETE or TRUNCATE TABLE of a table with delta.appendOnly=true, whether or not rows match.
APPEND_ONLY = _refusal(
    "DELTA_CANNOT_MODIFY_APPEND_ONLY",
    "42809",
    "docs/delta.md 2.1; Delta: DeltaErrors.modifyAppendOnlyTableException",
    "UnsupportedOperationException",
)

_SUBQUERY = _refusal(
    "DELTA_UNSUPPORTED_SUBQUERY", "0AKDC", "docs/delta.md 2.1; Delta: DeltaErrors.subqueryNotSupportedException"
)

#: Of all expressions that no filter may have (``PlanHelper.specialExpressionsInUnsupportedOperator``).
_NOT_IN_A_FILTER = _refusal(
    "UNSUPPORTED_EXPR_FOR_OPERATOR",
    "42K0E",
    "Spark: CheckAnalysis",
    "AnalysisException",
    Earlier((4,), "UNSUPPORTED_EXPR_FOR_OPERATOR"),
)

_ANSWERS = {
    DeleteMistake.IN_SUBQUERY: _SUBQUERY,
    DeleteMistake.SCALAR_SUBQUERY: _SUBQUERY,
    DeleteMistake.EXISTS_SUBQUERY: _SUBQUERY,
    DeleteMistake.NON_DETERMINISTIC: _refusal(
        "INVALID_NON_DETERMINISTIC_EXPRESSIONS",
        "42K0E",
        "docs/delta.md 2.1; Spark: CheckAnalysis",
        "AnalysisException",
        Earlier((3,), "_LEGACY_ERROR_TEMP_2439"),  # Spark 3.4, which Delta 2.4 runs on, has no class for it
        Earlier((4,), "INVALID_NON_DETERMINISTIC_EXPRESSIONS"),  # Spark 3.5 has no SQLSTATE for it
    ),
    DeleteMistake.AGGREGATE: _NOT_IN_A_FILTER,
    DeleteMistake.WINDOW_FUNCTION: _NOT_IN_A_FILTER,
    DeleteMistake.UNKNOWN_COLUMN: _refusal("UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "Spark: CheckAnalysis"),
    DeleteMistake.NOT_BOOLEAN: _refusal("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", "Spark: CheckAnalysis"),
    DeleteMistake.PARTITION_DIRECTORY: _refusal(
        "DELTA_UNEXPECTED_PARTIAL_SCAN", "KD00A", "docs/delta.md 2.1; Delta: DeltaErrors.unexpectedPartialScan"
    ),
    DeleteMistake.NOT_A_TABLE: _refusal(
        "DELTA_TABLE_NOT_FOUND", "42P01", "docs/delta.md 2.1; Delta: DeltaErrors.tableNotFound"
    ),
    DeleteMistake.MISSING_PATH: _refusal(
        "PATH_NOT_FOUND", "42K03", "Spark: QueryCompilationErrors.dataPathNotExistError"
    ),
    DeleteMistake.VIEW: _refusal(
        "DELTA_UNSUPPORTED_SOURCE", "0AKDD", "docs/delta.md 2.1; Delta: DeltaErrors.notADeltaSourceException"
    ),
}

#: A path below a table that names a partition of a column that is not a partition column.
_NO_SUCH_PARTITION = _refusal(
    "DELTA_NON_PARTITION_COLUMN_SPECIFIED", "42P10", "Delta: DeltaErrors.nonPartitionColumnAbsentException"
)


#: A path below a table that names a partition by a text for which Delta finds no partition.
_NOT_FOUND = _refusal("DELTA_PATH_DOES_NOT_EXIST", "42K03", "Delta: DeltaDataSource.verifyAndCreatePartitionFilters")


class NamedPartition(Enum):
    """What the target of PARTITION_DIRECTORY is for Delta."""

    NONE = "no partition"  # the first partition column is NULL in every live file
    FOUND = "a partition of live files"
    NOT_FOUND = "a partition of no file"


def named_partition(values: Iterable[Value], column: Column) -> NamedPartition:
    """What the target is if it is the first, by text, of the live files' ``values`` of the first partition column.

    Delta compares the column with the text, for a FLOAT column as a DOUBLE (Spark's ANSI type coercion). The shortest
    text of a FLOAT may be another DOUBLE: Delta then finds no file of the partition.
    """
    texts = sorted(text for value in values if (text := partition_string(value, column.type)) is not None)
    if not texts:
        return NamedPartition.NONE
    if column.type is Type.FLOAT and not math.isnan(number := float(texts[0])) and nearest_float(number) != number:
        return NamedPartition.NOT_FOUND
    return NamedPartition.FOUND


def expected_refusal(
    mistake: DeleteMistake, *, append_only: bool = False, partition: NamedPartition = NamedPartition.FOUND
) -> Refusal:
    """The error that Delta must raise for an InvalidDelete.

    ``append_only``: the table has delta.appendOnly=true, which Delta checks before the condition's type and after all
    else. ``partition``: what the target of PARTITION_DIRECTORY is.
    """
    if append_only and mistake is DeleteMistake.NOT_BOOLEAN:
        return APPEND_ONLY
    if mistake is DeleteMistake.PARTITION_DIRECTORY and partition is NamedPartition.NONE:
        return _NO_SUCH_PARTITION
    if mistake is DeleteMistake.PARTITION_DIRECTORY and partition is NamedPartition.NOT_FOUND:
        return _NOT_FOUND
    return _ANSWERS[mistake]


# VACUUM -------------------------------------------------------------------------------------------------------------

#: A RETAIN below the table's retention while the safety check is on (docs/delta.md 1.2, step 7).
TOO_SHORT = _refusal(
    "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT",
    "22003",
    "docs/delta.md 1.2, step 7; Delta: DeltaErrors.vacuumRetentionPeriodTooShort",
    "IllegalArgumentException",
)

#: LITE when the log lacks commits that no LITE has read (docs/delta.md 1.3).
CANNOT_VACUUM_LITE = _refusal(
    "DELTA_CANNOT_VACUUM_LITE",
    "55000",
    "docs/delta.md 1.3; Delta: DeltaErrors.deltaCannotVacuumLite",
    "DeltaIllegalStateException",
)

#: Any VACUUM of a table with a feature that the engine does not know (docs/delta.md 1.2, step 1).
UNKNOWN_PROTOCOL = {
    Feature.UNKNOWN_WRITER: _refusal(
        "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
        "56038",
        "docs/delta.md 1.2, step 1; PROTOCOL.md, Table Features; Delta: DeltaLog.protocolWrite",
        "DeltaUnsupportedTableFeatureException",
    ),
    Feature.UNKNOWN_READER: _refusal(
        "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
        "56038",
        "docs/delta.md 1.2, step 1; PROTOCOL.md, Table Features; Delta: DeltaLog.protocolRead",
        "DeltaUnsupportedTableFeatureException",
    ),
}


def checks_writer(step: Vacuum, rules: Rules) -> bool:
    """Whether a VACUUM is refused if the table's protocol requires a writer feature that the engine does not know.

    Without a check of its own, only the commit of its START is: none for a DRY RUN, or with logging off.
    """
    logs = rules.logs_by_default if step.logging is None else step.logging
    return rules.checks_write_protocol or (logs and not step.dry_run)


#: A read of a version older than the table's retention (docs/delta.md 1.7).
BEYOND_RETENTION = _refusal(
    "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION",
    "0AKDC",
    "docs/delta.md 1.7; Delta: DeltaErrors.timeTravelBeyondDeletedFileRetentionDurationException",
)

#: A read of a version whose file is gone.
MISSING_FILE = _refusal(
    "FAILED_READ_FILE.FILE_NOT_EXIST",
    "KD001",
    "Spark: QueryExecutionErrors.fileNotExistError",
    "SparkException",
    Earlier((4,), "_LEGACY_ERROR_TEMP_2055"),
)

#: A DELETE of rows, or a read, of a table with a damaged file.
UNREADABLE_FILE = _refusal(
    "FAILED_READ_FILE.NO_HINT",
    "KD001",
    "Spark: QueryExecutionErrors.cannotReadFilesError",
    "SparkException",
    Earlier((4,), "_LEGACY_ERROR_TEMP_2064"),
)

_NO_TABLE = _refusal(
    "DELTA_MISSING_DELTA_TABLE",
    "42P01",
    "Delta: DeltaErrors.notADeltaTableException",
    "AnalysisException",
    Earlier((3,), "DELTA_TABLE_ONLY_OPERATION", "0AKDD"),
)

_BAD_INVENTORY = _refusal(
    "DELTA_INVALID_INVENTORY_SCHEMA", "42000", "docs/delta.md 1.4; Delta: DeltaErrors.invalidInventorySchema"
)

_VACUUM_ANSWERS = {
    VacuumMistake.PARTITION_DIRECTORY: _refusal(
        "DELTA_TABLE_ONLY_OPERATION",
        "0AKDD",
        "docs/delta.md 1.1; Delta: DeltaErrors.notADeltaTableException",
        "AnalysisException",
        Earlier((3,), "DELTA_UNSUPPORTED_VACUUM_SPECIFIC_PARTITION", "0AKDC"),
    ),
    VacuumMistake.NOT_A_TABLE: _NO_TABLE,
    VacuumMistake.MISSING_PATH: _NO_TABLE,
    VacuumMistake.TEMPORARY_VIEW: _refusal(
        "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
        "42809",
        "docs/delta.md 1.1; Spark: QueryCompilationErrors.expectTableNotViewError",
        "AnalysisException",
        Earlier((3,), "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        Earlier((4,), "_LEGACY_ERROR_TEMP_1013"),
    ),
    VacuumMistake.INVENTORY_WITHOUT_COLUMN: _BAD_INVENTORY,
    VacuumMistake.INVENTORY_OF_OTHER_TYPE: _BAD_INVENTORY,
    VacuumMistake.LITE_WITH_INVENTORY: _refusal(
        "_LEGACY_ERROR_TEMP_0035",
        None,
        "docs/delta.md 1.1; Delta: DeltaSqlAstBuilder.visitVacuumTable",
        "ParseException",
    ),
    VacuumMistake.CLAUSE_TWICE: _refusal(
        "DUPLICATE_CLAUSES",
        "42614",
        "docs/delta.md 1.1; Spark: QueryParsingErrors.duplicateClausesError",
        "ParseException",
        Earlier((4,), "DUPLICATE_CLAUSES"),
    ),
}


def expected_vacuum_refusal(mistake: VacuumMistake) -> Refusal:
    """The error that Delta must raise for an InvalidVacuum, DRY RUN or not, with paths as ``delta.`…` ``."""
    return _VACUUM_ANSWERS[mistake]
