"""An independent reader and writer, the ``deltalake`` package: it reads our tables as we do, and we read its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import assume, given, settings

from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY
from tests.builders.made_tables import EVERYTHING, MadeTable, made, made_tables, same_rows
from tests.table_rows import read_rows


def rows_of(table: pa.Table, names: list[str]) -> list[tuple[object, ...]]:
    columns = [table.column(name).to_pylist() for name in names]
    return list(zip(*columns))


def deltalake_rows(root: Path, version: int | None, names: list[str]) -> list[tuple[object, ...]]:
    return rows_of(DeltaTable(root, version=version).to_pyarrow_table(), names)


def assert_read_alike(table: MadeTable, root: Path) -> None:
    names = [name for name, _ in table.columns]
    log = read_log(root)
    for version in range(table.first_version, log.version + 1):
        theirs = DeltaTable(root, version=version)
        ours = log.snapshot(version)
        actions = pa.table(theirs.get_add_actions())
        assert sorted(actions.column("path").to_pylist()) == sorted(add.path for add in ours.adds.values()), (
            f"deltalake lists other live files of version {version} than we do"
        )
        assert same_rows(deltalake_rows(root, version, names), read_rows(root, ours)), (
            f"deltalake reads other rows of version {version} than we do"
        )


@pytest.mark.long
@given(made_tables())
@settings(max_examples=60)
def test_deltalake_reads_the_same_rows(table: MadeTable) -> None:
    with made(table) as root:
        assert_read_alike(table, root)


def test_deltalake_reads_the_table_with_everything(tmp_path: Path) -> None:
    EVERYTHING.write(tmp_path / "t")
    assert_read_alike(EVERYTHING, tmp_path / "t")


@pytest.mark.long
@given(made_tables())
@settings(max_examples=25)
def test_duckdb_reads_checkpoints_and_data_files(table: MadeTable) -> None:
    with made(table) as root:
        log = read_log(root)
        assume(log.checkpoints)
        for checkpoint in log.checkpoints:
            snapshot = log.snapshot(checkpoint.version)
            files = [file.as_posix() for file in checkpoint.files]
            lists = duckdb.execute(
                "SELECT list(add.path) FILTER (add IS NOT NULL), list(remove.path) FILTER (remove IS NOT NULL)"
                " FROM read_parquet(?)",
                [files],
            ).fetchone()
            assert lists is not None, "an aggregate has one row"
            adds, removes = (sorted(paths or []) for paths in lists)
            assert adds == sorted(add.path for add in snapshot.adds.values())
            assert removes == sorted(remove.path for remove in snapshot.removes.values())


def test_tables_of_deltalake_are_read(tmp_path: Path) -> None:
    root = tmp_path / "t"
    names = ["id", "part", "text"]
    parts = ["a b", "a=b", "100%", "ü/x", None, "'q'", "a:b", "日本"]
    for start in (0, 20, 40):
        numbers = list(range(start, start + 20))
        data: Mapping[str, pa.Array] = {
            "id": pa.array(numbers, pa.int64()),
            "part": pa.array([parts[number % len(parts)] for number in numbers], pa.string()),
            "text": pa.array([None if number % 3 == 0 else f"t{number}" for number in numbers], pa.string()),
        }
        write_deltalake(root, pa.table(data), partition_by=["part"], mode="append")
    table = DeltaTable(root)
    table.delete("id % 7 = 3")
    table.delete("part = 'a b'")
    table.create_checkpoint()
    table.delete("text IS NULL AND id > 30")
    log = read_log(root)
    assert log.version == 5, "three appends and three deletes"
    assert [checkpoint.version for checkpoint in log.checkpoints] == [4], "one checkpoint, after the second delete"
    for version in range(6):
        ours = read_rows(root, log.snapshot(version))
        assert same_rows(ours, deltalake_rows(root, version, names)), f"rows of version {version} differ"
        for add in log.snapshot(version).adds.values():
            assert (root / add.file).stat().st_size == add.size, f"{add.file} is where its path says, with its size"
    for early in range(4):
        (root / LOG_DIRECTORY / f"{early:020d}.json").unlink()
    again = read_log(root).snapshot()
    assert again.adds.keys() == log.snapshot().adds.keys(), "deltalake's checkpoint leads to the same live files"
    assert same_rows(read_rows(root, again), deltalake_rows(root, None, names))
