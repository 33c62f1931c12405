"""Checkpoints with the statistics and partition values of adds as structs."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from deltalog.entries.actions import Add
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY
from deltalog.values.schemas import parse_schema
from model.vocabulary.table import DAY, Column, Commit, DataFile, DeletionVector, Feature, Statistics, Table
from model.vocabulary.values import ArrayOf, DecimalOf, StructOf, Type
from tests.builders.observations import make

AT = datetime(2021, 2, 3, 4, 5, 6, 789_012)
COLUMNS = (
    Column("p", Type.DATE),
    Column("text", Type.STRING),
    Column("at", Type.TIMESTAMP),
    Column("local", Type.TIMESTAMP_NTZ),
    Column("price", DecimalOf(10, 2)),
    Column("ratio", Type.DOUBLE),
    Column("flag", Type.BOOLEAN),
    Column("s", StructOf((("x", Type.LONG), ("a", ArrayOf(Type.LONG))))),
)
ROW = ("x" * 40, AT.replace(tzinfo=timezone.utc), AT, Decimal("1.50"), float("nan"), True, (7, (1,)))
NULLS = (None,) * 7
TABLE = Table(
    columns=COLUMNS,
    partition_by=("p",),
    files=(
        DataFile(0, (AT.date(),), (ROW, NULLS, NULLS), modified=-DAY),
        DataFile(1, (None,), (NULLS,), modified=-DAY),
        DataFile(2, (None,), (ROW,), modified=-DAY, statistics=Statistics.COUNT),
        DataFile(3, (None,), (ROW,), modified=-DAY, statistics=Statistics.NONE),
        DataFile(4, (AT.date(),), (ROW, NULLS), modified=-DAY, statistics=Statistics.ZONED),
    ),
    commits=(
        Commit(-2 * DAY, adds=(0, 1, 2, 3, 4)),
        Commit(-DAY, deletion_vectors=(DeletionVector(0, (0,), -DAY),), checkpoint=True),
    ),
    features=(Feature.DELETION_VECTORS.value, Feature.STRUCT_STATISTICS.value),
)


def statistics(adds: list[Add]) -> dict[str, object]:
    """By path, without columns that have no bounds, and with instants in UTC."""
    found: dict[str, object] = {}
    for add in adds:
        parsed = json.loads((add.stats or "null").replace("2021-02-02T20:05:06.789-08:00", "2021-02-03T04:05:06.789Z"))
        found[add.path] = parsed
    return found


@pytest.mark.parametrize("features", [(), (Feature.V2_CHECKPOINTS,), (Feature.COLUMN_MAPPING_NAME,)])
def test_statistics_of_a_checkpoint_are_those_of_the_commits(features: tuple[Feature, ...], tmp_path: Path) -> None:
    made = replace(TABLE, features=(*TABLE.features, *(feature.value for feature in features)))
    root = make(made, tmp_path)
    expected = statistics(list(read_log(root).snapshot().adds.values()))
    for path in (root / LOG_DIRECTORY).glob("*.json"):
        if not path.name.startswith("0" * 19 + "1.checkpoint"):
            path.unlink()
    log = read_log(root)
    assert not log.commits
    assert statistics(list(log.snapshot().adds.values())) == expected
    (first,) = (value for path, value in expected.items() if "part-00000" in path)
    assert isinstance(first, dict) and first["numRecords"] == 3 and first["tightBounds"] is False


def test_a_checkpoint_has_partition_values_of_their_types_and_no_json(tmp_path: Path) -> None:
    root = make(TABLE, tmp_path)
    (path,) = (root / LOG_DIRECTORY).glob("*.parquet")
    adds = [row for row in pq.read_table(path)["add"].to_pylist() if row]
    assert "stats" not in adds[0]
    assert [add["partitionValues_parsed"]["p"] for add in adds] == [AT.date(), AT.date(), None, None, None]
    (first, *_) = (add["stats_parsed"] for add in adds)
    assert first["minValues"]["price"] == Decimal("1.50") and first["nullCount"]["s"] == {"x": 2, "a": 2}
    assert {field.name for field in parse_schema(read_log(root).snapshot().metadata.schema_string)} == {
        column.name for column in COLUMNS
    }
