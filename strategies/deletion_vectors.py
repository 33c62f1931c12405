"""Deletion vectors that the initial table is born with."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.table import DataFile, DeletionVector, VectorStorage
from strategies.weights import odds, one_in


def draw_deletion_vectors(
    draw: DrawFn, file: DataFile, times: list[int], *, after: int, before: int
) -> list[tuple[int, DeletionVector]]:
    """One or two deletion vectors of ``file``, each with its version: above ``after``, below ``before``.

    ``times`` are those of the commits, ms. ``file`` has rows, and at least one version lies between. Half of the
    files that have versions enough get two vectors, the later one hiding more. One in five or less hides all rows: of
    those with one row, the others have none. Shrinks to the first row, hidden soon, in a vector file.
    """
    versions = range(after + 1, before)
    size = len(file.rows)
    hidden = _draw_rows(draw, size)
    if not hidden:
        return []
    first = draw(st.sampled_from(versions))
    deletion_vectors = [(first, _mask(draw, file, hidden, times[first]))]
    if first + 1 < before and len(hidden) < size and draw(st.booleans()):
        more = hidden | _draw_rows(draw, size)
        if more != hidden:
            second = draw(st.sampled_from(range(first + 1, before)))
            deletion_vectors.append((second, _mask(draw, file, more, times[second])))
    return deletion_vectors


def _mask(draw: DrawFn, file: DataFile, hidden: frozenset[int], at: int) -> DeletionVector:
    storage = draw(odds((2, VectorStorage.RELATIVE), (1, VectorStorage.INLINE), (1, VectorStorage.ABSOLUTE)))
    return DeletionVector(file=file.id, rows=tuple(sorted(hidden)), deleted=at, storage=storage)


def _draw_rows(draw: DrawFn, size: int) -> frozenset[int]:
    """Some of ``size`` rows, one at least and all of them seldom; none where that would be all of them."""
    bits = draw(st.integers(1, max(2**size - 2, 1)))
    rows = frozenset(index for index in range(size) if bits >> index & 1)
    if draw(one_in(5)) and (size == 1 or draw(one_in(5))):
        return frozenset(range(size))
    return rows if len(rows) < size else frozenset()
