"""Rows as the log tells them: mapped and dropped columns, vectors, row ids, change files."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pytest

from deltalog.data.deletion_vectors import inline_vector
from deltalog.data.rows import read_change_file, read_stored_rows, row_ids
from deltalog.entries.actions import Add, Cdc, Metadata, Protocol
from deltalog.entries.commits import write_commit
from deltalog.errors import UnsupportedRows
from deltalog.log import read_log
from deltalog.storage.parquet import write_data_file
from deltalog.values.arrow_values import to_table
from deltalog.values.schemas import Field, map_columns, schema_string, struct_type
from tests.table_rows import read_rows

FIELDS, LAST_ID = map_columns(
    [("day", "timestamp"), ("id", "long"), ("s", struct_type([("a", "long"), ("b", "string")])), ("new", "long")],
    ["col-0", "col-1", "col-2", "col-3"],
)
STORED = (
    *FIELDS[1:3],
    Field("gone", "long", metadata={"delta.columnMapping.id": 9, "delta.columnMapping.physicalName": "col-dropped"}),
)
PATH = "col-0=x/f.parquet"
ADD = Add(PATH, {"col-0": "2020-01-31T00:00:00.000001Z"}, 1, 1, True)
INSTANT = datetime(2020, 1, 31, 0, 0, 0, 1, tzinfo=timezone.utc)


def metadata(mode: str, **configuration: str) -> Metadata:
    return Metadata("id", schema_string(FIELDS), ("day",), {"delta.columnMapping.mode": mode, **configuration})


def test_the_columns_are_mapped_if_a_legacy_protocol_says_so(tmp_path: Path) -> None:
    write_data_file(tmp_path / PATH, to_table(STORED, [(1, (2, "b"), 7)]))
    write_commit(tmp_path, 0, [Protocol(2, 5), metadata("name"), ADD])
    assert read_rows(tmp_path, read_log(tmp_path).snapshot()) == [(INSTANT, 1, (2, "b"), None)]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_the_columns_have_their_own_names_if_the_protocol_has_no_mapping(tmp_path: Path, mode: str) -> None:
    write_data_file(tmp_path / PATH, pa.table({"id": [1], "col-3": [2], "s": [{"a": 3, "p_b": "x"}]}))
    write_commit(tmp_path, 0, [Protocol(3, 7, ("deletionVectors",), ("deletionVectors",)), metadata(mode), ADD])
    assert read_rows(tmp_path, read_log(tmp_path).snapshot()) == [(None, 1, (3, None), None)]


def test_a_file_without_ids_is_refused_if_ids_are_needed(tmp_path: Path) -> None:
    write_data_file(tmp_path / PATH, pa.table({"col-1": [1], "col-3": [2]}))
    assert read_stored_rows(tmp_path, ADD, metadata("name")) == [(INSTANT, 1, None, 2)]
    with pytest.raises(UnsupportedRows, match="the file has none"):
        read_stored_rows(tmp_path, ADD, metadata("id"))


def test_row_ids_are_stored_or_derived_from_the_action(tmp_path: Path) -> None:
    tracked = metadata(
        "name",
        **{
            "delta.rowTracking.materializedRowIdColumnName": "_row-id-col",
            "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-col",
        },
    )
    add = replace(ADD, base_row_id=100, default_row_commit_version=4)
    write_data_file(tmp_path / PATH, to_table(FIELDS[1:2], [(1,), (2,), (3,)]))
    assert row_ids(tmp_path, add, tracked) == [(100, 4), (101, 4), (102, 4)]
    assert row_ids(tmp_path, ADD, tracked) == [(None, None)] * 3
    rewritten = (*FIELDS[1:2], Field("_row-id-col", "long"), Field("_row-commit-version-col", "long"))
    table = to_table(rewritten, [(1, 7, 0), (2, None, 1), (3, 9, None)])
    write_data_file(tmp_path / "g.parquet", table)
    copied = replace(add, path="g.parquet")
    assert row_ids(tmp_path, copied, tracked) == [(7, 0), (101, 1), (9, 4)]
    assert row_ids(tmp_path, copied, metadata("name")) == [(100, 4), (101, 4), (102, 4)], "the table names no columns"
    hidden_rows = replace(copied, deletion_vector=inline_vector([0]))
    assert len(row_ids(tmp_path, hidden_rows, tracked)) == 3, "ids are of the rows stored, hidden ones too"


def test_change_files_are_read(tmp_path: Path) -> None:
    path = "_change_data/cdc-0.parquet"
    table = to_table(FIELDS[1:3], [(1, (2, None)), (None, None)])
    write_data_file(tmp_path / path, table.append_column("_change_type", pa.array(["delete", "insert"])))
    cdc = Cdc(path, ADD.partition_values, 1)
    expected = [((INSTANT, 1, (2, None), None), "delete"), ((INSTANT, None, None, None), "insert")]
    assert read_change_file(tmp_path, cdc, metadata("name")) == expected
    write_data_file(tmp_path / "plain.parquet", table)
    with pytest.raises(UnsupportedRows, match=r"2 rows of 'plain\.parquet' have no _change_type"):
        read_change_file(tmp_path, replace(cdc, path="plain.parquet"), metadata("id"))
