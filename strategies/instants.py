"""Instants in ms from the start of the case, most of them near VACUUM's cutoff."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.vocabulary.table import DAY, HOUR

#: Clearly on one side of the cutoff, in ms from it: no case runs for an hour.
OLDER = (-DAY, -HOUR, -60 * DAY)
YOUNGER = (DAY, HOUR)

#: On the cutoff, and 1 ms before and after it.
EDGES = (0, -1, 1)

#: After the start of the case, as a skewed clock writes them.
FUTURE = (HOUR, 400 * DAY)


def instants(*, cutoff_age: int, future: bool = False) -> SearchStrategy[int]:
    """Instants, ms from the start of the case. The cutoff is ``cutoff_age`` ms before the start.

    A third are older than the cutoff, a third on it or within 1 ms, the rest younger. With ``future`` one in ten is
    after the start, else none. Shrinks to a day before the cutoff.

    >>> modified = draw(instants(cutoff_age=WEEK))
    """
    return _instants(-cutoff_age, future)


@cache
def _instants(cutoff: int, future: bool) -> SearchStrategy[int]:
    around = [cutoff + offset for offset in (*OLDER * 10, *EDGES * 10, *YOUNGER * 9)] + [0, 0, 0]
    # With a cutoff after the start, everything in the table is old: clamp to the start.
    return st.sampled_from([*around, *FUTURE * 5] if future else [min(instant, 0) for instant in around])
