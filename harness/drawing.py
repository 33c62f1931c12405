"""The cases of a shard: drawn by Hypothesis from its seed alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from harness.campaign import Shard
from model.capabilities import EVERYTHING, Capabilities
from model.case import Case
from model.codec import case_id
from strategies.restricted import knows_types, restricted_cases, restricted_to

# Hypothesis mixes constants from the source of all local modules into what it draws. Then an edit anywhere, or one more
# import, would change the cases of a seed: here they depend on the seed, the strategies and Hypothesis alone.
_NO_CONSTANTS = Constants()
providers._get_local_constants = lambda: _NO_CONSTANTS


class PromiseBroken(Exception):
    """A case breaks a clause. Each clause has a subclass, so that Hypothesis shrinks without changing to another clause."""


@cache
def broken(clause: str) -> type[PromiseBroken]:
    """The exception of one clause."""
    return type(f"Broken_{clause.replace('-', '_')}", (PromiseBroken,), {})


#: The rules that one run of the state machine tries, at most.
MACHINE_STEPS = 20

#: What Hypothesis does in a random profile. The explain phase varies the smallest failing example again, which takes longer
#: than finding it, and only adds comments to Hypothesis's own message, which no report shows.
SEARCH_PHASES = tuple(phase for phase in Phase if phase is not Phase.explain)

#: How many cases a fixed profile draws for one that it judges.
DRAWN_FOR_ONE = 6

_QUIET = settings(
    database=None,
    deadline=None,  # an engine's first step takes seconds, the later ones do not
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
    verbosity=Verbosity.quiet,
)


def fixed_cases(shard: Shard, run: int, capabilities: Capabilities = EVERYTHING) -> list[Case]:
    """The cases of a shard in a fixed profile, each once: they depend on the seed ``run`` alone.

    Hypothesis varies what it has drawn before it draws anew, so the cases of one run are much alike, and it begins
    with the simplest case of all. Drawing costs milliseconds and judging seconds: draw many, take some, evenly spaced.
    They are restricted to what an engine with these ``capabilities`` supports; if that is little, there may be fewer.
    """
    if shard.campaign.kept is not None:
        known = [case for case in shard.campaign.kept() if knows_types(case, capabilities=capabilities)]
        return _distinct([restricted_to(case, capabilities=capabilities) for case in known])
    distinct = _distinct(drawn_cases(shard, run, capabilities, examples=shard.cases * DRAWN_FOR_ONE))
    spacing = len(distinct) / shard.cases
    places = [int(spacing * (place + 0.5)) for place in range(shard.cases)]
    return [distinct[place] for place in dict.fromkeys(places)] if distinct else []


def _distinct(cases: list[Case]) -> list[Case]:
    return list({case_id(case): case for case in cases}.values())


def drawn_cases(shard: Shard, run: int, capabilities: Capabilities, *, examples: int) -> list[Case]:
    """What a shard draws by the seed ``run``, in order, the simplest case of all first; the same case may come again."""
    drawn: list[Case] = []

    @hypothesis.seed(shard.seed(run))
    @settings(_QUIET, max_examples=examples, phases=(Phase.generate,))
    @given(restricted_cases(shard.campaign.cases, capabilities=capabilities))
    def draw(case: Case) -> None:
        drawn.append(case)

    draw()
    return drawn


def search_settings(shard: Shard, database: Path) -> settings:
    """How Hypothesis runs a shard of a random profile. What failed is kept for the next run."""
    examples = DirectoryBasedExampleDatabase(database / shard.name)
    return settings(_QUIET, max_examples=shard.cases, phases=SEARCH_PHASES, database=examples)


def machine_settings(shard: Shard) -> settings:
    """How Hypothesis runs the state machine. It keeps no examples: what fails is in the report, as a case."""
    return settings(_QUIET, max_examples=shard.cases, phases=SEARCH_PHASES, stateful_step_count=MACHINE_STEPS)
