"""A table with everything that the protocol offers and we write, and that an independent reader reads it as we do."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder

from deltalog.checkpoints.checksums import write_checksum
from deltalog.checkpoints.writing import write_checkpoint
from deltalog.data.deletion_vectors import inline_vector, write_vector_file
from deltalog.data.rows import read_stored_rows, row_ids
from deltalog.entries.actions import Action, Add, CommitInfo, DomainMetadata, Metadata, Protocol, Remove
from deltalog.entries.commits import write_commit
from deltalog.entries.descriptors import DeletionVectorDescriptor
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from deltalog.storage.parquet import write_data_file
from deltalog.storage.paths import encode
from deltalog.values.arrow_values import Values, from_table, to_table
from deltalog.values.schemas import Field, array_type, map_columns, map_type, schema_string, struct_type
from deltalog.values.statistics import full_statistics
from tests.builders.every_type import COLUMNS, ROWS, UTC, mapped_columns
from tests.table_rows import by_uri, read_rows

AT = 1_700_000_000_000
READER_FEATURES = ("columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint")
WRITER_FEATURES = (*READER_FEATURES, "rowTracking", "domainMetadata", "inCommitTimestamp", "changeDataFeed")
DROPPED = Field(
    "gone", "long", metadata={"delta.columnMapping.id": 99, "delta.columnMapping.physicalName": "col-dropped"}
)
PARTITIONS = (
    (datetime(2020, 1, 31, 0, 0, 0, 1, tzinfo=UTC), "2020-01-31T00:00:00.000001Z"),
    (datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), "1969-12-31T23:59:59.000000Z"),
    (None, None),
)


def rows_seen_by_deltalake(root: Path, fields: tuple[Field, ...], where: str = "TRUE") -> list[Values]:
    """Its rows, brought to our form of values; ``fields`` are the table's, without column mapping."""
    query = QueryBuilder().register("t", DeltaTable(root)).execute(f"SELECT * FROM t WHERE {where}")
    return list(zip(*from_table(pa.table(query), fields)))


def counted(rows: list[Values]) -> Counter[str]:
    """A multiset in which TRUE is not 1, -0.0 is not 0.0, and NaN is NaN."""
    return Counter(map(repr, rows))


