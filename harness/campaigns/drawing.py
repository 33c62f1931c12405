"""The cases of a batch: drawn by Hypothesis from its seed alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from hypothesis.stateful import run_state_machine_as_test

from harness.campaigns.campaign import Batch, Campaign
from harness.campaigns.machine import Collecting, ProgramMachine
from model.codec import case_id
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from strategies.restriction.capabilities import can_be_judged, restricted_cases, restricted_to, speaks

# Hypothesis draws constants from the source of all local modules too, so that any edit or import would change the cases of
# a seed. Without them they depend on the seed, the strategies and Hypothesis alone.
_NO_CONSTANTS = Constants()
providers._get_local_constants = lambda: _NO_CONSTANTS


class PromiseBroken(Exception):
    """A case breaks a clause. Each clause has a subclass, so that Hypothesis shrinks without changing to another clause."""


@cache
def broken(clause: str) -> type[PromiseBroken]:
    """The exception of one clause."""
    return type(f"Broken_{clause.replace('-', '_')}", (PromiseBroken,), {})


#: The maximal number of rules in a run of the state machine.
MACHINE_STEPS = 20

#: The phases of Hypothesis in a random profile. The explain phase takes longer than finding the smallest failing example, and
#: only adds comments to Hypothesis's message, which no report shows.
SEARCH_PHASES = tuple(phase for phase in Phase if phase is not Phase.explain)

#: The cases that a fixed profile draws for each that it judges.
DRAWN_FOR_ONE = 6

_QUIET = settings(
    database=None,
    deadline=None,  # an engine's first step takes seconds, the later ones do not
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
    verbosity=Verbosity.quiet,
)


#: Makes one case out of several that were drawn, for a place in the order of a run; None: none of them will do.
Choice = Callable[[Sequence[Case], int], "Case | None"]


def fixed_cases(
    batch: Batch, run: int, capabilities: Capabilities = EVERYTHING, choice: Choice | None = None
) -> list[Case]:
    """The distinct cases of a batch in a fixed profile: they depend on the seed ``run`` alone.

    Hypothesis starts with the simplest case and often varies earlier draws, so successive cases are similar. Drawing costs
    milliseconds and judging seconds: draw many, take some, evenly spaced; or what the ``choice`` makes of those between. The
    cases are restricted to what an engine with these ``capabilities`` supports; there may be fewer.
    """
    if batch.campaign.kept is not None:
        return kept_cases(batch.campaign, capabilities)
    distinct = _distinct(drawn_cases(batch, run, capabilities, examples=batch.cases * DRAWN_FOR_ONE))
    spacing = len(distinct) / batch.cases
    if choice is not None:
        first = batch.seed(run)
        slots = [distinct[int(spacing * place) : int(spacing * (place + 1))] for place in range(batch.cases)]
        made = (choice(slot, first + place) for place, slot in enumerate(slots))
        return _distinct([one for one in made if one is not None])
    places = [int(spacing * (place + 0.5)) for place in range(batch.cases)]
    return [distinct[place] for place in dict.fromkeys(places)] if distinct else []


def kept_cases(campaign: Campaign, capabilities: Capabilities = EVERYTHING) -> list[Case]:
    """The cases that a campaign keeps, restricted to what an engine with these ``capabilities`` supports; there may be fewer."""
    assert campaign.kept is not None
    known = (
        case
        for case in campaign.kept()
        if can_be_judged(case, capabilities=capabilities) and speaks(case, capabilities=capabilities)
    )
    return _distinct([restricted_to(case, capabilities=capabilities) for case in known])


def _distinct(cases: list[Case]) -> list[Case]:
    return list({case_id(case): case for case in cases}.values())


def drawn_cases(batch: Batch, run: int, capabilities: Capabilities, *, examples: int) -> list[Case]:
    """The cases that a batch draws with the seed ``run``, in order, the simplest first, with duplicates."""
    if batch.campaign.machine is not None:
        return _explored_cases(batch.campaign.machine, batch.seed(run), capabilities, examples=examples)
    drawn: list[Case] = []

    @hypothesis.seed(batch.seed(run))
    @settings(_QUIET, max_examples=examples, phases=(Phase.generate,))
    @given(restricted_cases(batch.campaign.cases, capabilities=capabilities))
    def draw(case: Case) -> None:
        drawn.append(case)

    draw()
    return drawn


def _explored_cases(
    machine: type[ProgramMachine], seed: int, capabilities: Capabilities, *, examples: int
) -> list[Case]:
    """The cases of so many runs of a state machine, drawn without an engine."""
    collecting = Collecting()

    @hypothesis.seed(seed)
    def make() -> ProgramMachine:
        return machine(collecting, capabilities)

    chosen = settings(_QUIET, max_examples=examples, phases=(Phase.generate,), stateful_step_count=MACHINE_STEPS)
    run_state_machine_as_test(make, settings=chosen)  # type: ignore[arg-type] # a factory will do
    return [restricted_to(case, capabilities=capabilities) for case in collecting.cases if case.steps]


def search_settings(batch: Batch, database: Path) -> settings:
    """The settings of a batch of a random profile. Failing examples are stored for the next run."""
    return settings(
        _QUIET,
        max_examples=batch.cases,
        phases=SEARCH_PHASES,
        stateful_step_count=MACHINE_STEPS,
        database=DirectoryBasedExampleDatabase(database / batch.name),
    )
