"""The gate: each test draws the cases of one shard of a campaign, and judges every step by every clause."""

from __future__ import annotations

from suites.campaigns import Shard
from suites.drawing import Referee


def test_campaign(shard: Shard, referee: Referee) -> None:
    referee.run(shard)
