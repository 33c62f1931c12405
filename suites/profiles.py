"""The budgets of a run."""

from __future__ import annotations

from collections.abc import Mapping

from harness.campaign import Profile
from harness.corpus import corpus_size
from suites.campaigns import CAMPAIGNS

__all__ = ["PROFILES", "Profile"]

_WEIGHTS: Mapping[str, int] = {campaign.name: campaign.weight for campaign in CAMPAIGNS}


def _drawn(total: int) -> dict[str, int]:
    """So many cases, shared out among the campaigns by their weights: what remains goes to the largest remainders."""
    whole = sum(_WEIGHTS.values())
    exact = {name: total * weight / whole for name, weight in _WEIGHTS.items()}
    counts = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: (counts[name] - exact[name], name))
    for name in by_remainder[: total - sum(counts.values())]:
        counts[name] += 1
    return counts


def _fixed(name: str, *corpus: str) -> Profile:
    """The corpus, and for nine of its cases one that ``--seed`` draws, so that no engine can be made for the corpus alone."""
    drawn = round(sum(map(corpus_size, corpus)) / 9)
    return Profile(name, _drawn(drawn), True, shard=5, tries=30, corpus=corpus)


PROFILES = {
    profile.name: profile
    for profile in (
        _fixed("smoke", "smoke"),
        _fixed("gate", "smoke", "gate"),
        Profile("nightly", _drawn(6000), False, 50),
        Profile("soak", _drawn(48000), False, 100),
    )
}
