"""The campaigns that the test modules of this directory define, and the shards of a run."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

from harness.campaign import Campaign, Profile, Shard, campaign_of
from harness.clause import matches
from suites import test_delete, test_programs, test_regressions, test_settings, test_vacuum
from suites.catalogue import CATALOGUE

__all__ = ["CAMPAIGNS", "EXPLORATION", "REGRESSIONS", "Campaign", "Shard", "selected", "shards"]


def _campaigns(*modules: ModuleType) -> list[Campaign]:
    """The campaigns of these modules, in the order of their definition."""
    found = (campaign_of(test) for module in modules for test in vars(module).values())
    return [campaign for campaign in found if campaign is not None]


_ALL = _campaigns(test_delete, test_vacuum, test_programs, test_settings, test_regressions)

#: The campaigns that draw their cases, from a strategy or by a state machine.
CAMPAIGNS = tuple(campaign for campaign in _ALL if campaign.kept is None)

#: The regression cases, which every run judges first.
(REGRESSIONS,) = (campaign for campaign in _ALL if campaign.kept is not None)

#: The state machine.
(EXPLORATION,) = (campaign for campaign in _ALL if campaign.machine is not None)


def selected(clauses: Iterable[str]) -> tuple[Campaign, ...]:
    """The campaigns that can exercise these clauses (ids or prefixes; none: all)."""
    wanted = tuple(clauses)
    chapters = {id.split("-")[0] for id in CATALOGUE for prefix in wanted if matches(id, prefix)}
    return tuple(campaign for campaign in CAMPAIGNS if not wanted or chapters & set(campaign.chapters))


def shards(profile: Profile, clauses: Iterable[str]) -> list[Shard]:
    """The test items of a run: the regression cases, then the others, the slowest first, so that no worker ends with one."""
    assert REGRESSIONS.kept is not None
    kept = REGRESSIONS.kept()
    first = [Shard(REGRESSIONS, 0, len(kept))] if kept else []
    found = [
        shard
        for campaign in selected(clauses)
        for shard in _split(campaign, profile.cases[campaign.name], profile.shard)
    ]
    found.sort(key=lambda shard: (shard.campaign.chapters == ("DEL",), shard.number, shard.campaign.name))
    return first + found


def _split(campaign: Campaign, cases: int, size: int) -> list[Shard]:
    """Shards of ``size`` cases; the last has what remains."""
    return [Shard(campaign, number, min(cases - done, size)) for number, done in enumerate(range(0, cases, size))]
