"""The DELETEs and VACUUMs that must be refused, and the answers to them."""

from __future__ import annotations

import pytest

from model.prediction.refusals import (
    APPEND_ONLY,
    BEYOND_RETENTION,
    CANNOT_VACUUM_LITE,
    TOO_SHORT,
    UNKNOWN_PROTOCOL,
    NamedPartition,
    Refusal,
    expected_refusal,
    expected_vacuum_refusal,
    named_partition,
)
from model.text.invalid_sql import invalid_delete_sql, invalid_vacuum_sql, view_sql
from model.vocabulary.floats import nearest_float
from model.vocabulary.steps import DeleteMistake, VacuumMistake
from model.vocabulary.table import Column, Feature
from model.vocabulary.values import Type, Value


def test_append_only_is_checked_before_the_type_of_the_condition() -> None:
    changed = {
        mistake for mistake in DeleteMistake if expected_refusal(mistake, append_only=True) != expected_refusal(mistake)
    }
    assert changed == {DeleteMistake.NOT_BOOLEAN}
    assert expected_refusal(DeleteMistake.NOT_BOOLEAN, append_only=True) is APPEND_ONLY
    assert APPEND_ONLY.conditions == {"DELTA_CANNOT_MODIFY_APPEND_ONLY"}
    assert APPEND_ONLY.sqlstates == {"42809"}
    assert APPEND_ONLY.exceptions == {"UnsupportedOperationException"}


def test_the_refusal_of_an_unknown_partition() -> None:
    changed = {b for b in DeleteMistake if expected_refusal(b, partition=NamedPartition.NONE) != expected_refusal(b)}
    assert changed == {DeleteMistake.PARTITION_DIRECTORY}


@pytest.mark.parametrize(
    ("type", "values", "named"),
    [
        (Type.FLOAT, (nearest_float(0.1),), NamedPartition.NOT_FOUND),  # its text is 0.1, which is another DOUBLE
        (Type.FLOAT, (-3.4028234663852886e38,), NamedPartition.NOT_FOUND),
        (Type.FLOAT, (nearest_float(0.1), -0.5), NamedPartition.FOUND),  # the first text counts
        (Type.FLOAT, (float("nan"),), NamedPartition.FOUND),
        (Type.FLOAT, (float("-inf"),), NamedPartition.FOUND),
        (Type.DOUBLE, (0.1,), NamedPartition.FOUND),
        (Type.STRING, ("", None), NamedPartition.NONE),
        (Type.INTEGER, (), NamedPartition.NONE),
    ],
)
def test_named_partition(type: Type, values: tuple[Value, ...], named: NamedPartition) -> None:
    assert named_partition(values, Column("p", type)) is named


def test_the_view_is_an_aggregate() -> None:
    assert view_sql("v", "t") == "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT count(*) AS n FROM t"


# VACUUM -------------------------------------------------------------------------------------------------------------


def test_an_invalid_inventory_has_only_the_intended_mistake() -> None:
    good = (
        "(SELECT nullif('', '') AS path, nullif(0L, 0L) AS length, nullif(true, true) AS isDir, "
        "nullif(0L, 0L) AS modificationTime)"
    )
    assert invalid_vacuum_sql(VacuumMistake.LITE_WITH_INVENTORY, "t") == f"VACUUM t LITE USING INVENTORY {good}"
    shorter = good.replace(", nullif(0L, 0L) AS modificationTime", "")
    assert invalid_vacuum_sql(VacuumMistake.INVENTORY_WITHOUT_COLUMN, "t") == f"VACUUM t USING INVENTORY {shorter}"
    other = good.replace("nullif(0L, 0L) AS length", "nullif(0, 0) AS length")
    assert invalid_vacuum_sql(VacuumMistake.INVENTORY_OF_OTHER_TYPE, "t") == f"VACUUM t USING INVENTORY {other}"
    twice = invalid_vacuum_sql(VacuumMistake.CLAUSE_TWICE, "t", dry_run=True)
    assert twice == "VACUUM t RETAIN 168 HOURS RETAIN 168 HOURS DRY RUN"


