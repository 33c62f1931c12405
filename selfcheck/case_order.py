"""The cases that a fault is tried on: those of a profile, in the order in which a run judges them. They are drawn lazily."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
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


def begun_with(id: str, cases: Iterable[Case]) -> tuple[int, Iterator[Case]]:
    """These cases, the one with this id first, and the number of those that stood before it; as they are without such a case."""
    before: list[Case] = []
    after = iter(cases)  # drawn no further than needed
    for case in after:
        if case_id(case) == id:
            return len(before), chain([case], before, after)
        before.append(case)
    return 0, iter(before)


def _all(profile: Profile, capabilities: Capabilities) -> Iterator[Case]:
    planned = batches(profile, (), capabilities)
    return chain.from_iterable(cases_of(batch, FIXED_SEED, capabilities) for batch in planned)
