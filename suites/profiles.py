"""The budgets of a run. Cases of each campaign, and whether they are the same each time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """``cases`` says how many each campaign draws. A fixed profile draws the same cases on each run."""

    name: str
    cases: Mapping[str, int]
    fixed: bool
    shard: int  # cases that one test draws: the unit that pytest-xdist hands to a worker
    tries: int = 0  # a fixed profile's, to make a failing case smaller
    machine_runs: int = 0  # runs of the focused state machine


_GATE = {
    "partition-deletes": 60,
    "row-deletes": 110,
    "vacuum-retention": 45,
    "vacuum-strays": 35,
    "vacuum-commands": 40,
    "programs": 32,
}

PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", {name: max(4, count // 6) for name, count in _GATE.items()}, True, 12, tries=12),
        Profile("gate", _GATE, True, 15, tries=30),
        Profile("nightly", {name: count * 5 for name, count in _GATE.items()}, False, 50, machine_runs=40),
        Profile("soak", {name: count * 40 for name, count in _GATE.items()}, False, 100, machine_runs=400),
    )
}