@dataclass(frozen=True)
class Everything:
    """Three files with three rows each; of each file one or two are hidden, by a vector of another storage each."""

    mode: str  # of column mapping: "name" or "id"
    checkpoint: bool  # with one, the early commits are gone

    @property
    def plain(self) -> tuple[Field, ...]:
        return (
            Field("day", "timestamp"),
            Field("id", "long"),
            Field("in side", struct_type([("x", "double"), ("y.z", array_type("string"))])),
            Field("tags", map_type("string", "long")),
            Field("new", "string"),
        )

    @property
    def stored(self) -> tuple[Field, ...]:
        """What the files have: a dropped column more, and not yet the newest column."""
        return (*self.fields[1:4], DROPPED)

    @property
    def fields(self) -> tuple[Field, ...]:
        return map_columns(self.plain, [f"col-{index}" for index in range(5)])[0]

    @property
    def metadata(self) -> Metadata:
        configuration = {
            "delta.columnMapping.mode": self.mode,
            "delta.columnMapping.maxColumnId": "99",
            "delta.enableDeletionVectors": "true",
            "delta.enableRowTracking": "true",
            "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
            "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-col-1",
            "delta.enableInCommitTimestamps": "true",
            "delta.checkpointPolicy": "v2",
        }
        return Metadata("id", schema_string(self.fields), ("day",), configuration, AT)

    def rows(self, file: int) -> list[Values]:
        return [
            (10 * file, (math.nan, ("a", None)), (("k", 1), ("l", None)), 7),
            (10 * file + 1, None, (), 7),
            (10 * file + 2, (None, ()), None, None),
        ]

    @property
    def visible(self) -> list[Values]:
        return [
            (PARTITIONS[file][0], *self.rows(file)[row][:3], None)
            for file, row in ((0, 0), (0, 2), (1, 0), (2, 1), (2, 2))
        ]

    def write(self, root: Path) -> None:
        adds = [self._add(root, file) for file in range(3)]
        vectors = self._vectors(root)
        hidden_rows = [replace(add, deletion_vector=vector) for add, vector in zip(adds, vectors)]
        removes = [
            Remove(
                add.path, AT + 1, True, True, add.partition_values, add.size,
                base_row_id=add.base_row_id, default_row_commit_version=0,
            )
            for add in adds
        ]  # fmt: skip
        protocol = Protocol(3, 7, READER_FEATURES, WRITER_FEATURES)
        domain = DomainMetadata("delta.rowTracking", '{"rowIdHighWaterMark":8}')
        self._commit(root, 0, [protocol, self.metadata, domain, *adds])
        self._commit(root, 1, [*removes, *hidden_rows])
        if self.checkpoint:
            write_checkpoint(root, read_log(root).snapshot(), v2=True, modified=AT)
            for version in (0, 1):
                (root / LOG_DIRECTORY / commit_name(version)).unlink()
            self._commit(root, 2, [])

    def _commit(self, root: Path, version: int, actions: list[Action]) -> None:
        at = AT + version
        info = CommitInfo({"timestamp": at, "inCommitTimestamp": at, "operation": "WRITE", "operationParameters": {}})
        write_commit(root, version, [info, *actions], modified=at)
        write_checksum(root, read_log(root).snapshot(), in_commit_timestamp=at, modified=at)

    def _add(self, root: Path, file: int) -> Add:
        path = f"col-0=%3A {file}/f{file}.parquet"
        table = to_table(self.stored, self.rows(file))
        size = write_data_file(root / path, table, modified=AT)
        statistics = full_statistics(table, tight_bounds=False)
        values = {"col-0": PARTITIONS[file][1]}
        return Add(encode(path), values, size, AT, True, statistics, base_row_id=3 * file, default_row_commit_version=0)

    def _vectors(self, root: Path) -> list[DeletionVectorDescriptor]:
        relative, absolute = write_vector_file(root, UUID("00000001-0000-4000-8000-000000000000"), [{1}, {1, 2}])
        return [relative, by_uri(root, absolute), inline_vector({0})]


