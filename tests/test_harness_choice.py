"""The choice of a few cases that have every facet."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from harness.choice import Choice, choose

pools = st.lists(st.frozensets(st.integers(0, 8), max_size=5), max_size=14)


def test_the_case_with_the_most_new_facets_is_chosen_first_and_of_equals_the_first() -> None:
    assert choose(["a", "bc", "ab", "c"], 1) == Choice((0, 1), 2)
    assert choose(["a", "bc", "bc", "a"], 2) == Choice((0, 1), 2)
    assert choose(["a", "a", "abc"], 1) == Choice((2,), 1)


def test_what_the_budget_has_left_goes_to_facets_that_are_rare_among_the_chosen() -> None:
    assert choose(["ab", "a", "a", "b", "a"], 1).places == (0,)
    assert choose(["ab", "a", "a", "b", "a"], 3).places == (0, 1, 3), "each a second time, before one a third time"
    assert choose(["a", "", ""], 2) == Choice((0, 1), 1), "a case without a facet comes last"


@given(pools, st.integers(1, 14))
def test_every_facet_is_there_and_the_budget_is_exceeded_only_for_that(pool: list[frozenset[int]], wanted: int) -> None:
    found = choose(pool, wanted)
    assert list(found.places) == sorted(set(found.places))
    assert frozenset().union(*(pool[place] for place in found.places)) == frozenset().union(*pool)
    assert len(found.places) == min(len(pool), max(wanted, found.needed))
    assert found.needed <= len(frozenset().union(*pool)), "each of them was chosen for a facet of its own"


@given(pools, st.integers(1, 14))
def test_no_facet_is_neglected(pool: list[frozenset[int]], wanted: int) -> None:
    """A facet that is twice or more in what is left out would have been chosen before another got there three times."""
    found = choose(pool, wanted)
    available = Counter(facet for facets in pool for facet in facets)
    larger = choose(pool, wanted + 1)
    assert set(found.places) <= set(larger.places), "a larger budget adds to a smaller one"
    assert choose(pool, len(pool)).places == tuple(range(len(pool)))
    assert all(
        1 <= sum(facet in pool[place] for place in found.places) <= number for facet, number in available.items()
    )
