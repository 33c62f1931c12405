"""The budgets of a run. Cases of each campaign, and whether they are the same each time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Profile:
    """``cases`` says how many each campaign draws. A fixed profile draws the same cases on each run."""

    name: str
    cases: Mapping[str, int]
    fixed: bool
    shard: int  # cases that one test draws: the unit that pytest-xdist hands to a worker
    tries: int = 0  # a fixed profile's, to make a failing case smaller
    machine_runs: int = 0  # runs of the focused state machine

    def scaled(self, factor: float) -> Profile:
        """The profile with that many times the cases, at least one in each campaign that has any."""
        cases = {name: max(1, round(count * factor)) for name, count in self.cases.items()}
        runs = max(1, round(self.machine_runs * factor)) if self.machine_runs else 0
        return replace(self, cases=cases, machine_runs=runs)


_GATE = {
    "partition-deletes": 64,
    "row-deletes": 92,
    "feature-deletes": 210,
    "typed-deletes": 50,
    "said-deletes": 48,
    "refused-deletes": 30,
    "vacuum-retention": 36,
    "vacuum-strays": 28,
    "vacuum-commands": 80,
    "vacuum-modes": 84,
    "vacuum-vectors": 100,
    "vacuum-histories": 48,
    "vacuum-troubles": 38,
    "refused-vacuums": 54,
    "programs": 32,
}

_SMOKE = {
    "partition-deletes": 12,
    "row-deletes": 18,
    "feature-deletes": 28,
    "typed-deletes": 12,
    "said-deletes": 6,
    "refused-deletes": 6,
    "vacuum-retention": 9,
    "vacuum-strays": 10,
    "vacuum-commands": 12,
    "vacuum-modes": 13,
    "vacuum-vectors": 10,
    "vacuum-histories": 8,
    "vacuum-troubles": 6,
    "refused-vacuums": 10,
    "programs": 5,
}

PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", _SMOKE, True, 12, tries=12),
        Profile("gate", _GATE, True, 15, tries=30),
        Profile("nightly", {name: count * 5 for name, count in _GATE.items()}, False, 50, machine_runs=40),
        Profile("soak", {name: count * 40 for name, count in _GATE.items()}, False, 100, machine_runs=400),
    )
}
