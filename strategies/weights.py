"""Weighted choices. ``st.one_of`` ignores duplicates of a strategy, so it cannot express weights."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar, cast

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

T = TypeVar("T")


def weighted(*choices: tuple[int, SearchStrategy[T]]) -> SearchStrategy[T]:
    """One of the strategies, in proportion to their weights (0 or more). Shrinks to the first one.

    >>> retentions = weighted((3, st.none()), (1, st.integers(0, 168)))
    """
    return _chosen(odds(*choices))


@st.composite
def _chosen(draw: DrawFn, strategies: SearchStrategy[SearchStrategy[T]]) -> T:
    return draw(draw(strategies))


def odds(*choices: tuple[int, T]) -> SearchStrategy[T]:
    """One of the values, in proportion to their weights (0 or more). Shrinks to the first one.

    The same choices return the same cached strategy, so it can be built where it is drawn:

    >>> draw(odds((3, "data"), (1, "mixed")))
    """
    return cast("SearchStrategy[T]", _odds(*(part for choice in choices for part in choice)))


@lru_cache(maxsize=None, typed=True)  # typed: 1 == True, but they are different values
def _odds(*parts: Any) -> SearchStrategy[Any]:
    pairs = zip(parts[::2], parts[1::2])
    return st.sampled_from([value for weight, value in pairs for _ in range(weight)])


def one_in(n: int) -> SearchStrategy[bool]:
    """True once in ``n`` draws. Shrinks to False."""
    return odds((n - 1, False), (1, True))
