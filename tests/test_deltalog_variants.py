"""VARIANT columns: plain and shredded, as VariantEncoding.md and VariantShredding.md of parquet-format define them."""

from __future__ import annotations

import struct
from datetime import date, datetime, time, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest

from deltalog.actions import Add, Metadata
from deltalog.arrow_values import from_table
from deltalog.errors import UnsupportedRows
from deltalog.frozen import FrozenMap
from deltalog.parquet import write_data_file
from deltalog.rows import read_file_rows
from deltalog.schemas import Field, array_type, schema_string
from deltalog.variants import Variant

#: The names "a", "b" and "\u00fc".
NAMES = b"\x01\x03\x00\x01\x02\x04ab\xc3\xbc"
NONE = b"\x01\x00\x00"

SEVEN = b"\x0c\x07"
ID = UUID("00000001-0002-4000-8000-000000000003")


def primitive(kind: int, data: bytes = b"") -> bytes:
    return bytes([kind << 2]) + data


def read(value: bytes | None, names: bytes = NAMES) -> object:
    stored = pa.array([None if value is None else {"metadata": names, "value": value}], PLAIN)
    ((found,),) = from_table(pa.table({"v": stored}), [Field("v", "variant")])
    return found


PLAIN = pa.struct({"value": pa.binary(), "metadata": pa.binary()})


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (primitive(0), None),
        (primitive(1), True),
        (primitive(2), False),
        (primitive(3, b"\xff"), -1),
        (primitive(4, b"\x00\x80"), -(2**15)),
        (primitive(5, struct.pack("<i", -(2**31))), -(2**31)),
        (primitive(6, struct.pack("<q", 2**63 - 1)), 2**63 - 1),
        (primitive(7, struct.pack("<d", -0.0)), -0.0),
        (primitive(8, b"\x02" + struct.pack("<i", -120)), Decimal("-1.20")),
        (primitive(9, b"\x00" + struct.pack("<q", 10**17)), Decimal(10**17)),
        (primitive(10, b"\x26" + (10**38 - 1).to_bytes(16, "little")), Decimal("0." + "9" * 38)),
        (primitive(11, struct.pack("<i", -1)), date(1969, 12, 31)),
        (primitive(12, struct.pack("<q", -1)), datetime(1969, 12, 31, 23, 59, 59, 999_999, timezone.utc)),
        (primitive(13, struct.pack("<q", 1)), datetime(1970, 1, 1, 0, 0, 0, 1)),
        (primitive(14, struct.pack("<f", 0.5)), 0.5),
        (primitive(15, b"\x02\x00\x00\x00\xff\x00"), b"\xff\x00"),
        (primitive(16, b"\x02\x00\x00\x00\xc3\xbc"), "\u00fc"),
        (primitive(17, struct.pack("<q", 3_600_000_001)), time(1, 0, 0, 1)),
        (primitive(20, ID.bytes), ID),
        (b"\x09\xc3\xbc", "\u00fc"),
        (b"\x03\x00\x00", ()),
        (b"\x03\x02\x00\x02\x04" + SEVEN + SEVEN, (7, 7)),
        (b"\x17\x01\x00\x00\x00" + b"\x00\x00\x02\x00" + SEVEN, (7,)),
        # An object whose values are stored in another order than its fields.
        (b"\x02\x02\x00\x02\x01\x00\x03" + b"\x00" + SEVEN, {"a": 7, "\u00fc": None}),
        (b"\x56\x01\x00\x00\x00" + b"\x01\x00" + b"\x00\x00\x02\x00" + SEVEN, {"b": 7}),
        (b"\x02\x01\x01\x00\x05" + b"\x03\x01\x00\x02" + SEVEN, {"b": (7,)}),
    ],
)
def test_plain_variants_are_read(data: bytes, value: object) -> None:
    found = read(data)
    assert found == Variant(value)
    assert isinstance(found, Variant) and (isinstance(value, dict) or repr(found.value) == repr(value))
    assert hash(found) == hash(Variant(FrozenMap(value) if isinstance(value, dict) else value))


