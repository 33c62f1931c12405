"""The script's own reader of deletion vectors, against the suite's writer and against bytes written by hand."""

from __future__ import annotations

import struct
from dataclasses import asdict
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltalog.bitmaps import encode_rows
from deltalog.deletion_vectors import inline_vector, vector_file
from deltalog.descriptors import DeletionVectorDescriptor, z85_encode
from reports.vectors import VECTOR_MAGIC, BadVector, bitmap_rows, from_z85, vector_rows

ROWS = st.sets(st.integers(0, 70_000) | st.integers((1 << 32) - 2, (1 << 32) + 2), max_size=20)
DENSE = [*range(5_000), 65_536, (1 << 32) + 7]


def descriptor(vector: DeletionVectorDescriptor, **changes: Any) -> dict[str, Any]:
    said = asdict(vector)
    return {
        "storageType": said["storage"],
        "pathOrInlineDv": said["path_or_inline"],
        "offset": said["offset"],
        "sizeInBytes": said["size"],
        "cardinality": said["cardinality"],
        **changes,
    }


def no_file(path: str) -> bytes:
    raise FileNotFoundError(2, "No such file")


@given(ROWS)
def test_an_inline_vector_is_read(rows: set[int]) -> None:
    assert vector_rows(descriptor(inline_vector(rows)), no_file) == sorted(rows)


@given(ROWS, ROWS, st.sampled_from(["", "ab"]))
def test_the_vectors_of_a_file_are_read(one: set[int], other: set[int], prefix: str) -> None:
    content, vectors = vector_file(UUID(int=7), [one, other], prefix)
    files = {str(vector.file): content for vector in vectors}
    assert [vector_rows(descriptor(vector), files.__getitem__) for vector in vectors] == [sorted(one), sorted(other)]


def test_an_absolute_path_is_a_url() -> None:
    content, (vector,) = vector_file(UUID(int=7), [[3]])
    there = descriptor(vector, storageType="p", pathOrInlineDv="file:///tmp/a%20b/x.bin")
    assert vector_rows(there, {"/tmp/a b/x.bin": content}.__getitem__) == [3]


def test_containers_of_all_kinds_are_read() -> None:
    assert bitmap_rows(encode_rows(DENSE)) == DENSE
    # One container of the runs 1, 2, 3 and 7: the cookie says how many containers, then which of them hold runs.
    runs = struct.pack("<I", 12347) + b"\x01" + struct.pack("<HH", 0, 3) + struct.pack("<HHHHH", 2, 1, 2, 7, 0)
    assert bitmap_rows(struct.pack("<IQI", VECTOR_MAGIC, 1, 0) + runs) == [1, 2, 3, 7]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (struct.pack("<IQ", 1, 0), "begins with 1, not with the magic number"),
        (encode_rows([1])[:-1], "in the middle of a value"),
        (encode_rows([1]) + b"\x00", "bytes behind its last row"),
        (struct.pack("<IQII", VECTOR_MAGIC, 1, 0, 5), "which is no Roaring bitmap"),
        (struct.pack("<IQIIIHHIHH", VECTOR_MAGIC, 1, 0, 12346, 1, 0, 1, 16, 2, 1), "rows that do not ascend"),
    ],
)
def test_bytes_that_are_no_vector_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(BadVector, match=said):
        bitmap_rows(data)


CONTENT, (VECTOR,) = vector_file(UUID(int=7), [[3, 4]])


@pytest.mark.parametrize(
    ("content", "changes", "said"),
    [
        (CONTENT, {"cardinality": 1}, "hides 2 rows where its cardinality is 1"),
        (CONTENT, {"sizeInBytes": 9}, "where sizeInBytes is 9"),
        (CONTENT, {"storageType": "x"}, "the unknown storage type 'x'"),
        (CONTENT, {"pathOrInlineDv": "a"}, "which is not Z85"),
        (b"\x02" + CONTENT[1:], {}, "whose first byte is 02"),
        (CONTENT[:-1] + b"\xff", {}, "wrong checksum"),
        (CONTENT[:-1], {}, "where sizeInBytes is"),
        (None, {}, r"cannot be read \(No such file\)"),
    ],
)
def test_a_vector_that_is_not_what_it_says_is_refused(
    content: bytes | None, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadVector, match=said):
        vector_rows(descriptor(VECTOR, **changes), no_file if content is None else lambda path: content)


def test_an_inline_vector_of_another_size_is_refused() -> None:
    with pytest.raises(BadVector, match="inline bytes where sizeInBytes is 99"):
        vector_rows(descriptor(inline_vector([1]), sizeInBytes=99), no_file)


@given(st.binary(max_size=40).filter(lambda data: len(data) % 4 == 0))
def test_z85_is_read_back(data: bytes) -> None:
    assert from_z85(z85_encode(data)) == data


@pytest.mark.parametrize("text", ["abc", "abcd~", "#####"])
def test_what_is_not_z85_is_refused(text: str) -> None:
    with pytest.raises(BadVector, match="not Z85"):
        from_z85(text)
