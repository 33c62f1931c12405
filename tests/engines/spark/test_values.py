"""A Read through the Spark adapter returns exact canonical values, in any time zone of this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from pyspark.sql.types import DayTimeIntervalType, StructType

from engines.spark.commands.result_rows import rows_of, type_of
from model.vocabulary.values import ArrayOf, DecimalOf, MapOf, StructOf, Type

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