def test_null_is_no_variant() -> None:
    assert read(None) is None
    assert read(primitive(0)) == Variant(None)


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"", NAMES),
        (primitive(6, b"\x00"), NAMES),
        (primitive(18, bytes(8)), NAMES),
        (b"\x03\x02\x00", NAMES),
        (b"\x02\x01\x03\x00\x02" + SEVEN, NAMES),
        (b"\x05\xff", NAMES),
        (primitive(13, struct.pack("<q", 2**62)), NAMES),
        (SEVEN, b""),
        (SEVEN, b"\x02\x00\x00"),
        (SEVEN, b"\x01\x03\x00\x01"),
    ],
)
def test_bytes_that_are_no_variant_are_refused(data: bytes, names: bytes) -> None:
    with pytest.raises(UnsupportedRows, match="the column 'v' has a value that cannot be read"):
        read(data, names)


def test_a_column_that_is_no_variant_is_refused() -> None:
    for stored in ({"value": b""}, {"metadata": b""}, b""):
        with pytest.raises(UnsupportedRows, match="the column 'v' is stored as"):
            from_table(pa.table({"v": pa.array([stored])}), [Field("v", "variant")])


def group(kind: Any) -> pa.StructType:
    return pa.struct({"value": pa.binary(), "typed_value": kind})


def shredded(kind: Any, rows: list[dict[str, Any]], names: bytes = NAMES) -> list[object]:
    stored = pa.struct({"metadata": pa.binary(), "value": pa.binary(), "typed_value": kind})
    column = pa.array([{"metadata": names, **row} for row in rows], stored)
    (values,) = from_table(pa.table({"v": column}), [Field("v", "variant")])
    return [value.value for value in values if isinstance(value, Variant)]


def test_shredded_values_are_read() -> None:
    rows: list[dict[str, Any]] = [{"typed_value": 7}, {"value": b"\x05a"}, {"value": primitive(0)}, {}]
    assert shredded(pa.int64(), rows) == [7, "a", None, None], "neither value is a NULL"
    instant = datetime(2020, 1, 31, tzinfo=timezone.utc)
    assert repr(shredded(pa.timestamp("us", "UTC"), [{"typed_value": instant}])) == repr([instant])
    assert shredded(pa.binary(16), [{"typed_value": ID.bytes}]) == [ID]


def test_shredded_objects_are_put_together() -> None:
    kind = pa.struct({"a": group(pa.int64()), "b": group(pa.struct({"c": group(pa.string())}))})
    rest = b"\x02\x01\x02\x00\x02" + SEVEN
    rows: list[dict[str, Any]] = [
        {"typed_value": {"a": {"typed_value": 1}, "b": {"typed_value": {"c": {"typed_value": "x"}}}}},
        {"typed_value": {"a": {"value": b"\x05y"}, "b": {}}},
        {"typed_value": {"a": {"typed_value": 2}, "b": {"value": primitive(0)}}, "value": rest},
        {"value": b"\x05z"},
    ]
    found: list[object] = [{"a": 1, "b": {"c": "x"}}, {"a": "y"}, {"a": 2, "b": None, "\u00fc": 7}, "z"]
    assert shredded(kind, rows) == found, "a field without a value is missing"
    with pytest.raises(UnsupportedRows, match="has two values"):
        shredded(pa.int64(), [{"typed_value": 7, "value": SEVEN}])


def test_shredded_arrays_are_put_together() -> None:
    rows: list[dict[str, Any]] = [{"typed_value": [{"typed_value": 1}, {"value": b"\x05a"}, {}]}, {"typed_value": []}]
    assert shredded(pa.list_(group(pa.int64())), rows, NONE) == [(1, "a", None), ()]


def test_variants_of_a_table_are_read(tmp_path: Path) -> None:
    """At any depth, and named by an object as in PROTOCOL.md, "Variant Data Type"."""
    plain = pa.array([[{"metadata": NONE, "value": SEVEN}, None]], pa.list_(PLAIN))
    write_data_file(tmp_path / "f", pa.table({"l": plain, "v": plain.values[:1]}))
    metadata = Metadata("id", schema_string([("l", array_type({"type": "variant"})), ("v", "variant")]))
    assert read_file_rows(tmp_path, Add("f", {}, 1, 1, True), metadata) == [((Variant(7), None), Variant(7))]
