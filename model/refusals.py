"""DELETEs that must be refused: their text, and what an engine must answer. The targets come from the engine's adapter.

The classes and states are those of Delta 4.4.0 on Spark 4.2, as facts 2.1 and Delta's own source name them; each was
seen in an answer of that engine.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.sql import identifier
from model.steps import Blunder

#: A column that no table of a case has.
UNKNOWN_COLUMN = "tombstone_unknown_column"

#: The name of a partition directory that no table of a case can have, for tables with nothing to name a real one by.
UNKNOWN_PARTITION = f"{UNKNOWN_COLUMN}=1"


@dataclass(frozen=True)
class Refusal:
    """The answers that count as the documented refusal: any of these error classes, with any of these SQLSTATEs."""

    conditions: frozenset[str]
    sqlstates: frozenset[str]
    exceptions: frozenset[str]  # the classes that PySpark has for them
    source: str


def _refusal(condition: str, sqlstate: str, source: str, exception: str = "AnalysisException") -> Refusal:
    return Refusal(frozenset({condition}), frozenset({sqlstate}), frozenset({exception}), source)


#: What any DELETE, and TRUNCATE TABLE, of a table with delta.appendOnly=true is answered, matching rows or not.
APPEND_ONLY = _refusal(
    "DELTA_CANNOT_MODIFY_APPEND_ONLY",
    "42809",
    "facts 2.1; Delta: DeltaErrors.modifyAppendOnlyTableException",
    "UnsupportedOperationException",
)

_SUBQUERY = _refusal(
    "DELTA_UNSUPPORTED_SUBQUERY", "0AKDC", "facts 2.1; Delta: DeltaErrors.subqueryNotSupportedException"
)

_ANSWERS = {
    Blunder.IN_SUBQUERY: _SUBQUERY,
    Blunder.SCALAR_SUBQUERY: _SUBQUERY,
    Blunder.EXISTS_SUBQUERY: _SUBQUERY,
    Blunder.NON_DETERMINISTIC: _refusal(
        "INVALID_NON_DETERMINISTIC_EXPRESSIONS", "42K0E", "facts 2.1; Spark: CheckAnalysis"
    ),
    Blunder.AGGREGATE: _refusal("UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E", "Spark: CheckAnalysis"),
    Blunder.UNKNOWN_COLUMN: _refusal("UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "Spark: CheckAnalysis"),
    Blunder.NOT_BOOLEAN: _refusal("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09", "Spark: CheckAnalysis"),
    Blunder.PARTITION_DIRECTORY: _refusal(
        "DELTA_UNEXPECTED_PARTIAL_SCAN", "KD00A", "facts 2.1; Delta: DeltaErrors.unexpectedPartialScan"
    ),
    Blunder.NOT_A_TABLE: _refusal("DELTA_TABLE_NOT_FOUND", "42P01", "facts 2.1; Delta: DeltaErrors.tableNotFound"),
    Blunder.MISSING_PATH: _refusal("PATH_NOT_FOUND", "42K03", "Spark: QueryCompilationErrors.dataPathNotExistError"),
    Blunder.VIEW: _refusal(
        "DELTA_UNSUPPORTED_SOURCE", "0AKDD", "facts 2.1; Delta: DeltaErrors.notADeltaSourceException"
    ),
}

#: A path below a table that names a partition of a column by which the table is not partitioned.
_NO_SUCH_PARTITION = _refusal(
    "DELTA_NON_PARTITION_COLUMN_SPECIFIED", "42P10", "Delta: DeltaErrors.nonPartitionColumnAbsentException"
)


def expected_refusal(blunder: Blunder, *, append_only: bool = False, has_partitions: bool = True) -> Refusal:
    """What Delta must answer to a BadDelete.

    ``append_only``: the table has delta.appendOnly=true. That is looked at before a condition's type is, and after all
    else. ``has_partitions``: a live file has a value other than NULL for the first partition column; without, there is
    no partition directory that Delta takes, and PARTITION_DIRECTORY is said of one that cannot be.
    """
    if append_only and blunder is Blunder.NOT_BOOLEAN:
        return APPEND_ONLY
    if blunder is Blunder.PARTITION_DIRECTORY and not has_partitions:
        return _NO_SUCH_PARTITION
    return _ANSWERS[blunder]


_CONDITIONS = {
    Blunder.IN_SUBQUERY: "1 IN (SELECT 1)",
    Blunder.SCALAR_SUBQUERY: "1 = (SELECT 1)",
    Blunder.EXISTS_SUBQUERY: "EXISTS (SELECT 1)",
    Blunder.NON_DETERMINISTIC: "rand() < 2",
    Blunder.AGGREGATE: "count(*) > 0",
    Blunder.UNKNOWN_COLUMN: f"{identifier(UNKNOWN_COLUMN)} = 1",
    Blunder.NOT_BOOLEAN: "1",
}


def bad_delete_sql(blunder: Blunder, target: str) -> str:
    """The DELETE of a BadDelete, of any table: the conditions name none of its columns, and would hold for every row.

    ``target`` is how SQL names what is to be deleted from: for PARTITION_DIRECTORY, NOT_A_TABLE and MISSING_PATH that
    path as ``delta.`…` ``, for VIEW the view's name, for all else the table.
    """
    condition = _CONDITIONS.get(blunder)
    return f"DELETE FROM {target}" if condition is None else f"DELETE FROM {target} WHERE {condition}"


def view_sql(view: str, table_text: str) -> str:
    """The statement that makes the temporary view of Blunder.VIEW. Its one row stands for no row of the table."""
    return f"CREATE OR REPLACE TEMPORARY VIEW {view} AS SELECT count(*) AS n FROM {table_text}"
