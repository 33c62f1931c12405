"""Deletion vectors: bytes both ways, and that another reader leaves out the same rows."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder
from hypothesis import example, given
from hypothesis import strategies as st

from deltalog.data.bitmaps import MAGIC, decode_rows, encode_rows
from deltalog.data.deletion_vectors import inline_vector, read_vector, vector_file, write_vector_file
from deltalog.entries.actions import Add, Metadata, Protocol
from deltalog.entries.commits import write_commit
from deltalog.entries.descriptors import DeletionVectorDescriptor, z85_decode, z85_encode
from deltalog.errors import AlreadyWritten, MalformedVector, UnsupportedRows
from deltalog.log import read_log
from deltalog.storage.parquet import write_data_file
from deltalog.values.schemas import schema_string
from deltalog.values.statistics import full_statistics
from tests.table_rows import by_uri, read_rows

ID = UUID("d2c639aa-8816-431a-aaf6-d3fe2512ff61")


@given(st.sets(st.integers(0, 2**63 - 1) | st.integers(0, 200_000), max_size=50))
@example(set())
@example(set(range(10_000)) | {2**32, 2**63 - 1})
def test_rows_read_back(rows: set[int]) -> None:
    assert decode_rows(encode_rows(rows)) == tuple(sorted(rows))


def test_the_example_of_the_protocol() -> None:
    # The example's text is of an older format, big-endian and with another magic number, that the protocol's own
    # description does not allow. Its last part, the values, is the same in both.
    rows = (3, 4, 7, 11, 18, 29)
    inline = DeletionVectorDescriptor("i", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", 40, 6)
    with pytest.raises(MalformedVector, match="begins with the number"):
        read_vector(Path("unused"), inline)
    assert encode_rows(rows)[-20:] == z85_decode(inline.path_or_inline)[-20:]
    assert read_vector(Path("unused"), inline_vector(reversed(rows))) == rows


@pytest.mark.parametrize("keys", [(0,), (0, 3)])
def test_a_vector_with_every_kind_of_container_is_read(keys: tuple[int, ...]) -> None:
    """An array, a bitmap and runs in one bitmap, and that under one or two keys of the upper 32 bits."""
    array, bitmap = range(0, 600, 3), (row for row in range(65_536) if row % 3 < 2)
    runs = (row for row in range(65_536) if row % 1000 < 990)
    low = (*array, *(1 << 16 | row for row in bitmap), *(2 << 16 | row for row in runs))
    rows = tuple(key << 32 | row for key in keys for row in low)
    assert decode_rows(encode_rows(rows)) == rows
    assert encode_rows(rows).count(struct.pack("<I", 12347 | 2 << 16) + bytes([0b100])) == len(keys), (
        "only the last has runs"
    )


@pytest.mark.parametrize("containers", [1, 5])
def test_runs_are_read(containers: int) -> None:
    # Written by hand from the format's description: every container holds the runs 2..4 and 9..9.
    head = struct.pack("<I", 12347 | (containers - 1) << 16) + bytes([(1 << containers) - 1])
    head += b"".join(struct.pack("<HH", key, 3) for key in range(containers))
    offsets = bytes(4 * containers) if containers >= 4 else b""
    body = struct.pack("<HHHHH", 2, 2, 2, 9, 0) * containers
    data = struct.pack("<IQI", MAGIC, 1, 0) + head + offsets + body
    assert decode_rows(data) == tuple(key << 16 | low for key in range(containers) for low in (2, 3, 4, 9))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "end in the middle"),
        (struct.pack("<IQ", 1, 0), "begins with the number 1"),
        (struct.pack("<IQI", MAGIC, 1, 1 << 31), "highest bit must be 0"),
        (struct.pack("<IQII", MAGIC, 1, 0, 7), "not a Roaring bitmap"),
        (encode_rows([1]) + b"x", "1 bytes are left"),
        (encode_rows([1, 2])[:-1], "end in the middle"),
        (encode_rows([1, 2])[:-4] + struct.pack("<HH", 2, 1), "do not ascend"),
    ],
)
def test_invalid_bytes_are_refused(data: bytes, sentence: str) -> None:
    with pytest.raises(MalformedVector, match=sentence):
        decode_rows(data)


def test_row_indexes_have_limits() -> None:
    for row in (-1, 2**63):
        with pytest.raises(ValueError, match="row indexes go from 0"):
            encode_rows([row])


def test_an_inline_vector_with_a_shorter_last_group_is_read(tmp_path: Path) -> None:
    """As the crate z85 of Rust writes one, which does not pad the bytes."""
    data = encode_rows([3])
    assert len(data) == 34 and data[32:] == b"\3\0"
    vector = DeletionVectorDescriptor("i", z85_encode(data[:32]) + "##093", len(data), 1)
    assert read_vector(tmp_path, vector) == (3,)


def test_a_file_with_several_vectors(tmp_path: Path) -> None:
    sets = [{1, 2}, set(range(5000)), {2**40}]
    found = write_vector_file(tmp_path, ID, sets, prefix="ab", modified=1_234)
    path = tmp_path / "ab" / f"deletion_vector_{ID}.bin"
    assert path.stat().st_mtime_ns == 1_234_000_000
    assert path.read_bytes() == vector_file(ID, sets, "ab")[0]
    assert [set(read_vector(tmp_path, one)) for one in found] == sets
    assert {one.file for one in found} == {f"ab/deletion_vector_{ID}.bin"}
    assert len({one.unique_id for one in found}) == 3
    absolute = replace(found[0], storage="p", path_or_inline=f"file://{path}")
    assert read_vector(Path("unused"), absolute) == (1, 2)
    with pytest.raises(AlreadyWritten):
        write_vector_file(tmp_path, ID, sets, prefix="ab")


def test_a_vector_that_contradicts_its_descriptor_is_refused(tmp_path: Path) -> None:
    (vector,) = write_vector_file(tmp_path, ID, [{1, 2}])
    path = tmp_path / f"deletion_vector_{ID}.bin"
    good = path.read_bytes()
    with pytest.raises(MalformedVector, match="has 2 rows; its cardinality is 3"):
        read_vector(tmp_path, replace(vector, cardinality=3))
    with pytest.raises(MalformedVector, match="its sizeInBytes is 7"):
        read_vector(tmp_path, replace(vector, size=7))
    with pytest.raises(MalformedVector, match="storage type 'x'"):
        read_vector(tmp_path, replace(vector, storage="x", path_or_inline="f"))
    with pytest.raises(MalformedVector, match="inline deletion vector has 44 bytes"):
        read_vector(tmp_path, replace(inline_vector([3, 4, 7, 11, 18, 29]), size=60))
    with pytest.raises(MalformedVector, match="cannot be read"):
        read_vector(tmp_path, DeletionVectorDescriptor("i", "abc", 3, 1))
    with pytest.raises(UnsupportedRows, match="another file system"):
        read_vector(tmp_path, DeletionVectorDescriptor("p", "s3://b/f", 3, 1, offset=1))
    for content, sentence in [
        (b"\x02" + good[1:], "must begin with the version 1"),
        (good[:-1] + bytes([good[-1] ^ 1]), "checksum"),
        (good[:-1], "the file has"),
    ]:
        path.write_bytes(content)
        with pytest.raises(MalformedVector, match=sentence):
            read_vector(tmp_path, vector)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        read_vector(tmp_path, vector)


@pytest.mark.parametrize("kind", ["file", "file with prefix", "absolute", "inline"])
def test_deltalake_hides_the_same_rows(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "t"
    count = 20_000
    gone = {0, 3, 19_999, *range(5, 9_000)}
    table = pa.table({"id": pa.array(range(count), pa.int64())})
    size = write_data_file(root / "f.parquet", table)
    if kind == "inline":
        vector = inline_vector(gone)
    else:
        _, vector = write_vector_file(root, ID, [{7}, gone], prefix="xy" if kind != "file" else "")
        vector = by_uri(root, vector) if kind == "absolute" else vector
    features = ("deletionVectors",)
    add = Add("f.parquet", {}, size, 1, True, full_statistics(table, tight_bounds=False), deletion_vector=vector)
    write_commit(root, 0, [Protocol(3, 7, features, features), Metadata("id", schema_string([("id", "long")])), add])
    ours = [row[0] for row in read_rows(root, read_log(root).snapshot())]
    assert ours == sorted(set(range(count)) - gone)
    theirs = pa.table(QueryBuilder().register("t", DeltaTable(root)).execute("SELECT id FROM t ORDER BY id"))
    assert theirs.column("id").to_pylist() == ours
