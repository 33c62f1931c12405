"""Data files, their statistics, partition values, and the listing of a directory."""

from __future__ import annotations

import io
import json
import math
import os
import re
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deltalog.data.rows import read_stored_rows
from deltalog.entries.actions import Add, Metadata
from deltalog.errors import AlreadyWritten, DeltaLogError, MalformedAction, UnsupportedRows, UnsupportedType
from deltalog.storage.digests import digest
from deltalog.storage.listing import Entry, EntryKind, leads_to, list_beside, list_tree
from deltalog.storage.parquet import parquet_bytes, write_data_file
from deltalog.storage.times import set_modified
from deltalog.values.partition_values import parse_partition_value
from deltalog.values.schemas import arrow_schema, schema_string
from deltalog.values.statistics import count_statistics, full_statistics, shortened_maximum, shortened_minimum

LAST = "\U0010ffff"
PAIR = "\U0001f600"


def test_equal_tables_have_equal_bytes_and_files_are_never_overwritten(tmp_path: Path) -> None:
    table = pa.table({"a": [1, None], "b": ["x", "y"]})
    path = tmp_path / "p=1" / "f.parquet"
    size = write_data_file(path, table, modified=1_234)
    assert path.read_bytes() == parquet_bytes(pa.table({"a": [1, None], "b": ["x", "y"]}))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (size, 1_234_000_000)
    with pytest.raises(AlreadyWritten, match="never overwritten"):
        write_data_file(path, table)


def test_a_data_file_has_no_arrow_schema() -> None:
    data = parquet_bytes(pa.table({"a": [1]}).replace_schema_metadata({"made by": "a test"}))
    assert pq.read_metadata(io.BytesIO(data)).metadata is None


def test_statistics_as_delta_writes_them() -> None:
    schema = arrow_schema([("i", "integer"), ("s", "string"), ("b", "boolean"), ("d", "date"), ("n", "long")])
    columns = [[3, None, -1], ["b", "\u00fc", None], [True, None, None], [date(2024, 2, 29), None, None], [None] * 3]
    table = pa.Table.from_arrays([pa.array(v, t) for v, t in zip(columns, schema.types)], schema=schema)
    assert full_statistics(table) == (
        '{"numRecords":3,"minValues":{"i":-1,"s":"b","d":"2024-02-29"},'
        '"maxValues":{"i":3,"s":"\u00fc","d":"2024-02-29"},"nullCount":{"i":1,"s":1,"b":2,"d":2,"n":3}}'
    )
    assert count_statistics(table, tight_bounds=True) == '{"numRecords":3,"tightBounds":true}'
    assert '"tightBounds":false' in full_statistics(table, tight_bounds=False)


def test_statistics_may_have_timestamps_in_another_zone() -> None:
    instants = [datetime(2020, 1, 1, 3, tzinfo=timezone.utc), datetime(1, 1, 1, tzinfo=timezone.utc)]
    table = pa.table({"t": pa.array(instants, pa.timestamp("us", "UTC"))})
    found = json.loads(full_statistics(table, zone=timezone(-timedelta(hours=8))))
    assert found["maxValues"] == {"t": "2019-12-31T19:00:00.000-08:00"}
    assert found["minValues"] == {"t": "0001-01-01T00:00:00.000Z"}, "no year 0 in another zone"


def test_statistics_refuse_other_types() -> None:
    with pytest.raises(UnsupportedType, match=r"column 's\.t' of the type time32"):
        full_statistics(pa.table({"s": pa.array([{"t": 1}], pa.struct({"t": pa.time32("s")}))}))


@pytest.mark.parametrize(
    ("text", "maximum"),
    [
        ("a" * 32, "a" * 32),
        ("a" * 33, "a" * 32 + "\x7f"),
        ("a" * 32 + "\x7f", "a" * 32 + LAST),
        ("a" * 32 + "ü", "a" * 32 + LAST),
        ("a" * 32 + LAST, "a" * 32 + LAST),
        ("a" * 32 + LAST + "b", "a" * 32 + LAST + "\x7f"),
        (PAIR * 16, PAIR * 16),
        (PAIR * 17, PAIR * 16 + LAST),
        ("a" + PAIR * 16, "a" + PAIR * 16),
        ("a" + PAIR * 16 + "b", "a" + PAIR * 16 + "\x7f"),
        (LAST * 32, LAST * 32),
        (LAST * 33, None),
        (LAST * 32 + "a", LAST * 32 + "\x7f"),
    ],
)
def test_truncated_maxima_are_not_less(text: str, maximum: str | None) -> None:
    assert shortened_maximum(text) == maximum


