"""Random cases of the nightly profile by seed; without an example database, so that a seed always draws the same cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis.stateful import run_state_machine_as_test

from harness.drawing import MACHINE_STEPS, PromiseBroken, drawn_cases
from harness.judge import Judge, JudgedCase
from model.capabilities import Capabilities
from model.case import Case
from model.codec import case_id
from suites.campaigns import Shard, shards
from suites.profiles import PROFILES, Profile
from suites.test_programs import TableMachine

#: Cases of a shard. A run that is interrupted loses its unfinished shards.
SHARD = 25


def random_shards(profile: Profile = PROFILES["nightly"]) -> list[Shard]:
    """The shards of one seed, without regressions, which do not depend on it.

    In turn one of each campaign, so that a short run judges some of each.
    """
    found = [shard for shard in shards(replace(profile, shard=SHARD), ()) if shard.campaign.kept is None]
    return sorted(found, key=lambda shard: (shard.number, shard.campaign.name))


def random_cases(shard: Shard, seed: int, capabilities: Capabilities) -> list[Case]:
    """The distinct cases that a shard draws with this seed for an engine's capabilities: at most ``shard.cases``."""
    drawn = drawn_cases(shard, seed, capabilities, examples=shard.cases + 1)
    # Hypothesis always starts with the simplest case, and varies each case before it draws another.
    return list({case_id(case): case for case in drawn[1:]}.values())


def explore(
    shard: Shard, seed: int, judge: Judge, capabilities: Capabilities, add: Callable[[JudgedCase], None]
) -> None:
    """Run the state machine, which judges its cases as it draws them, and pass each to ``add``.

    The first failure ends the shard. It is not shrunk: that would take minutes.
    """
    failed = False

    def broken(judged: JudgedCase) -> None:
        raise PromiseBroken(", ".join(judged.failed))

    def ended(judged: JudgedCase) -> None:
        nonlocal failed
        if not failed:  # Hypothesis runs a failing case once more
            add(judged)
        failed = failed or bool(judged.failed)

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
        run_state_machine_as_test(machine, settings=chosen)  # type: ignore[arg-type] # a factory works too
    except PromiseBroken:
        assert failed, "the case that broke a clause was added"
