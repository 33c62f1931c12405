"""Random cases of the nightly profile by seed; without an example database, so that a seed always draws the same cases."""

from __future__ import annotations

from dataclasses import replace

from harness.campaigns.campaign import Profile, Shard
from harness.campaigns.drawing import drawn_cases
from model.codec import case_id
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.case import Case
from suites.campaigns import shards
from suites.profiles import PROFILES

#: Cases of a shard. A run that is interrupted loses its unfinished shards.
SHARD = 25


def random_shards(profile: Profile = PROFILES["nightly"]) -> list[Shard]:
    """The shards of one seed, without regressions, which do not depend on it.

    In turn one of each campaign, so that a short run judges some of each.
    """
    found = [shard for shard in shards(replace(profile, shard=SHARD), ()) if shard.campaign.kept is None]
    return sorted(found, key=lambda shard: (shard.number, shard.campaign.name))


def random_cases(shard: Shard, seed: int, capabilities: Capabilities) -> list[Case]:
    """The distinct cases that a shard draws with this seed for an engine's capabilities: at most ``shard.cases``."""
    drawn = drawn_cases(shard, seed, capabilities, examples=shard.cases + 1)
    # Hypothesis always starts with the simplest case, and varies each case before it draws another.
    return list({case_id(case): case for case in drawn[1:]}.values())
