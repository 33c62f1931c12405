"""The cases that a fault is tried on: those of a profile, in the order in which a run judges them. They are drawn lazily."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import chain

from harness.campaigns.campaign import Profile
from harness.campaigns.drawing import fixed_cases
from model.codec import case_id
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.case import Case
from runner.run.controller import FIXED_SEED
from suites.campaigns import batches, chapters_of

cases_of = cache(fixed_cases)


def relevant_cases(profile: Profile, chapters: Collection[str], capabilities: Capabilities) -> Iterator[Case]:
    """The cases with a command of one of the chapters ("DEL", "VAC")."""
    return (case for case in _all(profile, capabilities) if not chapters_of(case).isdisjoint(chapters))


def other_cases(profile: Profile, chapters: Collection[str], capabilities: Capabilities) -> Iterator[Case]:
    """The profile's other cases."""
    return (case for case in _all(profile, capabilities) if chapters_of(case).isdisjoint(chapters))


class Ordered:
    """Cases, those that show something first. Each is asked once, and none is drawn before it is needed."""

    def __init__(self, cases: Iterable[Case], shows: Callable[[Case], bool]) -> None:
        self._cases = cases
        self._shows = shows
        self._places: dict[str, int] = {}

    def __iter__(self) -> Iterator[Case]:
        others: list[Case] = []
        for place, case in enumerate(self._cases, start=1):
            self._places[case_id(case)] = place
            if self._shows(case):
                yield case
            else:
                others.append(case)
        yield from others

    def place(self, id: str) -> int:
        """The place, from 1, of a case that was drawn among the cases as they were given."""
        return self._places[id]


def _all(profile: Profile, capabilities: Capabilities) -> Iterator[Case]:
    planned = batches(profile, (), capabilities)
    return chain.from_iterable(cases_of(batch, FIXED_SEED, capabilities) for batch in planned)
