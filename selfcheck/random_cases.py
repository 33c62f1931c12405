"""Random cases by seed: the nightly profile's, without a database of examples, so that a seed always gives the same ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.stateful import run_state_machine_as_test

from model.capabilities import Capabilities
from model.case import Case
from model.codec import case_id
from suites.campaigns import Shard, shards
from suites.drawing import MACHINE_STEPS, PromiseBroken, drawn_cases
from harness.judge import Judge, JudgedCase
from suites.machine import TableMachine
from suites.profiles import PROFILES, Profile

#: Cases of a shard: what is lost where a run ends in the midst of one.
SHARD = 25


def random_shards(profile: Profile = PROFILES["nightly"]) -> list[Shard]:
    """The shards of one seed, one of each campaign in turn, so that a run of any length judges some of each.

    The kept cases are left out: they are the same for each seed.
    """
    found = [shard for shard in shards(replace(profile, shard=SHARD), ()) if shard.campaign.kept is None]
    return sorted(found, key=lambda shard: (shard.number, shard.campaign.name))


def random_cases(shard: Shard, seed: int, capabilities: Capabilities) -> list[Case]:
    """The different cases that a shard draws by this seed, as the engine can be asked for them: its number of cases at most."""
    drawn = drawn_cases(shard, seed, capabilities, examples=shard.cases + 1)
    # Hypothesis begins with the simplest case of all, each time anew; and varies each case before it draws another.
    return list({case_id(case): case for case in drawn[1:]}.values())


def explore(
    shard: Shard, seed: int, judge: Judge, capabilities: Capabilities, take: Callable[[JudgedCase], None]
) -> None:
    """Run the state machine, whose cases are judged as they are drawn; ``take`` gets each. The first alarm ends the shard.

    Nothing is made smaller: that takes Hypothesis minutes.
    """
    alarmed = False

    def broken(judged: JudgedCase) -> None:
        raise PromiseBroken(", ".join(judged.failed))

    def ended(judged: JudgedCase) -> None:
        nonlocal alarmed
        if not alarmed:  # Hypothesis runs a case that failed once more
            take(judged)
        alarmed = alarmed or bool(judged.failed)

    @hypothesis.seed(shard.seed(seed))
    def machine() -> TableMachine:
        return TableMachine(judge, broken, ended, capabilities)

    chosen = settings(
        max_examples=shard.cases,
        stateful_step_count=MACHINE_STEPS,
        database=None,
        phases=(Phase.generate,),
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        verbosity=Verbosity.quiet,
    )
    try:
        run_state_machine_as_test(machine, settings=chosen)  # type: ignore[arg-type] # a factory will do
    except PromiseBroken:
        assert alarmed, "what breaks a clause was taken"
