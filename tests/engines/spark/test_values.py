"""A Read through the Spark adapter returns exact canonical values, in any time zone of this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import DayTimeIntervalType, StructType

from engines.spark.adapter import SparkEngine
from engines.spark.commands.result_rows import rows_of, type_of
from model.vocabulary.steps import Read
from model.vocabulary.values import NAN, ArrayOf, DecimalOf, MapOf, StructOf, Type

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the time zone of this process."""

    def put(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield put
    monkeypatch.undo()
    time.tzset()


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=timezone.utc)  # type: ignore[arg-type, misc]


def test_timestamps_are_exact_in_every_zone(spark: Any, in_zone: Callable[[str], None]) -> None:
    hours = [
        utc(2021, month, day) + timedelta(hours=hour)
        for month, day in ((3, 28), (10, 31), (11, 7))
        for hour in range(9)
    ]
    edges = [utc(1, 1, 1), utc(9999, 12, 31, 23, 59, 59, 999999), utc(1582, 10, 10), utc(1883, 11, 18, 17, 0, 0, 1)]
    instants = [*hours, *edges]
    values = ", ".join(f"(TIMESTAMP'{instant.isoformat(sep=' ')}')" for instant in instants)
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    frame = spark.sql(f"SELECT t, array(t) AS a, named_struct('t', t) AS s, map(t, t) AS m FROM VALUES {values} AS (t)")
    expected = [(instant, (instant,), (instant,), ((instant, instant),)) for instant in instants]
    for zone in ("UTC", "America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Pacific/Apia"):
        in_zone(zone)
        found = rows_of(frame)
        assert sorted(found) == sorted(expected), zone
        assert all(isinstance(row[0], datetime) and row[0].tzinfo is timezone.utc for row in found), zone


def test_values_of_all_types(spark: Any, spark_engine: SparkEngine, tmp_path: Path) -> None:
    root = tmp_path / "table"
    values = {
        "b BOOLEAN": ("true", True),
        "y BYTE": ("-128Y", -128),
        "s SHORT": ("32767S", 32767),
        "i INT": ("-2147483648", -(2**31)),
        "l LONG": ("9223372036854775807L", 2**63 - 1),
        "f FLOAT": ("0.1F", 0.10000000149011612),
        "d DOUBLE": ("-0.0D", -0.0),
        "nan DOUBLE": ("double('NaN')", NAN),
        "c DECIMAL(38, 10)": ("1.5BD", Decimal("1.5000000000")),
        "st STRING": ("'é\\u0000\"'", 'é\x00"'),
        "bin BINARY": ("X'00FF'", b"\x00\xff"),
        "dt DATE": ("DATE'0001-01-01'", date(1, 1, 1)),
        "ts TIMESTAMP": ("TIMESTAMP'9999-12-31 23:59:59.999999Z'", utc(9999, 12, 31, 23, 59, 59, 999999)),
        "ntz TIMESTAMP_NTZ": ("TIMESTAMP_NTZ'2021-03-28 02:30:00.000001'", datetime(2021, 3, 28, 2, 30, 0, 1)),
        "sct STRUCT<`a.b`: INT, `c d`: ARRAY<DOUBLE>>": (
            "named_struct('a.b', 1, 'c d', array(double('NaN'), NULL))",
            (1, (NAN, None)),
        ),
        "mp MAP<STRING, DECIMAL(5, 2)>": ("map('b', 1.5BD, 'a', NULL)", (("a", None), ("b", Decimal("1.50")))),
        "deep ARRAY<STRUCT<m: MAP<DATE, ARRAY<BINARY>>>>": (
            "array(named_struct('m', map(DATE'1582-10-10', array(X'', NULL))), NULL)",
            ((((date(1582, 10, 10), (b"", None)),),), None),
        ),
    }
    # Names with spaces need column mapping.
    mapped = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    spark.sql(f"CREATE TABLE delta.`{root}` ({', '.join(values)}) USING delta {mapped}")
    spark.sql(f"INSERT INTO delta.`{root}` SELECT {', '.join(text for text, _ in values.values())}")
    spark.sql(f"INSERT INTO delta.`{root}` SELECT {', '.join('NULL' for _ in values)}")
    outcome = spark_engine.run(root, Read(), clock=2_000_000_000_000, version=None)
    assert outcome.error is None
    nulls, row = sorted(outcome.rows, key=lambda row: row[0] is not None)
    assert nulls == (None,) * len(values)
    assert row == tuple(value for _, value in values.values())  # NaN is one object, so tuples with it are equal
    assert str(row[6]) == "-0.0"
    assert isinstance(row[10], bytes)
    assert str(row[8]) == "1.5000000000"
    past = spark_engine.run(root, Read(), clock=int(time.time() * 1000), version=0)
    assert (past.rows, past.error) == ((), None)


def test_types_by_their_names() -> None:
    schema = StructType.fromDDL(
        "a ARRAY<MAP<STRING, DECIMAL(7, 2)>>, s STRUCT<x: TIMESTAMP_NTZ, `y z`: BYTE>, l BIGINT"
    )
    inner = StructOf((("x", Type.TIMESTAMP_NTZ), ("y z", Type.BYTE)))
    assert type_of(schema) == StructOf(
        (("a", ArrayOf(MapOf(Type.STRING, DecimalOf(7, 2)))), ("s", inner), ("l", Type.LONG))
    )
    with pytest.raises(ValueError, match="interval"):
        type_of(DayTimeIntervalType())
