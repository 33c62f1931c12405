"""Each known change explains its differences, between the versions it lies between, and no similar ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reports.compare.commands import Command
from reports.compare.differences import Amount, Difference, Paths
from reports.compare.known_changes import BY_ENGINE, BY_PAIR, KnownChange, knowledge

DELETE, TRUNCATE = Command("delete"), Command("truncate")
VACUUM, LITE = Command("vacuum"), Command("vacuum", "LITE")
RETAIN, RETAIN_0 = Command("vacuum", retain="hours"), Command("vacuum", retain="0")
EARLIER, CURRENT, CHANGES = Command("read", earlier=True), Command("read"), Command("read_changes")

BEYOND = "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION"
REFUSED = "IllegalArgumentException"
TOO_SHORT = "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"
COMMITS = "VACUUM START, VACUUM END"
MORE, FEWER, OTHER = Amount.MORE, Amount.FEWER, Amount.OTHER


def mistake(why: str) -> Command:
    return Command("bad_vacuum", mistake=why)


def error(command: Command, base: str | None, candidate: str | None) -> Difference:
    return Difference(command, "error", base, candidate)


def member(command: Command, field: str, base: str | None, candidate: str | None, within: str = "") -> Difference:
    return Difference(command, field, base, candidate, within, form=True)


def paths(command: Command, field: str, amount: Amount, kind: Paths = Paths.ANY) -> Difference:
    return Difference(command, field, amount=amount, paths=kind)


def metric(command: Command, name: str, within: str) -> Difference:
    return Difference(command, f"metrics.{name}", within=within, amount=OTHER)


#: Of each change, in order: differences that it explains, and similar ones that nothing explains.
SPARK: list[tuple[list[Difference], list[Difference]]] = [
    (
        [member(DELETE, "metrics", None, "numDeletionVectorsAdded", "DELETE")],
        [
            member(DELETE, "metrics", "numDeletionVectorsAdded", None, "DELETE"),
            member(DELETE, "metrics", None, "numDeletedRows", "DELETE"),
            metric(DELETE, "numDeletionVectorsAdded", "DELETE"),
        ],
    ),
    (
        [member(DELETE, "remove_fields", None, "stats.numRecords"), member(DELETE, "remove_fields", None, "baseRowId")],
        [member(DELETE, "remove_fields", "stats", None), member(DELETE, "add_fields", None, "stats")],
    ),
    (
        [
            error(DELETE, "DELTA_CANNOT_RESOLVE_COLUMN", None),
            error(DELETE, "DELTA_CANNOT_RESOLVE_COLUMN", "REMAINDER_BY_ZERO"),
        ],
        [
            error(DELETE, None, "DELTA_CANNOT_RESOLVE_COLUMN"),
            error(DELETE, "DELTA_CANNOT_RESOLVE_COLUMN", "SparkException"),
        ],
    ),
    (
        [
            error(
                mistake("partition directory as the target"),
                "DELTA_UNSUPPORTED_VACUUM_SPECIFIC_PARTITION",
                "DELTA_TABLE_ONLY_OPERATION",
            ),
            error(mistake("missing path as the target"), "DELTA_TABLE_ONLY_OPERATION", "DELTA_MISSING_DELTA_TABLE"),
            error(
                mistake("temporary view as the target"),
                "TABLE_OR_VIEW_NOT_FOUND",
                "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
            ),
        ],
        [
            error(mistake("missing path as the target"), "DELTA_TABLE_ONLY_OPERATION", None),
            error(mistake("temporary view as the target"), "TABLE_OR_VIEW_NOT_FOUND", "DELTA_MISSING_DELTA_TABLE"),
            error(VACUUM, "DELTA_TABLE_ONLY_OPERATION", "DELTA_MISSING_DELTA_TABLE"),
        ],
    ),
    (
        [
            Difference(
                VACUUM,
                "error.exception",
                "DeltaTableFeatureException",
                "DeltaUnsupportedTableFeatureException",
                "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
            )
        ],
        [
            Difference(
                VACUUM, "error.exception", "DeltaTableFeatureException", "X", "DELTA_UNSUPPORTED_FEATURES_FOR_READ"
            ),
            error(VACUUM, "DeltaTableFeatureException", "DeltaUnsupportedTableFeatureException"),
        ],
    ),
    (
        [error(Command("vacuum", dry_run=True), None, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE")],
        [
            error(VACUUM, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", None),
            error(DELETE, None, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"),
        ],
    ),
    ([paths(VACUUM, "vanished", FEWER, Paths.METADATA)], [paths(VACUUM, "vanished", FEWER, Paths.HIDDEN)]),
    ([member(DELETE, "keys", None, "tags", "DELETE")], [member(DELETE, "keys", "tags", None, "DELETE")]),
    (
        [error(DELETE, "FIELD_NOT_FOUND", None)],
        [error(DELETE, None, "FIELD_NOT_FOUND"), error(VACUUM, "FIELD_NOT_FOUND", None)],
    ),
    (
        [Difference(VACUUM, "last_vacuum", None, "written")],
        [
            Difference(VACUUM, "last_vacuum", "written", None),
            Difference(VACUUM, "last_vacuum.keys", None, "latestCommitVersionOutsideOfRetentionWindow"),
        ],
    ),
    ([paths(VACUUM, "rows", MORE, Paths.METADATA)], [paths(VACUUM, "rows", OTHER, Paths.METADATA)]),
    (
        [paths(VACUUM, "vanished", OTHER, Paths.SPECIAL), paths(VACUUM, "rows", FEWER, Paths.SPECIAL)],
        [paths(VACUUM, "vanished", OTHER), paths(DELETE, "removed", OTHER, Paths.SPECIAL)],
    ),
    (
        [
            error(
                mistake("temporary view as the target"),
                "_LEGACY_ERROR_TEMP_1013",
                "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE",
            ),
            Difference(VACUUM, "error.sqlstate", None, "42614", "DUPLICATE_CLAUSES"),
        ],
        [
            error(VACUUM, "_LEGACY_ERROR_TEMP_1013", None),
            error(VACUUM, "_LEGACY_ERROR_TEMP_1013", "DELTA_MISSING_DELTA_TABLE"),
            error(VACUUM, "_LEGACY_ERROR_TEMP_1013", "SparkException"),
            Difference(VACUUM, "error.sqlstate", "42601", "42614", "DUPLICATE_CLAUSES"),
        ],
    ),
    (
        [
            error(RETAIN, REFUSED, None),
            paths(RETAIN, "vanished", MORE),
            paths(replace(RETAIN, mode="LITE", dry_run=True), "rows", FEWER),
            Difference(RETAIN, "operations", None, COMMITS),
            Difference(RETAIN, "operations", COMMITS, None),
            Difference(RETAIN, "checkpoints", amount=FEWER),
            Difference(RETAIN, "last_vacuum.keys", None, "latestCommitVersionOutsideOfRetentionWindow"),
            metric(RETAIN, "numFilesToDelete", "VACUUM START"),
            metric(RETAIN, "sizeOfDataToDelete", "VACUUM START"),
            member(RETAIN, "parameters", "specifiedRetentionMillis", None, "VACUUM START"),
        ],
        [
            error(RETAIN_0, REFUSED, None),
            error(RETAIN, None, "SparkException"),
            error(RETAIN, "SparkException", None),
            paths(VACUUM, "vanished", MORE),
            paths(RETAIN_0, "vanished", MORE),
            paths(RETAIN, "changed_beside", MORE),
            Difference(RETAIN, "operations", COMMITS, "VACUUM START"),
            Difference(RETAIN, "broken", None, "broken"),
            metric(VACUUM, "numFilesToDelete", "VACUUM START"),
            member(RETAIN_0, "parameters", "specifiedRetentionMillis", None, "VACUUM START"),
            member(RETAIN, "parameters", "defaultRetentionMillis", None, "VACUUM START"),
        ],
    ),
    (
        [
            member(DELETE, "places", None, "directories with random names"),
            member(DELETE, "places", "directories of partitions", None),
        ],
        [member(DELETE, "places", None, "the root"), member(DELETE, "places", "directories with random names", None)],
    ),
    (
        [error(DELETE, "DIVIDE_BY_ZERO", "REMAINDER_BY_ZERO")],
        [error(DELETE, "DIVIDE_BY_ZERO", None), error(DELETE, "REMAINDER_BY_ZERO", "DIVIDE_BY_ZERO")],
    ),
    (
        [error(EARLIER, None, BEYOND), error(CHANGES, "_LEGACY_ERROR_TEMP_2055", BEYOND)],
        [error(CURRENT, None, BEYOND), error(EARLIER, BEYOND, None)],
    ),
    (
        [error(RETAIN_0, REFUSED, TOO_SHORT), error(VACUUM, REFUSED, "DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE")],
        [error(RETAIN_0, None, TOO_SHORT), error(RETAIN_0, "SparkException", TOO_SHORT)],
    ),
    ([error(DELETE, "AMBIGUOUS_REFERENCE", None)], [error(DELETE, "AMBIGUOUS_REFERENCE", "SparkException")]),
    (
        [error(TRUNCATE, "DELTA_X", None), Difference(TRUNCATE, "operations", "DELETE", "TRUNCATE")],
        [
            error(DELETE, "DELTA_X", None),
            Difference(DELETE, "operations", "DELETE", "TRUNCATE"),
            Difference(TRUNCATE, "operations", "TRUNCATE", "DELETE"),
        ],
    ),
]

#: The same between Delta on Spark and delta-rs.
PAIR: list[tuple[list[Difference], list[Difference]]] = [
    (
        [member(VACUUM, "keys", "txnId", None, "VACUUM START"), member(DELETE, "metrics", None, "num_deleted_rows")],
        [Difference(DELETE, "values.isBlindAppend", "true", "false"), member(DELETE, "add_fields", "stats", None)],
    ),
    (
        [Difference(VACUUM, "last_vacuum", "written", None), error(LITE, "DELTA_CANNOT_VACUUM_LITE", None)],
        [Difference(VACUUM, "last_vacuum", None, "written"), paths(LITE, "vanished", MORE)],
    ),
    (
        [member(DELETE, "remove_fields", "stats.numRecords", None)],
        [member(DELETE, "remove_fields", "size", None), member(DELETE, "remove_fields", None, "stats")],
    ),
    (
        [error(Command("bad_delete", mistake="unknown column"), "UNRESOLVED_COLUMN.WITH_SUGGESTION", "DeltaError")],
        [
            error(DELETE, "SparkException", "DeltaError"),
            error(DELETE, "DELTA_X", "ValueError"),
            error(DELETE, None, "DeltaError"),
        ],
    ),
    (
        [
            paths(DELETE, "masked", FEWER),
            Difference(DELETE, "appeared", within="vector files", amount=FEWER),
            Difference(DELETE, "appeared", within="data files", amount=MORE),
            paths(DELETE, "added", MORE),
            member(DELETE, "add_fields", "deletionVector.storageType=u", None),
        ],
        [
            paths(DELETE, "masked", MORE),
            paths(DELETE, "removed", FEWER),
            Difference(DELETE, "appeared", within="data files", amount=FEWER),
            member(DELETE, "add_fields", "stats", None),
        ],
    ),
    (
        [
            paths(RETAIN, "vanished", FEWER),
            Difference(RETAIN, "operations", None, COMMITS),
            Difference(RETAIN, "operations", COMMITS, None),
            error(RETAIN, None, "DeltaError"),
        ],
        [paths(VACUUM, "vanished", FEWER), error(VACUUM, None, "DeltaError"), paths(RETAIN, "changed_beside", MORE)],
    ),
    (
        [Difference(VACUUM, "operations", COMMITS, None)],
        [Difference(VACUUM, "operations", COMMITS, "VACUUM START"), Difference(VACUUM, "operations", None, COMMITS)],
    ),
    (
        [metric(VACUUM, "numVacuumedDirectories", "VACUUM END")],
        [metric(VACUUM, "numDeletedFiles", "VACUUM END")],
    ),
    (
        [error(VACUUM, "SparkException", None)],
        [error(DELETE, "SparkException", None), error(VACUUM, None, "SparkException")],
    ),
]

_SPARK = BY_ENGINE["spark"]
_PAIR = BY_PAIR["spark", "deltalake"]
EXAMPLES = [*zip(_SPARK, SPARK), *zip(_PAIR, PAIR)]
names = {"argvalues": EXAMPLES, "ids": [change.sentence for change, _ in EXAMPLES]}


def test_every_change_has_examples_a_sentence_and_a_source() -> None:
    assert len(_SPARK) == len(SPARK) and len(_PAIR) == len(PAIR)
    for change in (*_SPARK, *_PAIR):
        assert change.sentence.endswith(".")
        assert change.source.startswith(("delta-io/delta", "apache/spark", "docs/findings.md"))
    assert [change.since for change in _SPARK] == sorted(change.since for change in _SPARK)


@pytest.mark.parametrize(("change", "examples"), **names)
def test_a_change_explains_its_differences_with_each_of_its_patterns(
    change: KnownChange, examples: tuple[list[Difference], list[Difference]]
) -> None:
    for difference in examples[0]:
        assert change.explains(difference), difference
    for pattern in change.patterns:
        assert any(pattern.matches(difference) for difference in examples[0]), pattern


@pytest.mark.parametrize(("change", "examples"), **names)
def test_nothing_explains_a_similar_difference(
    change: KnownChange, examples: tuple[list[Difference], list[Difference]]
) -> None:
    known = knowledge(("spark", "2.4.0"), ("spark", "4.4.0") if change.since else ("deltalake", "1.6.6"))
    for difference in examples[1]:
        assert known.of(difference) is None, difference


@pytest.mark.parametrize(("change", "examples"), [*zip(_SPARK, SPARK)], ids=[change.sentence for change in _SPARK])
def test_a_change_is_known_between_versions_before_and_after_it(
    change: KnownChange, examples: tuple[list[Difference], list[Difference]]
) -> None:
    since = change.since
    for difference in examples[0]:
        for new in (since, f"{since}.0"):
            forwards = knowledge(("spark", "2.4.0"), ("spark", new)).of(difference)
            backwards = knowledge(("spark", new), ("spark", "2.4.0")).of(difference.reversed)
            assert forwards is backwards and forwards is not None and forwards.since == since
            later = knowledge(("spark", new), ("spark", "4.4.0")).of(difference)
            assert later is None or later.since > since
        assert knowledge(("deltalake", "0.1.0"), ("deltalake", "9.0.0")).of(difference) is None
        between = knowledge(("spark", "2.4.0"), ("deltalake", "4.4.0")).of(difference)
        assert between is None or not between.since


def test_a_change_between_two_engines_is_known_in_both_directions() -> None:
    for change, (differences, _) in zip(_PAIR, PAIR):
        for difference in differences:
            found = knowledge(("spark", "4.4.0"), ("deltalake", "1.6.6")).of(difference)
            assert found is not None and found.word == "known" and found in (change, *_PAIR)
            assert found is knowledge(("deltalake", "1.6.6"), ("spark", "4.4.0")).of(difference.reversed)


def test_the_newest_change_that_explains_a_difference_is_used() -> None:
    ignored = paths(RETAIN, "vanished", MORE, Paths.SPECIAL)
    known = knowledge(("spark", "3.2.1"), ("spark", "4.4.0")).of(ignored)
    assert known is not None and known.since == "4.1"
    encoded = knowledge(("spark", "3.2.1"), ("spark", "3.3.2")).of(ignored)
    assert encoded is not None and encoded.since == "3.3"