@pytest.mark.parametrize("mode", ["name", "id"])
@pytest.mark.parametrize("checkpoint", [False, True])
def test_the_table_with_everything(tmp_path: Path, mode: str, checkpoint: bool) -> None:
    root = tmp_path / "a table"
    table = Everything(mode, checkpoint)
    table.write(root)
    snapshot = read_log(root).snapshot()
    assert counted(read_rows(root, snapshot)) == counted(table.visible)
    assert counted(rows_seen_by_deltalake(root, table.plain)) == counted(table.visible)
    assert counted(rows_seen_by_deltalake(root, table.plain, "id >= 20 AND day IS NULL")) == counted(table.visible[3:])
    for add in snapshot.adds.values():
        numbers = [int(str(row[1])) for row in read_stored_rows(root, add, snapshot.metadata)]
        ids = [3 * (number // 10) + number % 10 for number in numbers]
        assert row_ids(root, add, snapshot.metadata) == [(id, 0) for id in ids]


@pytest.mark.parametrize("mode", ["none", "name", "id"])
def test_values_of_every_type_are_read_by_others(tmp_path: Path, mode: str) -> None:
    plain = tuple(Field(*column) for column in COLUMNS)
    fields = plain if mode == "none" else mapped_columns()
    adds = []
    for index, row in enumerate([*ROWS, ROWS[0]]):
        table = to_table(fields, [row])
        path = f"f{index}.parquet"
        size = write_data_file(tmp_path / path, table)
        adds.append(Add(path, {}, size, 1, True, full_statistics(table)))
    features = ("columnMapping", "timestampNtz")
    configuration = {"delta.columnMapping.mode": mode}
    metadata = Metadata("id", schema_string(fields), configuration=configuration)
    write_commit(tmp_path, 0, [Protocol(3, 7, features, features), metadata, *adds])
    expected = [*ROWS, ROWS[0]]
    assert counted(read_rows(tmp_path, read_log(tmp_path).snapshot())) == counted(expected)
    assert counted(rows_seen_by_deltalake(tmp_path, plain)) == counted(expected)


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        ("d > 5", {1, 3, 4}),
        ("d = 5", {2}),
        ("d < 0", {0}),
        ("d >= 0", {1, 2, 3, 4, 5}),
        ("s.t > '2020-01-01T00:00:00Z'", {1}),
        ("s.t <= '2020-01-01T00:00:00Z'", {0, 2}),
        ("p > 1.10", {1, 2}),
        ("p <= -1.10", {0}),
    ],
)
def test_another_reader_finds_all_rows_with_bounds(tmp_path: Path, where: str, chosen: set[int]) -> None:
    """Each row is in a file of its own, and each file has bounds; NaN is the greatest number to this reader too."""
    fields = (
        Field("n", "integer"),
        Field("d", "double"),
        Field("s", struct_type([("t", "timestamp")])),
        Field("p", "decimal(5,2)"),
    )
    instant = datetime(2020, 1, 1, tzinfo=UTC)
    content: list[tuple[float | None, Values, str]] = [
        (-math.inf, (instant,), "-1.10"),
        (math.nan, (instant.replace(microsecond=1),), "1.11"),
        (5.0, (instant.replace(year=1969),), "999.99"),
        (math.inf, (None,), "0"),
        (5.000000000000001, (None,), "0.00"),
        (0.0, (None,), "1.10"),
    ]
    adds = []
    for index, (number, struct, price) in enumerate(content):
        table = to_table(fields, [(index, number, struct, _decimal(price))])
        size = write_data_file(tmp_path / f"f{index}", table)
        adds.append(Add(f"f{index}", {}, size, 1, True, full_statistics(table)))
    write_commit(tmp_path, 0, [Protocol(1, 2), Metadata("id", schema_string(fields)), *adds])
    assert {row[0] for row in rows_seen_by_deltalake(tmp_path, fields, where)} == chosen


def _decimal(text: str) -> object:
    return pa.scalar(text).cast(pa.decimal128(5, 2)).as_py()


def test_duckdb_reads_sidecars_and_data_files(tmp_path: Path) -> None:
    table = Everything("name", checkpoint=True)
    table.write(tmp_path)
    (checkpoint,) = read_log(tmp_path).checkpoints
    (row,) = duckdb.execute(
        "SELECT list(sidecar.path) FILTER (sidecar IS NOT NULL), list(checkpointMetadata.version)"
        " FILTER (checkpointMetadata IS NOT NULL), list(domainMetadata.domain) FILTER (domainMetadata IS NOT NULL)"
        " FROM read_parquet(?)",
        [checkpoint.files[0].as_posix()],
    ).fetchall()
    assert row[1:] == ([1], ["delta.rowTracking"])
    (name,) = row[0]
    sidecar = (tmp_path / LOG_DIRECTORY / "_sidecars" / name).as_posix()
    found = duckdb.execute(
        "SELECT add.deletionVector.cardinality, add.baseRowId, remove.baseRowId FROM read_parquet(?) ORDER BY ALL",
        [sidecar],
    ).fetchall()
    nothing = None
    assert Counter(found) == Counter(
        [(1, 0, nothing), (2, 3, nothing), (1, 6, nothing), *((nothing, nothing, base) for base in (0, 3, 6))]
    )
    data = (tmp_path / "col-0=%3A 1" / "f1.parquet").as_posix()
    columns = duckdb.execute('SELECT "col-1", "col-2".p_x, "col-2"."p_y.z", "col-dropped" FROM read_parquet(?)', [data])
    assert repr(columns.fetchall()) == repr([(10, math.nan, ["a", None], 7), (11, None, None, 7), (12, None, [], None)])
