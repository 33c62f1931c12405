"""Where files lie: partition directories as Hive and Spark name them, and names that follow from ids."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.layout import BY_HAND, escape, file_path, partition_directory, partition_string, partition_value
from model.table import Column, DataFile, Table
from model.values import Type, Value


def table(*partition_by: str) -> Table:
    columns = (Column("v", Type.INTEGER), *(Column(name, Type.STRING) for name in sorted(partition_by)))
    return Table(columns=columns, partition_by=partition_by, files=(), commits=())


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("plain", "plain"),
        ("a b", "a b"),
        ("a=b", "a%3Db"),
        ("a/b", "a%2Fb"),
        ("100%", "100%25"),
        ("a:b", "a%3Ab"),
        ("a\\b", "a%5Cb"),
        ("a\nb", "a%0Ab"),
        ("\x01\x7f", "%01%7F"),
        ("{a}", "%7Ba}"),
        ("[a]^", "%5Ba%5D%5E"),
        ("größe", "größe"),
        ("😀", "😀"),
        ("a.b-c_d,e+f!g~h(i)", "a.b-c_d,e+f!g~h(i)"),
        ("", ""),
    ],
)
def test_escaping(name: str, escaped: str) -> None:
    assert escape(name) == escaped


def test_every_character_that_hive_escapes_is_escaped() -> None:
    """The list is ExternalCatalogUtils.charToEscape of Spark."""
    hive = [*map(chr, range(1, 0x20)), *"\"#%'*/:=?\\\x7f{[]^"]
    assert all(escape(char) == f"%{ord(char):02X}" for char in hive)
    assert [chr(code) for code in range(1, 0x250) if escape(chr(code)) != chr(code)] == sorted(set(hive))


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_escaped_names_are_names_and_tell_values_apart(text: str) -> None:
    escaped = escape(text)
    assert "/" not in escaped and "=" not in escaped
    back = ""
    while escaped:
        if escaped[0] == "%":
            back, escaped = back + chr(int(escaped[1:3], 16)), escaped[3:]
        else:
            back, escaped = back + escaped[0], escaped[1:]
    assert back == text


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (None, Type.STRING, None),
        (None, Type.DATE, None),
        ("a b", Type.STRING, "a b"),
        (True, Type.BOOLEAN, "true"),
        (False, Type.BOOLEAN, "false"),
        (0, Type.INTEGER, "0"),
        (-7, Type.LONG, "-7"),
        (date(2020, 1, 31), Type.DATE, "2020-01-31"),
        (date(1, 1, 1), Type.DATE, "0001-01-01"),
    ],
)
def test_partition_values_as_the_log_has_them(value: Value, type: Type, text: str | None) -> None:
    assert partition_string(value) == text
    assert partition_value(text, type) == value


def test_an_empty_text_is_null() -> None:
    assert all(partition_value("", type) is None for type in Type)


def test_an_unpartitioned_file_lies_in_the_root() -> None:
    path = file_path(table(), DataFile(10, (), (), 0))
    assert path == f"part-00010-0000000a{BY_HAND}.c000.snappy.parquet"
    assert partition_directory(table(), ()) == ""


def test_partition_directories_follow_the_order_of_partition_by() -> None:
    assert partition_directory(table("q", "p"), ("x", "y")) == "q=x/p=y"


def test_null_has_hives_name() -> None:
    assert partition_directory(table("p", "q"), (None, "x")) == "p=__HIVE_DEFAULT_PARTITION__/q=x"


def test_names_and_values_are_both_escaped() -> None:
    assert partition_directory(table("a/b"), ("c=d",)) == "a%2Fb=c%3Dd"
    path = file_path(table("p"), DataFile(0, ("50% /day",), (), 0))
    assert path == f"p=50%25 %2Fday/part-00000-00000000{BY_HAND}.c000.snappy.parquet"


@given(st.lists(st.integers(0, 2**31), unique=True, min_size=2, max_size=5))
def test_ids_tell_files_apart(ids: list[int]) -> None:
    assert len({file_path(table(), DataFile(id, (), (), 0)) for id in ids}) == len(ids)
