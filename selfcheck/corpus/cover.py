"""A small choice of cases that shows every facet as often as it is to be shown: greedy, by what is gained per second."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Generic, TypeVar

F = TypeVar("F", bound=Hashable)


@dataclass(frozen=True)
class Candidate(Generic[F]):
    """A case that may be chosen: how often it shows each facet, and the seconds that it takes."""

    facets: Mapping[F, int]
    seconds: float


class Cover(Generic[F]):
    """Chooses among candidates, stage after stage; ``chosen`` has their places, in the order in which they were chosen."""

    def __init__(self, candidates: Sequence[Candidate[F]]) -> None:
        self._candidates = candidates
        self.shown: dict[F, int] = {}
        self.chosen: list[int] = []

    def take(self, place: int) -> None:
        """Choose this candidate."""
        self.chosen.append(place)
        for facet, count in self._candidates[place].facets.items():
            self.shown[facet] = self.shown.get(facet, 0) + count

    def fill(self, goal: Callable[[F], int]) -> None:
        """Choose until each facet is shown as often as its goal says, or by all candidates that show it.

        The next is always the one that gains most per second; of equals, the first. A facet gains its part of the goal, so that
        facets with a small goal, which are rare, are not left to the end. What a candidate gains only ever falls, so those that
        gained less before than the best does now need not be looked at again.
        """
        goals: dict[F, int] = {}
        for candidate in self._candidates:
            for facet in candidate.facets:
                if facet not in goals:
                    goals[facet] = goal(facet)
        taken = set(self.chosen)

        def gain(place: int) -> float:
            candidate = self._candidates[place]
            total = 0.0
            for facet, count in candidate.facets.items():
                lacking = goals[facet] - self.shown.get(facet, 0)
                if lacking > 0:
                    total += min(count, lacking) / goals[facet]
            return total / candidate.seconds

        queue = [(-gain(place), place) for place in range(len(self._candidates)) if place not in taken]
        heapify(queue)
        while queue:
            _, place = heappop(queue)
            now = gain(place)
            if now == 0:
                continue
            if queue and -queue[0][0] > now:
                heappush(queue, (-now, place))
                continue
            self.take(place)

    def drop_superfluous(self, goal: Callable[[F], int], *, keep: Container[int]) -> None:
        """Give up those without which every facet still reaches its goal, the last chosen first; never those to ``keep``."""
        for place in reversed(list(self.chosen)):
            facets = self._candidates[place].facets
            if place not in keep and all(self.shown[facet] - count >= goal(facet) for facet, count in facets.items()):
                self.chosen.remove(place)
                for facet, count in facets.items():
                    self.shown[facet] -= count