@given(st.text(st.sampled_from(["a", "\x7e", "\x7f", "ü", "\uffff", PAIR, LAST]) | st.characters(codec="utf-8")))
@example(LAST * 40)
def test_bounds_of_strings_hold_for_the_byte_order(text: str) -> None:
    assert shortened_minimum(text).encode() <= text.encode()
    high = shortened_maximum(text)
    assert high is None or high.encode() >= text.encode()
    assert high is None or len(high.encode("utf-16-le")) // 2 <= 66, "the search ends at 64 characters and a pair"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (None, "string", None),
        ("", "string", None),
        ("", "integer", None),
        ("a", "string", "a"),
        ("-7", "long", -7),
        ("true", "boolean", True),
        ("false", "boolean", False),
        ("2024-02-29", "date", date(2024, 2, 29)),
        ("-128", "byte", -128),
        ("1.0E10", "double", 1e10),
        ("-Infinity", "double", -math.inf),
        ("-0.5", "float", -0.5),
        ("1.2", "decimal(4,2)", Decimal("1.20")),
        ("0E-18", "decimal(38,18)", Decimal("0E-18")),
        ("-99999999999999999999999999999999999999", "decimal(38,0)", Decimal(1 - 10**38)),
        ("2020-01-31 01:02:03", "timestamp", datetime(2020, 1, 31, 1, 2, 3, tzinfo=timezone.utc)),
        ("2020-01-31 01:02:03.000004", "timestamp", datetime(2020, 1, 31, 1, 2, 3, 4, timezone.utc)),
        ("2020-01-31T01:02:03.5Z", "timestamp", datetime(2020, 1, 31, 1, 2, 3, 500_000, timezone.utc)),
        ("0001-01-01T00:00:00Z", "timestamp", datetime(1, 1, 1, tzinfo=timezone.utc)),
        ("2020-01-31 01:02:03.25", "timestamp_ntz", datetime(2020, 1, 31, 1, 2, 3, 250_000)),
        ("2020-01-31T01:02:03+01:30", "timestamp", datetime(2020, 1, 30, 23, 32, 3, tzinfo=timezone.utc)),
        ("", "timestamp", None),
        ("\x01ü", "binary", b"\x01\xc3\xbc"),
        ("", "binary", None),
    ],
)
def test_partition_values_are_read(text: str | None, kind: str, value: object) -> None:
    found = parse_partition_value(text, kind)
    assert found == value and repr(found) == repr(value)


def test_invalid_partition_values_are_refused() -> None:
    with pytest.raises(MalformedAction, match="'yes' is not of the type boolean"):
        parse_partition_value("yes", "boolean")
    with pytest.raises(MalformedAction, match=r"'1\.5' is not of the type integer"):
        parse_partition_value("1.5", "integer")
    for text, kind in [
        (" 1", "long"),
        ("1_0", "byte"),
        ("128", "byte"),
        ("20240229", "date"),
        ("2023-02-29", "date"),
        ("nan", "double"),
        ("1_0", "float"),
        ("1.234", r"decimal(4,2)"),
        ("123", r"decimal(4,2)"),
        ("1E99999", r"decimal(38,0)"),
        ("NaN", r"decimal(4,2)"),
        ("x", "timestamp"),
        ("2020-01-31T01:02:03", "timestamp"),
        ("2020-01-31 01:02:03Z", "timestamp"),
        ("2020-01-31 25:02:03", "timestamp"),
        ("2020-01-31 01:02:03+01:00", "timestamp"),
        ("0001-01-01T00:00:00+01:00", "timestamp"),
        ("2020-01-31T01:02:03Z", "timestamp_ntz"),
        ("2020-01-31T01:02:03+01:00", "timestamp_ntz"),
    ]:
        with pytest.raises(MalformedAction, match=re.escape(f"{text!r} is not of the type {kind}")):
            parse_partition_value(text, kind)
    for kind in ("void", "decimal(39,0)", "variant"):
        with pytest.raises(UnsupportedType, match=re.escape(kind)):
            parse_partition_value("x", kind)


