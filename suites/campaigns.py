"""The campaigns: where cases come from, and what chapters of the promise they can reach."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from model.case import Case
from strategies import cases, vacuum_cases, vacuum_command_cases
from harness.clause import CATALOGUE, matches
from suites.profiles import Profile
from suites.regressions import kept_cases


@dataclass(frozen=True)
class Campaign:
    name: str
    cases: Callable[[], SearchStrategy[Case]]
    chapters: tuple[str, ...]  # "DEL", "VAC": what its programs can exercise
    kept: Callable[[], tuple[Case, ...]] | None = None  # its cases, where they are kept and not drawn


CAMPAIGNS = (
    Campaign("partition-deletes", cases.partition_deletes, ("DEL",)),
    Campaign("row-deletes", cases.row_deletes, ("DEL",)),
    Campaign("feature-deletes", cases.feature_deletes, ("DEL",)),
    Campaign("typed-deletes", cases.typed_deletes, ("DEL",)),
    Campaign("said-deletes", cases.delete_forms, ("DEL",)),
    Campaign("refused-deletes", cases.refused_deletes, ("DEL",)),
    Campaign("vacuum-retention", vacuum_cases.vacuum_retentions, ("VAC",)),
    Campaign("vacuum-strays", vacuum_cases.vacuum_stray_files, ("VAC",)),
    Campaign("vacuum-commands", vacuum_command_cases.vacuum_commands, ("VAC",)),
    Campaign("vacuum-modes", vacuum_command_cases.vacuum_modes, ("VAC",)),
    Campaign("vacuum-vectors", vacuum_cases.vacuum_vectors, ("VAC",)),
    Campaign("vacuum-histories", vacuum_cases.vacuum_histories, ("VAC",)),
    Campaign("vacuum-troubles", vacuum_command_cases.vacuum_io_faults, ("VAC",)),
    Campaign("refused-vacuums", vacuum_command_cases.refused_vacuums, ("VAC",)),
    Campaign("programs", cases.programs, ("DEL", "VAC")),
)


#: The cases that are kept in ``regressions/``: every run judges them first, whatever it draws.
REGRESSIONS = Campaign("regressions", st.nothing, ("DEL", "VAC"), kept=kept_cases)


#: The state machine's, in the random profiles. Its table and steps are drawn rule by rule.
EXPLORATION = Campaign("exploration", cases.programs, ("DEL", "VAC"))


#: The machine's runs in one test.
MACHINE_SHARD = 20


@dataclass(frozen=True)
class Shard:
    """A part of a campaign, with a seed of its own: one test."""

    campaign: Campaign
    number: int
    cases: int

    @property
    def name(self) -> str:
        return f"{self.campaign.name}-{self.number}"

    def seed(self, run: int) -> int:
        """The seed of this shard in a run with the seed ``run``: it depends on nothing else."""
        text = f"{run}:{self.campaign.name}:{self.number}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def selected(clauses: Iterable[str]) -> tuple[Campaign, ...]:
    """The campaigns that can reach these clauses (ids or prefixes; none: all)."""
    wanted = tuple(clauses)
    chapters = {id.split("-")[0] for id in CATALOGUE for prefix in wanted if matches(id, prefix)}
    return tuple(campaign for campaign in CAMPAIGNS if not wanted or chapters & set(campaign.chapters))


def shards(profile: Profile, clauses: Iterable[str]) -> list[Shard]:
    """The tests of a run: the kept cases first, then the costly ones so that no worker is left with one at the end."""
    kept = [Shard(REGRESSIONS, 0, len(kept_cases()))] if kept_cases() else []
    found = []
    for campaign in selected(clauses):
        left, number = profile.cases[campaign.name], 0
        while left > 0:
            found.append(Shard(campaign, number, min(left, profile.shard)))
            left -= profile.shard
            number += 1
    for number, left in enumerate(range(profile.machine_runs, 0, -MACHINE_SHARD)):
        found.append(Shard(EXPLORATION, number, min(left, MACHINE_SHARD)))
    found.sort(key=lambda shard: (shard.campaign.chapters == ("DEL",), shard.number, shard.campaign.name))
    return kept + found
