"""SQL values as JSON: what PySpark gives, what the suite writes, and what counts as the same."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Row

from model.codec import value_to_json
from model.values import NAN, AnyType, ArrayOf, DecimalOf, MapOf, StructOf, Type, Value, canonical
from reports.values import comparable, moment, partition_value, plain

POINT = StructOf((("x", Type.DOUBLE), ("y", Type.STRING)))
NOON = datetime(2020, 1, 31, 12, 0, 0, 1)

#: A type, as the schema says it, what PySpark collects in UTC, and the vocabulary's value.
VALUES: list[tuple[AnyType, Any, Any, Any]] = [
    (Type.INTEGER, "integer", 1, 1),
    (Type.BOOLEAN, "boolean", True, True),
    (Type.STRING, "string", "é'", "é'"),
    (Type.DOUBLE, "double", math.nan, NAN),
    (Type.DOUBLE, "double", -math.inf, -math.inf),
    (Type.FLOAT, "float", -0.0, 0.0),
    (DecimalOf(10, 2), "decimal(10,2)", Decimal("1.2"), Decimal("1.20")),
    (DecimalOf(38, 18), "decimal(38,18)", Decimal("9" * 20), Decimal("9" * 20 + "." + "0" * 18)),
    (DecimalOf(10, 2), "decimal(10,2)", Decimal("0E-18"), Decimal("0.00")),
    (Type.BINARY, "binary", bytearray(b"\x00\xff"), b"\x00\xff"),
    (Type.DATE, "date", date(1, 1, 1), date(1, 1, 1)),
    (Type.TIMESTAMP, "timestamp", NOON, NOON.replace(tzinfo=timezone.utc)),
    (Type.TIMESTAMP, "timestamp", datetime(1, 1, 1), datetime(1, 1, 1, tzinfo=timezone.utc)),
    (Type.TIMESTAMP_NTZ, "timestamp_ntz", NOON, NOON),
    (
        ArrayOf(Type.DATE),
        {"type": "array", "elementType": "date", "containsNull": True},
        [None, date(2020, 1, 31)],
        (None, date(2020, 1, 31)),
    ),
    (
        POINT,
        {"type": "struct", "fields": [{"name": "x", "type": "double"}, {"name": "y", "type": "string"}]},
        Row(x=math.nan, y=None),
        (NAN, None),
    ),
]


def maps() -> Iterator[tuple[AnyType, Any, Any, Any]]:
    keys: list[tuple[AnyType, Any, list[Any]]] = [
        (Type.STRING, "string", ["b", "a", "B"]),
        (Type.LONG, "long", [10, 9, -1]),
        (Type.DATE, "date", [date(2020, 1, 31), date(2020, 1, 4)]),
        (Type.TIMESTAMP, "timestamp", [NOON, NOON.replace(year=2019)]),
        (DecimalOf(4, 2), "decimal(4,2)", [Decimal("10.00"), Decimal("9.50")]),
        (Type.BINARY, "binary", [b"b", b"a"]),
    ]
    for type, kind, values in keys:
        wide = {"type": "map", "keyType": kind, "valueType": "long", "valueContainsNull": True}
        found = {value: number for number, value in enumerate(values)}
        yield MapOf(type, Type.LONG), wide, found, canonical(found, MapOf(type, Type.LONG))


@pytest.mark.parametrize(("type", "kind", "collected", "value"), [*VALUES, *maps()])
def test_what_pyspark_collects_is_what_the_suite_means(type: AnyType, kind: Any, collected: Any, value: Value) -> None:
    shown = plain(collected, kind)
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert comparable(shown) == comparable(value_to_json(value)) == comparable(value_to_json(canonical(value, type)))
    assert plain(None, kind) is None


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", "a", "a"),
        ("string", "", None),
        ("string", None, None),
        ("long", "-1", -1),
        ("boolean", "true", True),
        ("double", "NaN", {"float": "NaN"}),
        ("float", "-Infinity", {"float": "-Infinity"}),
        ("double", "1.5E10", 1.5e10),
        ("double", "0.1", 0.1),
        ("float", "0.1", 0.10000000149011612),
        ("float", "3.4028235E38", 3.4028234663852886e38),
        ("float", "1.4E-45", 1.401298464324817e-45),
        ("decimal(10,2)", "1.2", {"decimal": "1.20"}),
        ("date", "2020-01-31", {"date": "2020-01-31"}),
        ("timestamp", "2020-01-31 12:00:00", {"timestamp": "2020-01-31T12:00:00.000000Z"}),
        ("timestamp", "2020-01-31T12:00:00.123456Z", {"timestamp": "2020-01-31T12:00:00.123456Z"}),
        ("timestamp_ntz", "2020-01-31 12:00:00.1", {"timestamp_ntz": "2020-01-31T12:00:00.100000"}),
        ("binary", "ab", {"binary": "6162"}),
    ],
)
def test_a_partition_value_has_its_type(kind: str, text: str | None, value: Any) -> None:
    assert partition_value(text, kind) == value


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (-0.0, 0.0, True),
        ({"float": "NaN"}, {"float": "NaN"}, True),
        ({"float": "Infinity"}, {"float": "-Infinity"}, False),
        ({"float": "1.5"}, 1.5, True),
        ({"decimal": "1.20"}, {"decimal": "1.2"}, True),
        ({"decimal": "-0.0"}, {"decimal": "0"}, True),
        ({"decimal": "1.2"}, {"decimal": "1.3"}, False),
        ({"timestamp": "2020-01-31T12:00:00+01:00"}, {"timestamp": "2020-01-31T11:00:00Z"}, True),
        ({"timestamp": "2020-01-31T12:00:00Z"}, {"timestamp": "2020-01-31T12:00:00.000001Z"}, False),
        ({"timestamp": "2020-01-31T12:00:00Z"}, {"timestamp_ntz": "2020-01-31T12:00:00"}, False),
        ({"binary": "FF"}, {"binary": "ff"}, True),
        ("1", 1, False),
        ([1, [None]], [1, [None]], True),
        ([[1, 2]], [[2, 1]], False),
    ],
)
def test_equal_values_have_equal_forms(one: Any, other: Any, same: bool) -> None:
    assert (json.dumps(comparable(one)) == json.dumps(comparable(other))) == same


@given(st.datetimes())
def test_every_instant_has_one_text(instant: datetime) -> None:
    assert moment(str(instant)) == moment(instant.isoformat()) == instant.isoformat(timespec="microseconds")


def test_a_year_that_python_has_not_stays_as_it_is() -> None:
    assert moment("+294247-01-10 04:00:54.775807") == "+294247-01-10 04:00:54.775807"
