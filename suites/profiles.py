"""The budgets of a run, from the numbers at each test (``harness.campaign.cases_from``)."""

from __future__ import annotations

from harness.campaign import Profile
from suites.campaigns import CAMPAIGNS

__all__ = ["PROFILES", "Profile"]


def _cases(budget: str, times: int = 1) -> dict[str, int]:
    return {campaign.name: campaign.budgets[budget] * times for campaign in CAMPAIGNS}


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", _cases("smoke"), True, 12, tries=30),
        Profile("gate", _cases("gate"), True, 15, tries=30),
        Profile("nightly", _cases("gate", times=5), False, 50),
        Profile("soak", _cases("gate", times=40), False, 100),
    )
}
