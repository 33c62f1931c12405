"""Leaves steps out of cases that show enough without them: on Spark, a step costs as much whatever it adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from harness.campaigns.costs import seconds_of
from harness.campaigns.shrinking import is_valid, without_step
from model.codec import case_id
from model.vocabulary.case import Case
from selfcheck.corpus.facets import Facet
from selfcheck.corpus.page import Shown


def shorter_by_a_step(case: Case) -> list[Case]:
    """The case without one of its steps, for each step that no later one refers to; the last step first."""
    steps = (without_step(case.steps, index) for index in reversed(range(len(case.steps))))
    return [one for some in steps if some is not None and is_valid(one := replace(case, steps=some))]


def shortened(
    cases: Sequence[Shown],
    *,
    others: Iterable[Case],
    shown: Mapping[Facet, int],
    goal: Callable[[Facet], int],
    shorter: Callable[[Sequence[Shown]], Iterable[Sequence[Shown]]],
) -> list[Shown]:
    """The cases, in their order, with as few steps as show each facet as often as its goal says, or as often as before.

    None becomes the same as another of them or of ``others``. ``shown`` is how often all these together show each facet.
    ``shorter`` gives, for each of some cases, those with one step less that may stand for it. The step that takes longest is left
    out first; of a case of which no step could be left out, none is tried again.
    """
    left, kept, open_ = Counter(shown), list(cases), list(range(len(cases)))
    ids = {case_id(case) for case in (*others, *(one.case for one in cases))}
    while open_:
        choices = [
            (seconds_of(kept[place].case) - seconds_of(one.case), place, one)
            for place, some in zip(open_, shorter([kept[place] for place in open_]))
            for one in some
        ]
        open_ = []
        for _, place, one in sorted(choices, key=lambda choice: (-choice[0], -choice[1])):
            if place not in open_ and case_id(one.case) not in ids and _suffices(one, kept[place], left, goal):
                ids.add(case_id(one.case))
                left.subtract(kept[place].facets)
                left.update(one.facets)
                kept[place] = one
                open_.append(place)
    return kept


def _suffices(one: Shown, before: Shown, shown: Mapping[Facet, int], goal: Callable[[Facet], int]) -> bool:
    """Whether ``one`` can stand for ``before``: no facet falls below its goal."""
    return all(
        lost <= 0 or shown[facet] - lost >= goal(facet)
        for facet, count in before.facets.items()
        if (lost := count - one.facets.get(facet, 0))
    )