#: Every refusal: the error class and the SQLSTATE, as Delta's and Spark's own error lists have them.
ANSWERS: list[tuple[Refusal, str, str | None]] = [
    (expected_refusal(DeleteMistake.IN_SUBQUERY), "DELTA_UNSUPPORTED_SUBQUERY", "0AKDC"),
    (expected_refusal(DeleteMistake.SCALAR_SUBQUERY), "DELTA_UNSUPPORTED_SUBQUERY", "0AKDC"),
    (expected_refusal(DeleteMistake.EXISTS_SUBQUERY), "DELTA_UNSUPPORTED_SUBQUERY", "0AKDC"),
    (expected_refusal(DeleteMistake.NON_DETERMINISTIC), "INVALID_NON_DETERMINISTIC_EXPRESSIONS", "42K0E"),
    (expected_refusal(DeleteMistake.AGGREGATE), "UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E"),
    (expected_refusal(DeleteMistake.WINDOW_FUNCTION), "UNSUPPORTED_EXPR_FOR_OPERATOR", "42K0E"),
    (expected_refusal(DeleteMistake.UNKNOWN_COLUMN), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703"),
    (expected_refusal(DeleteMistake.NOT_BOOLEAN), "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", "42K09"),
    (expected_refusal(DeleteMistake.PARTITION_DIRECTORY), "DELTA_UNEXPECTED_PARTIAL_SCAN", "KD00A"),
    (expected_refusal(DeleteMistake.NOT_A_TABLE), "DELTA_TABLE_NOT_FOUND", "42P01"),
    (expected_refusal(DeleteMistake.MISSING_PATH), "PATH_NOT_FOUND", "42K03"),
    (expected_refusal(DeleteMistake.VIEW), "DELTA_UNSUPPORTED_SOURCE", "0AKDD"),
    (
        expected_refusal(DeleteMistake.PARTITION_DIRECTORY, partition=NamedPartition.NONE),
        "DELTA_NON_PARTITION_COLUMN_SPECIFIED",
        "42P10",
    ),
    (
        expected_refusal(DeleteMistake.PARTITION_DIRECTORY, partition=NamedPartition.NOT_FOUND),
        "DELTA_PATH_DOES_NOT_EXIST",
        "42K03",
    ),
    (expected_vacuum_refusal(VacuumMistake.PARTITION_DIRECTORY), "DELTA_TABLE_ONLY_OPERATION", "0AKDD"),
    (expected_vacuum_refusal(VacuumMistake.NOT_A_TABLE), "DELTA_MISSING_DELTA_TABLE", "42P01"),
    (expected_vacuum_refusal(VacuumMistake.MISSING_PATH), "DELTA_MISSING_DELTA_TABLE", "42P01"),
    (expected_vacuum_refusal(VacuumMistake.TEMPORARY_VIEW), "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809"),
    (expected_vacuum_refusal(VacuumMistake.INVENTORY_WITHOUT_COLUMN), "DELTA_INVALID_INVENTORY_SCHEMA", "42000"),
    (expected_vacuum_refusal(VacuumMistake.INVENTORY_OF_OTHER_TYPE), "DELTA_INVALID_INVENTORY_SCHEMA", "42000"),
    (expected_vacuum_refusal(VacuumMistake.LITE_WITH_INVENTORY), "_LEGACY_ERROR_TEMP_0035", None),
    (expected_vacuum_refusal(VacuumMistake.CLAUSE_TWICE), "DUPLICATE_CLAUSES", "42614"),
    (APPEND_ONLY, "DELTA_CANNOT_MODIFY_APPEND_ONLY", "42809"),
    (TOO_SHORT, "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT", "22003"),
    (CANNOT_VACUUM_LITE, "DELTA_CANNOT_VACUUM_LITE", "55000"),
    (BEYOND_RETENTION, "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION", "0AKDC"),
    (UNKNOWN_PROTOCOL[Feature.UNKNOWN_WRITER], "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", "56038"),
    (UNKNOWN_PROTOCOL[Feature.UNKNOWN_READER], "DELTA_UNSUPPORTED_FEATURES_FOR_READ", "56038"),
]

#: The class of exception is AnalysisException, except for these.
EXCEPTIONS = {
    "_LEGACY_ERROR_TEMP_0035": "ParseException",
    "DUPLICATE_CLAUSES": "ParseException",
    "DELTA_CANNOT_MODIFY_APPEND_ONLY": "UnsupportedOperationException",
    "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT": "IllegalArgumentException",
    "DELTA_CANNOT_VACUUM_LITE": "DeltaIllegalStateException",
    "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE": "DeltaUnsupportedTableFeatureException",
    "DELTA_UNSUPPORTED_FEATURES_FOR_READ": "DeltaUnsupportedTableFeatureException",
}


def test_refusals_have_the_documented_class_and_state() -> None:
    assert {refusal for refusal, _, _ in ANSWERS} >= {*map(expected_refusal, DeleteMistake)}
    assert {refusal for refusal, _, _ in ANSWERS} >= {*map(expected_vacuum_refusal, VacuumMistake)}
    for refusal, condition, state in ANSWERS:
        assert refusal.conditions == {condition} and refusal.condition == condition
        assert refusal.sqlstates == (set() if state is None else {state}), condition
        assert refusal.exceptions == {EXCEPTIONS.get(condition, "AnalysisException")}, condition
        assert refusal.source.partition(": ")[2], f"it must say where this stands: {condition}"


def test_invalid_conditions_have_only_the_intended_mistake() -> None:
    conditions = {
        DeleteMistake.IN_SUBQUERY: "1 IN (SELECT 1)",
        DeleteMistake.SCALAR_SUBQUERY: "1 = (SELECT 1)",
        DeleteMistake.EXISTS_SUBQUERY: "EXISTS (SELECT 1)",
        DeleteMistake.NON_DETERMINISTIC: "rand() < 2",
        DeleteMistake.AGGREGATE: "count(*) > 0",
        DeleteMistake.UNKNOWN_COLUMN: "`tombstone_unknown_column` = 1",
        DeleteMistake.NOT_BOOLEAN: "1",
    }
    for mistake, condition in conditions.items():
        assert invalid_delete_sql(mistake, "t") == f"DELETE FROM t WHERE {condition}"


@pytest.mark.parametrize(
    ("mistake", "release", "condition", "state"),
    [
        (VacuumMistake.NOT_A_TABLE, (2, 4, 0), "DELTA_TABLE_ONLY_OPERATION", "0AKDD"),
        (VacuumMistake.NOT_A_TABLE, (3, 0, 0), "DELTA_MISSING_DELTA_TABLE", "42P01"),
        (VacuumMistake.PARTITION_DIRECTORY, (2, 4, 0), "DELTA_UNSUPPORTED_VACUUM_SPECIFIC_PARTITION", "0AKDC"),
        (VacuumMistake.PARTITION_DIRECTORY, (3, 0, 0), "DELTA_TABLE_ONLY_OPERATION", "0AKDD"),
        (VacuumMistake.TEMPORARY_VIEW, (2, 4, 0), "TABLE_OR_VIEW_NOT_FOUND", "42P01"),
        (VacuumMistake.TEMPORARY_VIEW, (3, 0, 0), "_LEGACY_ERROR_TEMP_1013", None),
        (VacuumMistake.TEMPORARY_VIEW, (3, 3, 2), "_LEGACY_ERROR_TEMP_1013", None),
        (VacuumMistake.TEMPORARY_VIEW, (4, 0, 0), "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809"),
        (VacuumMistake.CLAUSE_TWICE, (3, 3, 2), "DUPLICATE_CLAUSES", None),
        (VacuumMistake.CLAUSE_TWICE, (4, 0, 0), "DUPLICATE_CLAUSES", "42614"),
    ],
)
def test_older_releases_report_some_refusals_differently(
    mistake: VacuumMistake, release: tuple[int, ...], condition: str, state: str | None
) -> None:
    refusal = expected_vacuum_refusal(mistake).at(release)
    assert refusal.is_matched_by(condition, state) and refusal.condition == condition
    assert not refusal.is_matched_by(condition, "XXKST")
