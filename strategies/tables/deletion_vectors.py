"""Deletion vectors of the initial table."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.vocabulary.table import DataFile, DeletionVector, VectorStorage
from strategies.weights import odds, one_in


def draw_deletion_vectors(
    draw: DrawFn, file: DataFile, times: list[int], *, after: int, before: int
) -> list[tuple[int, DeletionVector]]:
    """Up to two deletion vectors of ``file``, each with its version: above ``after``, below ``before``.

    ``times`` are those of the commits, ms. ``file`` has rows, and at least one version lies between. Half of the files
    with enough versions get two vectors, the later one with more rows. At most one in five deletes all rows; of files
    with one row, the others get no vector. Shrinks to the first row, deleted early, in a vector file.
    """
    versions = range(after + 1, before)
    size = len(file.rows)
    deleted = _draw_rows(draw, size)
    if not deleted:
        return []
    first = draw(st.sampled_from(versions))
    deletion_vectors = [(first, _draw_vector(draw, file, deleted, times[first]))]
    if first + 1 < before and len(deleted) < size and draw(st.booleans()):
        more = deleted | _draw_rows(draw, size)
        if more != deleted:
            second = draw(st.sampled_from(range(first + 1, before)))
            deletion_vectors.append((second, _draw_vector(draw, file, more, times[second])))
    return deletion_vectors


def _draw_vector(draw: DrawFn, file: DataFile, rows: frozenset[int], at: int) -> DeletionVector:
    storage = draw(odds((2, VectorStorage.RELATIVE), (1, VectorStorage.INLINE), (1, VectorStorage.ABSOLUTE)))
    return DeletionVector(file=file.id, rows=tuple(sorted(rows)), deleted=at, storage=storage)


def _draw_rows(draw: DrawFn, size: int) -> frozenset[int]:
    """Some of ``size`` rows, rarely all of them. Of a single row that is all or none."""
    bits = draw(st.integers(1, max(2**size - 2, 1)))
    rows = frozenset(index for index in range(size) if bits >> index & 1)
    if draw(one_in(5)) and (size == 1 or draw(one_in(5))):
        return frozenset(range(size))
    return rows if len(rows) < size else frozenset()
