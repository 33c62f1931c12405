"""Tables that other writers changed, or did not leave whole: each is valid, and each kind is frequent."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given

from deltalog.log import read_log
from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY
from model import codec
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.steps import ENGINE_STEPS, Vacuum
from model.vocabulary.table import DAY, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import NAN, AnyType, DecimalOf, Type, Value
from strategies.cases.evolved_tables import evolved_tables
from strategies.restriction.capabilities import restricted_table
from tests.builders.observations import make
from tests.builders.read_back import table_read_back
from tests.sampling import check_shares, sample
from tests.table_rows import read_rows

#: Two versions, each with a file and a checkpoint.
TABLE = Table(
    columns=(Column("p", Type.STRING), Column("v", Type.LONG), Column("d", Type.DATE)),
    partition_by=("p",),
    files=(
        DataFile(0, ("a",), ((1, None), (2**31 - 1, None)), modified=-DAY),
        DataFile(1, ("b",), ((2**31, None),), modified=-DAY),
    ),
    commits=(Commit(-2 * DAY, adds=(0,), checkpoint=True), Commit(-DAY, adds=(1,), checkpoint=True)),
)


def with_features(*features: Feature) -> Table:
    return replace(TABLE, features=tuple(feature.value for feature in features))


@pytest.mark.long
@given(evolved_tables())
def test_evolved_tables_are_well_formed(case: Case) -> None:
    assert codec.from_json(codec.to_json(case)) == case
    assert sum(isinstance(step, ENGINE_STEPS) for step in case.steps) == 4


@pytest.mark.slow
def test_each_kind_is_frequent() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        table = case.table
        return {
            "a widened column": (10, table.widened_column is not None),
            "... in a file from before": (8, bool(table.widened_column and table.early_files)),
            "... by several steps, or of another kind": (5, table.widened_from is not None),
            "... of a partition column": (0.3, table.widened_column in table.partition_columns),
            "... from a FLOAT": (0.5, table.widened_from is Type.FLOAT),
            "... from a DATE": (0.3, table.widened_from is Type.DATE),
            "... from a DECIMAL": (0.5, isinstance(table.widened_from, DecimalOf)),
            "... from a whole number to a DECIMAL": (0.3, _is_whole_to_decimal(table)),
            "statistics as a struct only": (10, table.has(Feature.STRUCT_STATISTICS)),
            "... in the log's first checkpoint": (2, table.has(Feature.STRUCT_STATISTICS) and table.pruned > 0),
            "a checkpoint by half": (3, table.has(Feature.HALF_CHECKPOINT)),
            "... with the pointer on it": (3, table.has(Feature.HALF_CHECKPOINT_NAMED)),
            "LITE": (5, any(isinstance(step, Vacuum) and step.mode.lite for step in case.steps)),
        }

    check_shares(sample(evolved_tables()), conditions)


def _is_whole_to_decimal(table: Table) -> bool:
    column = table.widened_column
    return column is not None and isinstance(column.type, DecimalOf) and isinstance(table.widened_from, Type)


def widened(kind: AnyType, narrow: AnyType, *values: Value) -> Table:
    """Two versions, each with a file: the first with these values of the column v, which became this type then."""
    files = (
        DataFile(0, ("a",), tuple((value,) for value in values), modified=-DAY),
        DataFile(1, ("b",), ((None,),), modified=-DAY),
    )
    columns = (Column("p", Type.STRING), Column("v", kind))
    return replace(TABLE, columns=columns, files=files, features=("widened",), widened_from=narrow)


def widened_partition(kind: AnyType, narrow: AnyType, value: Value) -> Table:
    """Two versions, each with a file in this partition, of a column that became this type then."""
    columns = (Column("p", kind), Column("s", Type.STRING))
    files = (DataFile(0, (value,), (("a",),), modified=-DAY), DataFile(1, (value,), (("b",),), modified=-DAY))
    return replace(TABLE, columns=columns, files=files, features=("widened",), widened_from=narrow)


@pytest.mark.parametrize(
    ("kind", "narrow", "value", "stored", "bound"),
    [
        (Type.DOUBLE, Type.FLOAT, 0.10000000149011612, "float", "0.1"),
        (Type.DOUBLE, Type.BYTE, -3.0, "int8", "-3"),
        (Type.LONG, Type.BYTE, 127, "int8", "127"),
        (Type.TIMESTAMP_NTZ, Type.DATE, datetime(2020, 1, 31), "date32[day]", '"2020-01-31"'),
        (DecimalOf(12, 3), DecimalOf(5, 1), Decimal("1.500"), "decimal128(5, 1)", "1.5"),
        (DecimalOf(12, 2), Type.INTEGER, Decimal("7.00"), "int32", "7"),
        (DecimalOf(22, 2), Type.LONG, Decimal("7.00"), "int64", "7"),
    ],
)
def test_an_early_file_has_the_type_and_the_bounds_of_then(
    kind: AnyType, narrow: AnyType, value: Value, stored: str, bound: str, tmp_path: Path
) -> None:
    table = widened(kind, narrow, value, None)
    assert table_read_back(table) == table
    root = make(table, tmp_path)
    (early,) = root.rglob("part-00000-*.parquet")
    assert str(pq.read_schema(early).field("v").type) == stored
    snapshot = read_log(root).snapshot()
    stats = next(str(add.stats) for add in snapshot.adds.values() if "part-00000" in add.file)
    assert f'"maxValues":{{"v":{bound}}}' in stats
    assert sorted(read_rows(root, snapshot), key=str) == sorted([("a", value), ("a", None), ("b", None)], key=str)


@pytest.mark.parametrize(
    ("kind", "narrow", "value"),
    [
        (Type.DOUBLE, Type.FLOAT, 0.1),
        (Type.DOUBLE, Type.INTEGER, -0.0),
        (Type.DOUBLE, Type.INTEGER, NAN),
        (Type.DOUBLE, Type.INTEGER, 2.0**31),
        (Type.TIMESTAMP_NTZ, Type.DATE, datetime(2020, 1, 31, 0, 0, 0, 1)),
        (DecimalOf(12, 3), DecimalOf(5, 1), Decimal("1.550")),
        (DecimalOf(12, 2), DecimalOf(3, 1), Decimal("100.00")),
        (DecimalOf(12, 2), Type.INTEGER, Decimal("0.50")),
        (DecimalOf(11, 2), Type.INTEGER, Decimal("1.00")),
        (DecimalOf(20, 2), Type.LONG, Decimal("1.00")),
        (Type.DOUBLE, Type.LONG, 1.0),
        (Type.FLOAT, Type.INTEGER, 1.0),
        (Type.TIMESTAMP, Type.DATE, datetime(2020, 1, 31, tzinfo=timezone.utc)),
    ],
)
def test_what_the_protocol_does_not_widen_is_refused(kind: AnyType, narrow: AnyType, value: Value) -> None:
    table = widened(kind, narrow, value)
    assert table.widened_column is None
    with pytest.raises(codec.InvalidCase, match="fit the narrower type"):
        table_read_back(table)


def test_what_was_not_widened() -> None:
    for kind, narrow, value in ((Type.DOUBLE, Type.FLOAT, 1.0), (Type.TIMESTAMP_NTZ, Type.DATE, datetime(2020, 1, 31))):
        assert widened_partition(kind, narrow, value).widened_column is None, "its texts are others"
    files = (replace(TABLE.files[0], rows=((2**31, None),)), TABLE.files[1])
    assert replace(with_features(Feature.WIDENED), files=files).widened_column is None, "a value does not fit"
    with pytest.raises(codec.InvalidCase, match="needs the feature widened"):
        table_read_back(replace(widened(Type.DOUBLE, Type.FLOAT, 1.0), features=()))


@pytest.mark.parametrize(
    ("kind", "narrow", "value", "text"),
    [
        (Type.DOUBLE, Type.BYTE, -3.0, "-3"),
        (DecimalOf(12, 3), DecimalOf(5, 1), Decimal("1.500"), "1.5"),
        (DecimalOf(12, 2), Type.INTEGER, Decimal("7.00"), "7"),
        (Type.LONG, Type.INTEGER, None, None),
    ],
)
def test_an_early_file_has_the_partition_value_of_then(
    kind: AnyType, narrow: AnyType, value: Value, text: str | None, tmp_path: Path
) -> None:
    table = widened_partition(kind, narrow, value)
    assert table.widened_column == table.columns[0]
    assert table_read_back(table) == table
    root = make(table, tmp_path)
    snapshot = read_log(root).snapshot()
    texts = {"part-00000" in add.file: add.partition_values["p"] for add in snapshot.adds.values()}
    assert texts[True] == text and texts[False] != (text or "")
    directories = sorted(path.parent.name for path in root.rglob("part-*.parquet"))
    assert directories.count(f"p={'__HIVE_DEFAULT_PARTITION__' if text is None else text}") == (1 if text else 2)
    assert sorted(read_rows(root, snapshot), key=str) == sorted([(value, "a"), (value, "b")], key=str)


def test_an_engine_without_widening_gets_the_wider_type_from_the_start() -> None:
    table = widened(Type.DOUBLE, Type.FLOAT, 1.0)
    lacking = replace(EVERYTHING, features=EVERYTHING.features - {Feature.WIDENED})
    restricted = restricted_table(table, capabilities=lacking)
    assert restricted.widened_from is None and not restricted.has(Feature.WIDENED)
    assert table_read_back(restricted) == restricted


def test_a_file_from_before_a_type_was_widened_has_the_narrower_type(tmp_path: Path) -> None:
    table = with_features(Feature.WIDENED)
    assert table.widened_column == table.columns[1]
    root = make(table, tmp_path)
    log = read_log(root)
    types = {path.name[:10]: str(pq.read_schema(path).field("v").type) for path in sorted(root.rglob("part-*.parquet"))}
    assert types == {"part-00000": "int32", "part-00001": "int64"}
    first, last = (log.snapshot(version) for version in (0, 1))
    assert '"name":"v","type":"integer"' in str(first.metadata.schema_string)
    assert '"delta.typeChanges":[{"fromType":"integer","toType":"long"}]' in str(last.metadata.schema_string)
    assert sorted(read_rows(root, last), key=str) == [("a", 1, None), ("a", 2**31 - 1, None), ("b", 2**31, None)]
    # One feature went, and one came.
    assert first.protocol.writer_features == ("appendOnly", "deletionVectors", "invariants")
    assert last.protocol.writer_features == ("appendOnly", "invariants", "typeWidening")


def test_the_newest_checkpoint_is_written_by_half(tmp_path: Path) -> None:
    for feature, named in ((Feature.HALF_CHECKPOINT, 0), (Feature.HALF_CHECKPOINT_NAMED, 1)):
        root = make(with_features(feature), tmp_path / feature.value)
        log = read_log(root)
        assert log.half_checkpoint and len(log.snapshot().adds) == 2
        assert json.loads((root / LOG_DIRECTORY / LAST_CHECKPOINT).read_bytes())["version"] == named
    once = replace(with_features(Feature.HALF_CHECKPOINT), commits=(Commit(-DAY, adds=(0, 1), checkpoint=True),))
    assert not (make(once, tmp_path / "once") / LOG_DIRECTORY / LAST_CHECKPOINT).exists()
