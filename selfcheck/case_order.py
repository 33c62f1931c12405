"""The order in which a fault is tried on a profile's fixed cases: one case of each campaign in turn.

A run judges VACUUM's shards first, so the number of cases before the first that shows a fault would mostly depend on the
campaign's place in a list. In turn, the number says how likely a case is to show the fault. Regressions are a campaign
like any other. Cases are drawn lazily.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import chain

from harness.drawing import fixed_cases
from model.capabilities import Capabilities
from model.case import Case
from model.codec import case_id
from runner.controller import FIXED_SEED
from suites.campaigns import Shard, shards
from suites.profiles import Profile

cases_of = cache(fixed_cases)


def relevant_cases(profile: Profile, chapters: Collection[str], capabilities: Capabilities) -> Iterator[Case]:
    """The cases of the campaigns that can exercise one of the chapters ("DEL", "VAC")."""
    return _in_turn(_campaigns(profile, chapters, relevant=True), capabilities)


def begun_with(id: str, cases: Iterable[Case]) -> tuple[int, Iterator[Case]]:
    """These cases, the one with this id first, and the number of those that stood before it; as they are without such a case."""
    before: list[Case] = []
    after = iter(cases)  # drawn no further than needed
    for case in after:
        if case_id(case) == id:
            return len(before), chain([case], before, after)
        before.append(case)
    return 0, iter(before)


def other_cases(profile: Profile, chapters: Collection[str], capabilities: Capabilities) -> Iterator[Case]:
    """The profile's other cases."""
    return _in_turn(_campaigns(profile, chapters, relevant=False), capabilities)


def _in_turn(campaigns: Iterable[list[Shard]], capabilities: Capabilities) -> Iterator[Case]:
    queue = deque(
        chain.from_iterable(cases_of(shard, FIXED_SEED, capabilities) for shard in campaign) for campaign in campaigns
    )
    while queue:
        cases = queue.popleft()
        case = next(cases, None)
        if case is not None:
            yield case
            queue.append(cases)


def _campaigns(profile: Profile, chapters: Collection[str], *, relevant: bool) -> list[list[Shard]]:
    """The shards of each campaign with one of the chapters, or with none; by the campaign's name and the shard's number."""
    found: dict[str, list[Shard]] = {}
    for shard in sorted(shards(profile, ()), key=lambda shard: (shard.campaign.name, shard.number)):
        if relevant != set(chapters).isdisjoint(shard.campaign.chapters):
            found.setdefault(shard.campaign.name, []).append(shard)
    return list(found.values())
