"""A table that is made older is the same table, with every instant moved by the same time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltalog.entries.actions import CommitInfo
from deltalog.log import read_log
from deltalog.shift_timestamps import shift_timestamps
from deltalog.snapshot import Snapshot
from deltalog.storage.listing import list_beside, list_tree
from deltalog.storage.parquet import parquet_bytes
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.vocabulary.table import (
    DAY,
    HOUR,
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Feature,
    Kind,
    Removal,
    StrayFile,
    Table,
)
from model.vocabulary.values import Type
from tests.table_rows import read_rows

START = 1_700_000_000_000
BY = 3 * DAY + 7

STRAYS = (
    StrayFile("old/orphan.parquet", modified=-40 * DAY),
    StrayFile("empty", Kind.DIRECTORY),
    StrayFile("link", Kind.LINK, modified=-HOUR, size=0, target="../other/x"),
    StrayFile("../other/x", modified=-DAY),
)
TABLE = Table(
    columns=(Column("timestamp", Type.STRING), Column("v", Type.INTEGER)),  # named like a field that holds an instant
    partition_by=("timestamp",),
    files=tuple(DataFile(id, ("1700000000000",), ((id,), (None,)), modified=-DAY - id) for id in range(4)),
    commits=(
        Commit(-9 * DAY, adds=(0, 1, 2)),
        Commit(-8 * DAY, removes=(Removal(0, -8 * DAY), Removal(1, None)), checkpoint=True),
        Commit(-DAY, adds=(3,), deletion_vectors=(DeletionVector(2, (0,), -DAY),)),
    ),
    stray_files=STRAYS,
    features=(Feature.DELETION_VECTORS.value,),
)
VECTORS = Feature.DELETION_VECTORS.value


def make(table: Table, directory: Path) -> Path:
    root = directory / "case-1" / "table"
    write_table(plan_table(table, root, start=START))
    return root


def instants(snapshot: Snapshot) -> dict[str, int | None]:
    found: dict[str, int | None] = {add.file: add.modification_time for add in snapshot.adds.values()}
    found.update({f"-{remove.file}": remove.deletion_timestamp for remove in snapshot.removes.values()})
    return found


def times(root: Path) -> dict[str, int]:
    """Of the table's own things; a directory's also say when something was written into it."""
    return {path: entry.modified for path, entry in {**list_tree(root), **list_beside(root)}.items()}


@pytest.mark.parametrize(
    "features",
    [(VECTORS,), (VECTORS, "v2Checkpoints"), (VECTORS, "checksums", "inCommitTimestamps")],
    ids=["classic checkpoint", "v2 checkpoint", "in-commit timestamps and checksums"],
)
def test_all_timestamps_are_shifted_and_nothing_else(features: tuple[str, ...], tmp_path: Path) -> None:
    root = make(replace(TABLE, features=features), tmp_path)
    before, rows, listed = read_log(root), list(read_rows(root, read_log(root).snapshot())), times(root)
    shift_timestamps(root, by=BY)
    after = read_log(root)
    was, now = instants(before.snapshot()), instants(after.snapshot())
    assert now == {path: None if at is None else at - BY for path, at in was.items()}
    assert any(at is None for at in now.values()), "a remove without a stamp stays without"
    assert times(root) == {path: at - BY for path, at in listed.items()}
    assert list(read_rows(root, after.snapshot())) == rows
    assert {version: commit.modified for version, commit in after.commits.items()} == {
        version: commit.modified - BY for version, commit in before.commits.items()
    }
    infos = [action for commit in after.commits.values() for action in commit.actions if isinstance(action, CommitInfo)]
    assert [info.fields["timestamp"] for info in infos] == [START + commit.at - BY for commit in TABLE.commits]


def test_a_shifted_checkpoint_can_be_read_alone(tmp_path: Path) -> None:
    root = make(replace(TABLE, features=(VECTORS, "v2Checkpoints"), pruned=1), tmp_path)
    before = instants(read_log(root).snapshot())
    shift_timestamps(root, by=BY)
    assert instants(read_log(root).snapshot()) == {path: None if at is None else at - BY for path, at in before.items()}


def test_a_checkpoint_whose_columns_are_not_nullable_is_shifted_too(tmp_path: Path) -> None:
    """delta-rs writes a column of sidecars into every checkpoint, whose fields are not nullable."""
    root = make(replace(TABLE, features=(), commits=TABLE.commits[:2]), tmp_path)
    (checkpoint,) = (root / "_delta_log").glob("*.checkpoint.parquet")
    table = pq.read_table(checkpoint)
    fields = [pa.field("path", pa.string(), nullable=False), pa.field("sizeInBytes", pa.int64(), nullable=False)]
    column = pa.array([None] * table.num_rows, pa.struct(fields))
    checkpoint.write_bytes(parquet_bytes(table.append_column("sidecar", column)))
    for commit in (root / "_delta_log").glob("*0.json"):
        commit.unlink()  # so that the checkpoint is read
    before = instants(read_log(root).snapshot())
    shift_timestamps(root, by=BY)
    assert instants(read_log(root).snapshot()) == {path: None if at is None else at - BY for path, at in before.items()}


def test_a_checkpoint_with_an_instant_is_shifted_too(tmp_path: Path) -> None:
    """Delta 0.2 keeps commitInfo in its checkpoints, with the timestamp as an instant."""
    root = make(replace(TABLE, features=(), commits=TABLE.commits[:2]), tmp_path)
    (checkpoint,) = (root / "_delta_log").glob("*.checkpoint.parquet")
    table = pq.read_table(checkpoint)
    times = [START, *[None] * (table.num_rows - 1)]
    column = pa.array(
        [at and {"timestamp": at * 1_000_000} for at in times], pa.struct({"timestamp": pa.timestamp("ns")})
    )
    pq.write_table(table.append_column("commitInfo", column), checkpoint, use_deprecated_int96_timestamps=True)
    shift_timestamps(root, by=BY)
    shifted = pq.read_table(checkpoint).column("commitInfo")
    assert shifted.type == pa.struct({"timestamp": pa.timestamp("us")}), "no Spark reads nanoseconds"
    assert [struct["timestamp"].value for struct in shifted if struct.is_valid] == [(START - BY) * 1000]


def test_the_actions_in_a_version_checksum_are_shifted_too(tmp_path: Path) -> None:
    """Delta 3.3 refuses a table whose checksum has another metadata than its log."""
    root = make(TABLE, tmp_path)
    checksum = root / "_delta_log" / f"{2:020}.crc"
    content = {
        "numFiles": START,
        "metadata": {"id": "a", "createdTime": START},
        "setTransactions": [{"appId": "a", "version": START, "lastUpdated": START}, {"appId": "b", "version": 1}],
        "allFiles": [{"path": "a", "size": START, "modificationTime": START}],
    }
    checksum.write_text(json.dumps(content), encoding="utf-8")
    shift_timestamps(root, by=BY)
    assert json.loads(checksum.read_text(encoding="utf-8")) == {
        "numFiles": START,
        "metadata": {"id": "a", "createdTime": START - BY},
        "setTransactions": [
            {"appId": "a", "version": START, "lastUpdated": START - BY},
            {"appId": "b", "version": 1},
        ],
        "allFiles": [{"path": "a", "size": START, "modificationTime": START - BY}],
    }


def test_hadoops_checksum_of_a_file_that_is_rewritten_is_removed(tmp_path: Path) -> None:
    """By the old one Hadoop would refuse to read the file."""
    root = make(TABLE, tmp_path)
    log = root / "_delta_log"
    for name in (f"{0:020}.json", f"{0:020}.crc", "other"):
        (log / name).touch()
        (log / f".{name}.crc").write_bytes(b"crc")
    (log / f"{0:020}.crc").write_text("{}")
    shift_timestamps(root, by=BY)
    assert {path.name for path in log.glob(".*.crc")} == {".other.crc"}
