"""The cases of a profile in the order in which a fault meets them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from itertools import chain

from model.capabilities import Capabilities
from model.case import Case
from runner.controller import FIXED_SEED
from suites.campaigns import Shard, shards
from suites.drawing import fixed_cases
from suites.profiles import Profile

cases_of = cache(fixed_cases)


def deck(profile: Profile, chapters: Collection[str], capabilities: Capabilities) -> Iterator[Case]:
    """The profile's fixed cases that can reach one of the chapters ("DEL", "VAC"): one of each campaign in turn.

    A run hands out whole shards, VACUUM's first, to as many workers as it has. So how many cases it judges before one
    that shows a fault would say most about the place of a campaign in a list. In turn, the number says how likely a case
    is to show the fault. The kept cases are a campaign like any other. Cases are drawn as they are asked for.
    """
    wanted = [campaign for campaign in _campaigns(profile) if _reaches(campaign, chapters)]
    return _in_turn([_cases(campaign, capabilities) for campaign in wanted])


def rest(profile: Profile, chapters: Collection[str], capabilities: Capabilities) -> Iterator[Case]:
    """The profile's other cases, in the same way."""
    others = [campaign for campaign in _campaigns(profile) if not _reaches(campaign, chapters)]
    return _in_turn([_cases(campaign, capabilities) for campaign in others])


def _in_turn(rows: list[Iterator[Case]]) -> Iterator[Case]:
    while rows:
        left = []
        for row in rows:
            case = next(row, None)
            if case is not None:
                yield case
                left.append(row)
        rows = left


def _campaigns(profile: Profile) -> list[list[Shard]]:
    """The shards of each campaign, in order."""
    found: dict[str, list[Shard]] = {}
    for shard in shards(profile, ()):
        found.setdefault(shard.campaign.name, []).append(shard)
    return [sorted(of, key=lambda shard: shard.number) for _, of in sorted(found.items())]


def _reaches(campaign: list[Shard], chapters: Collection[str]) -> bool:
    return bool(set(chapters) & set(campaign[0].campaign.chapters))


def _cases(campaign: list[Shard], capabilities: Capabilities) -> Iterator[Case]:
    return chain.from_iterable(cases_of(shard, FIXED_SEED, capabilities) for shard in campaign)
