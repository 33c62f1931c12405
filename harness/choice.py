"""A small choice of cases that still has every facet of all of them.

A facet is anything hashable that a case shows: runner.facets names the clauses that it exercises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import count


@dataclass(frozen=True)
class Choice:
    """``places`` of the chosen cases, in ascending order; ``needed`` is how many of them have every facet once."""

    places: tuple[int, ...]
    needed: int


def choose(cases: Sequence[Collection[Hashable]], wanted: int) -> Choice:
    """Choose ``wanted`` cases, given the facets of each, in the order in which they were drawn.

    Each facet is to be in one chosen case, then in two, and so on. The next case is always the one with the most facets that
    are not yet in so many; of several, the first. More than ``wanted`` are chosen if the facets need more to be there once.
    """
    available = Counter(facet for facets in cases for facet in set(facets))
    chosen: Counter[Hashable] = Counter()
    places: list[int] = []
    left = {place: set(facets) for place, facets in enumerate(cases)}
    needed = 0
    for times in count(1):
        lacking = {facet for facet, number in available.items() if chosen[facet] < min(times, number)}
        while lacking and (times == 1 or len(places) < wanted):
            best = max(left, key=lambda place: len(left[place] & lacking))  # max takes the first of equals
            chosen.update(facets := left.pop(best))
            places.append(best)
            lacking -= {facet for facet in facets if chosen[facet] >= min(times, available[facet])}
        needed = needed or len(places)
        if len(places) >= wanted or all(chosen[facet] == number for facet, number in available.items()):
            break
    places += list(left)[: max(0, wanted - len(places))]  # what is left has no facet
    return Choice(tuple(sorted(places)), needed)