def test_rows_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    metadata = Metadata("id", schema_string([("a", "long")]))
    with pytest.raises(UnsupportedRows, match="it is on another file system"):
        read_stored_rows(tmp_path, Add("s3://b/f", {}, 1, 1, True), metadata)
    with pytest.raises(FileNotFoundError):
        read_stored_rows(tmp_path, Add("f", {}, 1, 1, True), metadata)


def test_a_file_with_an_absolute_path_is_read(tmp_path: Path) -> None:
    write_data_file(tmp_path / "x y" / "f.parquet", pa.table({"a": [1]}))
    metadata = Metadata("id", schema_string([("a", "long"), ("p", "string")]), ("p",))
    file = Add(f"file://{tmp_path}/x%20y/f.parquet", {"p": "v"}, 1, 1, True)
    assert read_stored_rows(tmp_path / "elsewhere", file, metadata) == [(1, "v")]


def test_list_tree(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    (tmp_path / ".hidden").write_bytes(b"abc")
    (tmp_path / "p=a%20b" / "q").mkdir(parents=True)
    (tmp_path / "p=a%20b" / "f").write_bytes(b"")
    os.symlink("nowhere", tmp_path / "link")
    os.utime(tmp_path / ".hidden", ns=(0, 1_999_999))
    set_modified(tmp_path / "p=a%20b", -7)
    found = list_tree(tmp_path)
    assert list(found) == [".hidden", "_delta_log", "link", "p=a%20b", "p=a%20b/f", "p=a%20b/q"]
    assert found[".hidden"] == Entry(EntryKind.FILE, 3, 1_999_999, digest(b"abc"))
    assert found[".hidden"].modified == 1, "milliseconds are rounded down"
    assert (found["p=a%20b"].modified, found["p=a%20b"].size) == (-7, 0)
    assert [found[path].kind.value for path in ("_delta_log", "link", "p=a%20b/f")] == ["directory", "link", "file"]
    assert found["link"].digest is None and found["p=a%20b"].digest is None


def test_a_link_has_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("../some where")
    set_modified(tmp_path / "link", 1_234, follow_links=False)
    assert list_tree(tmp_path)["link"] == Entry(EntryKind.LINK, 0, 1_234_000_000, None, "../some where")


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("to_file", "d/f"),
        ("to_directory", "d"),
        ("to_root", "."),
        ("to_all", ".."),
        ("d/up", "d"),
        ("d/out", "../around/g"),
        ("absolute", "d/f"),
        ("chain", "d/f"),
        ("through", "d/f"),
        ("nowhere", None),
        ("circle", None),
        ("through_nothing", None),
        ("far", None),
        ("../around/back", "d/f"),
        ("d/f", "d/f"),
    ],
)
def test_leads_to(tmp_path: Path, link: str, target: str | None) -> None:
    root = tmp_path / "case" / "table"
    for path in ("case/table/d/f", "case/around/g"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"x")
    texts = {
        "to_file": "d/f",
        "to_directory": "d/",
        "to_root": "../table",
        "to_all": "..",
        "d/up": "../d",
        "d/out": "../../around/./g",
        "absolute": str(root / "d" / "f"),
        "chain": "to_file",
        "through": "to_directory/f",
        "nowhere": "nothing",
        "circle": "circle",
        "through_nothing": "nowhere/f",
        "far": "/etc",
        "../around/back": "../table/chain",
    }
    for path, text in texts.items():
        (root / path).symlink_to(text)
    entries = {**list_tree(root), **list_beside(root)}
    assert leads_to(link, entries, str(root)) == target


def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DeltaLogError, match="pipe is neither"):
        list_tree(tmp_path)
    with pytest.raises(FileNotFoundError):
        list_tree(tmp_path / "nothing")
