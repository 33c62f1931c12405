"""Instants in ms from the start of the case, gathered around a cutoff: that is where VACUUM can go wrong."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.table import DAY, HOUR

#: Plainly on one side of the cutoff, in ms from it. An hour is more than any run of a case takes.
OLDER = (-DAY, -HOUR, -60 * DAY)
YOUNGER = (DAY, HOUR)

#: On the cutoff, and one millisecond to either side of it.
EDGES = (0, -1, 1)

#: After the start of the case: what a skewed clock leaves behind.
FUTURE = (HOUR, 400 * DAY)


def instants(*, cutoff_age: int, future: bool = False) -> SearchStrategy[int]:
    """Instants, ms from the start of the case. ``cutoff_age``: how long before the start the cutoff lies, ms.

    A third is plainly old, a third on the cutoff or one ms beside it, the rest young. None is after the start, unless
    ``future`` allows it; then one in ten is. Shrinks to a day before the cutoff: old.
    """
    return _instants(-cutoff_age, future)


@cache
def _instants(cutoff: int, future: bool) -> SearchStrategy[int]:
    around = [cutoff + offset for offset in (*OLDER * 10, *EDGES * 10, *YOUNGER * 9)] + [0, 0, 0]
    # Under a cutoff after the start everything of the table is old, and falls together at the start.
    return st.sampled_from([*around, *FUTURE * 5] if future else [min(instant, 0) for instant in around])
