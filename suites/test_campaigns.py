"""The gate: each test draws the cases of one shard of a campaign, and judges every step by every clause."""

from __future__ import annotations

from runner.referee import Referee
from suites.campaigns import Shard


def test_campaign(shard: Shard, referee: Referee) -> None:
    referee.run(shard)
