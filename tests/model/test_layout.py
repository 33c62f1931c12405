"""Where files lie: partition directories as Hive and Spark name them, and names that follow from ids."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.text.layout import (
    BY_HAND,
    escape,
    file_path,
    is_named_by_engine,
    partition_directory,
    partition_string,
    partition_texts,
    partition_value,
    physical_name,
    without_random,
)
from model.vocabulary.table import Column, DataFile, Feature, Table
from model.vocabulary.values import NAN, AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, Value

PRICE = DecimalOf(10, 2)
UUID = "6f1c7a52-0d3e-4b6a-9c55-0e8d1b2f3a4c"


def table(*partition_by: str, type: AnyType = Type.STRING, features: tuple[Feature, ...] = ()) -> Table:
    columns = (Column("v", Type.INTEGER), *(Column(name, type) for name in sorted(partition_by)))
    names = tuple(feature.value for feature in features)
    return Table(columns=columns, partition_by=partition_by, files=(), commits=(), features=names)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type,misc]


def test_every_character_that_hive_escapes_is_escaped() -> None:
    """The list is ExternalCatalogUtils.charToEscape of Spark."""
    hive = [*map(chr, range(1, 0x20)), *"\"#%'*/:=?\\\x7f{[]^"]
    assert all(escape(char) == f"%{ord(char):02X}" for char in hive)
    assert [chr(code) for code in range(1, 0x250) if escape(chr(code)) != chr(code)] == sorted(set(hive))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_escaped_values_are_valid_and_distinct_names(text: str) -> None:
    escaped = escape(text)
    assert "/" not in escaped and "=" not in escaped
    back = ""
    while escaped:
        if escaped[0] == "%":
            back, escaped = back + chr(int(escaped[1:3], 16)), escaped[3:]
        else:
            back, escaped = back + escaped[0], escaped[1:]
    assert back == text


IN_THE_LOG: list[tuple[Any, ...]] = [
    (None, Type.STRING, None),
    (None, Type.DATE, None),
    (None, PRICE, None),
    ("a b", Type.STRING, "a b"),
    ("\U0001f600 ", Type.STRING, "\U0001f600 "),
    (True, Type.BOOLEAN, "true"),
    (False, Type.BOOLEAN, "false"),
    (-128, Type.BYTE, "-128"),
    (32767, Type.SHORT, "32767"),
    (0, Type.INTEGER, "0"),
    (-7, Type.LONG, "-7"),
    (1.0, Type.FLOAT, "1.0"),
    (0.10000000149011612, Type.FLOAT, "0.1"),
    (3.4028234663852886e38, Type.FLOAT, "3.4028235E38"),
    (NAN, Type.FLOAT, "NaN"),
    (1.0, Type.DOUBLE, "1.0"),
    (0.10000000149011612, Type.DOUBLE, "0.10000000149011612"),
    (-0.0, Type.DOUBLE, "-0.0"),
    (0.001, Type.DOUBLE, "0.001"),
    (0.0005, Type.DOUBLE, "5.0E-4"),
    (1234567.0, Type.DOUBLE, "1234567.0"),
    (1e7, Type.DOUBLE, "1.0E7"),
    (5e-324, Type.DOUBLE, "4.9E-324"),
    (1.7976931348623157e308, Type.DOUBLE, "1.7976931348623157E308"),
    (NAN, Type.DOUBLE, "NaN"),
    (math.inf, Type.DOUBLE, "Infinity"),
    (-math.inf, Type.DOUBLE, "-Infinity"),
    (Decimal("1.20"), PRICE, "1.20"),
    (Decimal("-0.05"), PRICE, "-0.05"),
    (Decimal("0.00"), PRICE, "0.00"),
    (Decimal("9" * 38), DecimalOf(38, 0), "9" * 38),
    (Decimal("1E-38"), DecimalOf(38, 38), "0." + "0" * 37 + "1"),
    (date(2020, 1, 31), Type.DATE, "2020-01-31"),
    (date(1, 1, 1), Type.DATE, "0001-01-01"),
    (utc(2020, 1, 31), Type.TIMESTAMP, "2020-01-31T00:00:00.000000Z"),
    (utc(1, 1, 2, 3, 4, 5, 6), Type.TIMESTAMP, "0001-01-02T03:04:05.000006Z"),
    (datetime(2020, 1, 31), Type.TIMESTAMP_NTZ, "2020-01-31 00:00:00"),
    (datetime(9999, 12, 31, 23, 59, 59, 999999), Type.TIMESTAMP_NTZ, "9999-12-31 23:59:59.999999"),
]


def test_partition_values_in_the_log() -> None:
    assert [(value, type, partition_string(value, type)) for value, type, _ in IN_THE_LOG] == IN_THE_LOG
    assert repr([(partition_value(text, type), type, text) for _, type, text in IN_THE_LOG]) == repr(IN_THE_LOG)


OTHER_FORMS: list[tuple[Any, ...]] = [
    ("007", Type.INTEGER, 7),
    ("1", Type.DOUBLE, 1.0),
    ("1e3", Type.DOUBLE, 1000.0),
    ("0.1", Type.FLOAT, 0.10000000149011612),
    ("1", PRICE, Decimal("1.00")),
    ("1.5", PRICE, Decimal("1.50")),
    ("1.2000", PRICE, Decimal("1.20")),
    ("0E-18", PRICE, Decimal("0.00")),
    ("1.2E+1", PRICE, Decimal("12.00")),
    ("-0", PRICE, Decimal("0.00")),
    ("2020-01-31 00:00:00", Type.TIMESTAMP, utc(2020, 1, 31)),
    ("2020-01-31 01:02:03.5", Type.TIMESTAMP, utc(2020, 1, 31, 1, 2, 3, 500000)),
    ("2020-01-31T01:02:03Z", Type.TIMESTAMP, utc(2020, 1, 31, 1, 2, 3)),
    ("2020-01-31 01:02:03.000001", Type.TIMESTAMP_NTZ, datetime(2020, 1, 31, 1, 2, 3, 1)),
    ("", PRICE, None),
    ("", ArrayOf(Type.LONG), None),
]


def test_other_forms_are_accepted() -> None:
    assert repr([(text, type, partition_value(text, type)) for text, type, _ in OTHER_FORMS]) == repr(OTHER_FORMS)


MALFORMED: list[tuple[Any, ...]] = [
    ("x", Type.INTEGER),
    ("1.0", Type.INTEGER),
    (" 1", Type.INTEGER),
    ("+1", Type.INTEGER),
    ("1_0", Type.INTEGER),
    ("\u0661", Type.INTEGER),  # a digit, but not one of ours
    ("128", Type.BYTE),
    ("-32769", Type.SHORT),
    (str(2**31), Type.INTEGER),
    (str(2**63), Type.LONG),
    ("9" * 5000, Type.LONG),
    ("nan", Type.DOUBLE),
    ("-NaN", Type.DOUBLE),
    ("inf", Type.DOUBLE),
    ("1e999", Type.DOUBLE),
    ("1e39", Type.FLOAT),
    ("0x1p3", Type.DOUBLE),
    ("True", Type.BOOLEAN),
    ("1", Type.BOOLEAN),
    ("1.234", PRICE),
    ("123456789.00", PRICE),
    ("1e9999", PRICE),
    ("1e99999999999999999999", PRICE),
    ("1,2", PRICE),
    ("20200131", Type.DATE),
    ("2020-02-30", Type.DATE),
    ("2020-W05-5", Type.DATE),
    ("2020-01-31 00:00:00", Type.DATE),
    ("2020-01-31", Type.TIMESTAMP),
    ("2020-01-31T00:00:00", Type.TIMESTAMP),
    ("2020-01-31 00:00:00Z", Type.TIMESTAMP),
    ("2020-01-31T00:00:00+01:00", Type.TIMESTAMP),
    ("2020-01-31 24:00:00", Type.TIMESTAMP),
    ("2020-01-31 00:00:00.1234567", Type.TIMESTAMP),
    ("2020-01-31T00:00:00Z", Type.TIMESTAMP_NTZ),
    ("2020-01-31T00:00:00", Type.TIMESTAMP_NTZ),
    ("ff", Type.BINARY),
    ("1", ArrayOf(Type.LONG)),
    ("1", MapOf(Type.LONG, Type.LONG)),
    ("1", StructOf((("a", Type.LONG),))),
]


def test_malformed_partition_values_are_refused() -> None:
    accepted = []
    for text, type in MALFORMED:
        try:
            accepted.append((text, type, partition_value(text, type)))
        except ValueError:  # of Python's own parsers too
            continue
    assert accepted == []


@pytest.mark.parametrize("value", [b"", b"a", (), (1,)])
def test_bytes_and_nested_values_cannot_be_partition_values(value: Value) -> None:
    with pytest.raises(TypeError, match="cannot be a partition value"):
        partition_string(value)


def test_a_float_must_fit_32_bits() -> None:
    with pytest.raises(ValueError, match=r"32 bits do not hold 0\.1 exactly"):
        partition_string(0.1, Type.FLOAT)


def test_names_and_values_are_both_escaped() -> None:
    assert partition_directory(table("a/b"), ("c=d",)) == "a%2Fb=c%3Dd"
    path = file_path(table("p"), DataFile(0, ("50% /day",), (), 0))
    assert path == f"p=50%25 %2Fday/part-00000-00000000{BY_HAND}.c000.snappy.parquet"


# Column mapping ------------------------------------------------------------------------------------------------------


MAPPED = table("p", "q", features=(Feature.COLUMN_MAPPING_NAME,))


@pytest.mark.parametrize("feature", [Feature.COLUMN_MAPPING_NAME, Feature.COLUMN_MAPPING_ID])
def test_physical_names_depend_on_the_position(feature: Feature) -> None:
    mapped = table("p", "q", features=(feature,))
    assert [physical_name(mapped, column.name) for column in mapped.columns] == [
        "col-00000000-0000-4000-8000-000000000000",
        "col-00000001-0000-4000-8000-000000000000",
        "col-00000002-0000-4000-8000-000000000000",
    ]


@pytest.mark.parametrize("of", [table("p"), MAPPED])
def test_an_unknown_column_has_no_physical_name(of: Table) -> None:
    with pytest.raises(KeyError, match="the table has no column 'nope'"):
        physical_name(of, "nope")


def test_partition_directories_of_mapped_tables_have_physical_names() -> None:
    directory = f"col-00000002{BY_HAND}=a%2Fb/col-00000001{BY_HAND}=__HIVE_DEFAULT_PARTITION__"
    reversed = table("q", "p", features=(Feature.COLUMN_MAPPING_ID,))
    assert partition_directory(reversed, ("a/b", None)) == directory
    assert file_path(reversed, DataFile(1, ("a/b", None), (), 0)) == (
        f"{directory}/part-00001-00000001{BY_HAND}.c000.snappy.parquet"
    )


# What an engine names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "starred"),
    [
        (f"part-00000-{UUID}.c000.snappy.parquet", "part-00000-*.c000.snappy.parquet"),
        (f"p=a/part-00000-{UUID}.c000.snappy.parquet", "p=a/part-00000-*.c000.snappy.parquet"),
        (f"col-00000001{BY_HAND}=a/part-00000-{UUID}.parquet", f"col-00000001{BY_HAND}=a/part-00000-*.parquet"),
        (f"Zx/part-00000-{UUID}.parquet", "*/part-00000-*.parquet"),
        (f"0a/cdc-00000-{UUID}.parquet", "*/cdc-00000-*.parquet"),
        (f"_change_data/cdc-00000-{UUID}.parquet", "_change_data/cdc-00000-*.parquet"),
        (f"deletion_vector_{UUID}.bin", "deletion_vector_*.bin"),
        (f"ab/cd/part-{UUID}.parquet", "ab/cd/part-*.parquet"),
    ],
)
def test_random_parts_of_names_become_stars(path: str, starred: str) -> None:
    assert without_random(path) == starred
    assert is_named_by_engine(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "ab/notes*.txt",
        file_path(table("p"), DataFile(3, ("a",), (), 0)),
        file_path(MAPPED, DataFile(3, ("a", "b"), (), 0)),
    ],
)
def test_names_of_the_case_are_kept(path: str) -> None:
    assert without_random(path) == path
    assert not is_named_by_engine(path)


# Timestamps in directories --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "zone", "text"),
    [
        (utc(2020, 1, 31, 12), "UTC", "2020-01-31 12%3A00%3A00"),
        (utc(2020, 1, 31, 12, 0, 0, 500000), "UTC", "2020-01-31 12%3A00%3A00.5"),
        (utc(2020, 1, 31, 12, 0, 10), "America/Los_Angeles", "2020-01-31 04%3A00%3A10"),
        (utc(2020, 7, 1, 12, 0, 0, 1), "Asia/Kolkata", "2020-07-01 17%3A30%3A00.000001"),
        # An hour that comes twice: two instants, one directory.
        (utc(2020, 11, 1, 8, 30), "America/Los_Angeles", "2020-11-01 01%3A30%3A00"),
        (utc(2020, 11, 1, 9, 30), "America/Los_Angeles", "2020-11-01 01%3A30%3A00"),
    ],
)
def test_timestamps_in_directories_of_an_engine_are_in_its_zone(value: datetime, zone: str, text: str) -> None:
    assert partition_directory(table("p", type=Type.TIMESTAMP), (value,), zone=zone) == f"p={text}"


@pytest.mark.parametrize(
    ("value", "trimmed", "text"),
    [("1.50", True, "1.5"), ("1.50", False, "1.50"), ("-10.00", True, "-10"), ("0.00", True, "0"), (None, True, None)],
)
def test_a_trimmed_file_has_no_trailing_zeros_in_the_log(value: str | None, trimmed: bool, text: str | None) -> None:
    number = None if value is None else Decimal(value)
    file = DataFile(0, (number, "1.50", 100), ((1,),), 0, trimmed=trimmed)
    columns = (Column("p", PRICE), Column("s", Type.STRING), Column("i", Type.INTEGER), Column("v", Type.INTEGER))
    table = Table(columns, ("p", "s", "i"), (file,), ())
    assert partition_texts(table, file) == (text, "1.50", "100")
    directory = "__HIVE_DEFAULT_PARTITION__" if text is None else text
    assert file_path(table, file).startswith(f"p={directory}/s=1.50/i=100/")
    assert partition_value(text, PRICE) == number


def test_a_null_partition_value_may_be_empty_in_the_log() -> None:
    file = DataFile(0, (None, "x"), ((1,),), 0, empty_nulls=True)
    columns = (Column("p", Type.INTEGER), Column("s", Type.STRING), Column("v", Type.INTEGER))
    table = Table(columns, ("p", "s"), (file,), ())
    assert partition_texts(table, file) == ("", "x")
    assert partition_texts(table, replace(file, empty_nulls=False)) == (None, "x")
    assert file_path(table, file).startswith("p=__HIVE_DEFAULT_PARTITION__/s=x/")
    assert partition_value("", Type.INTEGER) is None
