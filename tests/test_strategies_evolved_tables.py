"""Tables that other writers changed, or did not leave whole: each is valid, and each kind is frequent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
from hypothesis import given

from deltalog.log import read_log
from deltalog.names import LAST_CHECKPOINT, LOG_DIRECTORY
from model import codec
from model.vocabulary.case import Case
from model.vocabulary.steps import ENGINE_STEPS, Vacuum
from model.vocabulary.table import DAY, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import Type
from strategies.evolved_tables import evolved_tables
from tests.builders.observations import make
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


@given(evolved_tables())
def test_evolved_tables_are_well_formed(case: Case) -> None:
    assert codec.from_json(codec.to_json(case)) == case
    assert sum(isinstance(step, ENGINE_STEPS) for step in case.steps) == 4


def test_each_kind_is_frequent() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        table = case.table
        return {
            "a widened column": (10, table.widened_column is not None),
            "... in a file from before": (8, bool(table.widened_column and table.early_files)),
            "statistics as a struct only": (10, table.has(Feature.STRUCT_STATISTICS)),
            "... in the log's first checkpoint": (2, table.has(Feature.STRUCT_STATISTICS) and table.pruned > 0),
            "a checkpoint by half": (3, table.has(Feature.HALF_CHECKPOINT)),
            "... with the pointer on it": (3, table.has(Feature.HALF_CHECKPOINT_NAMED)),
            "LITE": (5, any(isinstance(step, Vacuum) and step.mode.lite for step in case.steps)),
        }

    check_shares(sample(evolved_tables()), conditions)


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


def test_a_value_that_does_not_fit_the_narrower_type_was_not_widened() -> None:
    files = (replace(TABLE.files[0], rows=((2**31, None),)), TABLE.files[1])
    assert replace(with_features(Feature.WIDENED), files=files).widened_column is None


def test_the_newest_checkpoint_is_written_by_half(tmp_path: Path) -> None:
    for feature, named in ((Feature.HALF_CHECKPOINT, 0), (Feature.HALF_CHECKPOINT_NAMED, 1)):
        root = make(with_features(feature), tmp_path / feature.value)
        log = read_log(root)
        assert log.half_checkpoint and len(log.snapshot().adds) == 2
        assert json.loads((root / LOG_DIRECTORY / LAST_CHECKPOINT).read_bytes())["version"] == named
    once = replace(with_features(Feature.HALF_CHECKPOINT), commits=(Commit(-DAY, adds=(0, 1), checkpoint=True),))
    assert not (make(once, tmp_path / "once") / LOG_DIRECTORY / LAST_CHECKPOINT).exists()
