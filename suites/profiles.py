"""The budgets of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.campaigns.campaign import Profile
from harness.campaigns.regressions import of_others
from suites.campaigns import CAMPAIGNS, FILES

_WEIGHTS: Mapping[str, int] = {campaign.name: campaign.weight for campaign in CAMPAIGNS}


def drawing(profile: Profile, more: int) -> Profile:
    """The profile with so many more cases that are drawn."""
    return replace(profile, cases=_drawn(sum(profile.cases.values()) + more))


def _drawn(total: int) -> dict[str, int]:
    """So many cases, shared out among the campaigns by their weights: what remains goes to the largest remainders."""
    whole = sum(_WEIGHTS.values())
    exact = {name: total * weight / whole for name, weight in _WEIGHTS.items()}
    counts = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (counts[name] - exact[name], name))
    for name in by_remainder[: total - sum(counts.values())]:
        counts[name] += 1
    return counts


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", _drawn(0), True, batch=5, tries=30, corpus=("smoke",), nearby=FILES[1:]),
        Profile("gate", _drawn(0), True, batch=5, tries=30, corpus=FILES),
        Profile("together", _drawn(0), True, batch=1, tries=8, corpus=("together",), regressions=False),
        Profile("times", _drawn(0), True, batch=1, tries=1, corpus=("times",), regressions=False),
        Profile("scale", _drawn(0), True, batch=1, tries=30, large=True),
        Profile("nightly", _drawn(6000), False, 50, tries=30),
        Profile("soak", _drawn(48000), False, 100, tries=30),
    )
}


def on(profile: Profile, *engines: str) -> Profile:
    """The profile for these engines. Smoke leaves out the regression cases that show faults of other engines alone.

    They took a quarter of its time on Spark, and the other profiles judge them.
    """
    return replace(profile, without=of_others(*engines)) if profile.name == "smoke" else profile
