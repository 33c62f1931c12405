"""Deletion vectors with each kind of container."""

from __future__ import annotations

import struct

import pytest

from deltalog.data.bitmaps import decode_rows, encode_rows
from model.prediction.delete import matches
from model.vocabulary.case import Case
from model.vocabulary.steps import Delete
from strategies.cases.large_vectors import CONTAINERS, large_vector_deletes
from tests.sampling import check_shares, sample

CASES = sample(large_vector_deletes(), seeds=range(3))

#: The cookie of a bitmap without runs.
_WITHOUT_RUNS = 12346


def container(data: bytes) -> str:
    """The kind of the only container in the bytes of a vector."""
    cookie = struct.unpack_from("<I", data, 16)[0]  # behind the magic number, the count of buckets and the key
    if cookie != _WITHOUT_RUNS:
        return "run"
    (size,) = struct.unpack_from("<H", data, 26)
    return "array" if size < 4096 else "bitmap"


@pytest.mark.parametrize("kind", CONTAINERS)
def test_each_vector_has_the_container_that_it_is_named_after(kind: str) -> None:
    size, of, hidden = CONTAINERS[kind]
    rows = tuple(index for index in range(size) if index % of < hidden)
    vectors = {
        vector.rows
        for case in CASES
        for vector in case.table.commits[1].deletion_vectors
        if len(case.table.files[vector.file].rows) == size
    }
    assert vectors == {rows}
    assert container(encode_rows(rows)) == ("array" if kind == "pages" else kind)
    assert decode_rows(encode_rows(rows)) == rows


@pytest.mark.long
def test_the_deletes_hide_more_rows_of_each() -> None:
    def conditions(case: Case) -> dict[str, tuple[float, bool]]:
        table, step = case.table, case.steps[0]
        assert isinstance(step, Delete)
        hidden = {vector.file: set(vector.rows) for vector in table.commits[1].deletion_vectors}
        more = {
            len(file.rows)
            for file in table.files
            if any(index not in hidden[file.id] and matches(step, table, row) for index, row in enumerate(file.rows))
        }
        return {
            **{kind: (8, size in more) for kind, (size, *_) in CONTAINERS.items()},
            "two files": (15, len(table.files) == 2),
            "nothing": (1, not more),
        }

    check_shares(CASES, conditions)
