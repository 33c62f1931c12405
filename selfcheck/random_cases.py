"""Random cases of the nightly profile by seed; without an example database, so that a seed always draws the same cases."""

from __future__ import annotations

from dataclasses import replace

from harness.campaigns.campaign import Batch, Profile
from harness.campaigns.drawing import drawn_cases
from model.codec import case_id
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.case import Case
from suites.campaigns import batches
from suites.profiles import PROFILES

#: Cases of a batch. A run that is interrupted loses its unfinished batches.
BATCH = 25


def random_batches(profile: Profile = PROFILES["nightly"]) -> list[Batch]:
    """The batches of one seed, without regressions, which do not depend on it.

    In turn one of each campaign, so that a short run judges some of each.
    """
    found = [batch for batch in batches(replace(profile, batch=BATCH), ()) if batch.campaign.kept is None]
    return sorted(found, key=lambda batch: (batch.number, batch.campaign.name))


def random_cases(batch: Batch, seed: int, capabilities: Capabilities) -> list[Case]:
    """The distinct cases that a batch draws with this seed for an engine's capabilities: at most ``batch.cases``."""
    drawn = drawn_cases(batch, seed, capabilities, examples=batch.cases + 1)
    # Hypothesis always starts with the simplest case, and varies each case before it draws another.
    return list({case_id(case): case for case in drawn[1:]}.values())
