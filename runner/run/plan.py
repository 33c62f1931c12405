"""Which cases a run judges: by the profile, the budget, the selected clauses, and what the engine supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.kind import Limits
from engines.provider import installed_version, kind_of, limits_in
from harness.campaigns.campaign import Batch, Profile
from harness.campaigns.costs import DRAWN_SECONDS, WORKERS
from harness.campaigns.division import digest_of, divided, milliseconds_of
from model.vocabulary.capabilities import Capabilities
from records.run import Part
from runner.command_line.options import Options
from runner.run.ranking import nearest_first
from suites.campaigns import batches, corpus_seconds, left_out, regression_seconds
from suites.profiles import on


@dataclass(frozen=True)
class RunPlan:
    """The test items of a run, or of the part of it that is judged here.

    ``profile`` is the one of the command line, scaled to a budget that is a time.
    """

    profile: Profile
    batches: tuple[Batch, ...]
    left_out: int = 0  # cases of the corpus that the budget leaves out
    part: Part | None = None

    @property
    def is_empty_part(self) -> bool:
        """Whether the run has fewer test items than parts, and this part has none."""
        return self.part is not None and not self.batches


def plan_of(options: Options) -> RunPlan:
    """The plan of a run: it depends on the command line and the engines' versions alone, so both sides of an upgrade have one,
    and so have the machines that judge its parts.

    Raises EngineUnavailable.
    """
    capabilities = _capabilities(options)
    profile = on(options.profile, *_engines(options))
    if options.seconds is not None:
        profile = profile.scaled(_factor(profile, options, capabilities))
    about = profile, options.clauses, capabilities
    order = None if options.like is None else nearest_first(options.like)
    items = tuple(batches(*about, order=order))
    others = left_out(*about, order=order)
    if options.shard is None:
        return RunPlan(profile, items, others)
    number, of = options.shard
    parts = divided(items, of)
    return RunPlan(profile, parts[number - 1], others, Part(number, of, digest_of(parts)))


def seconds_of(plan: RunPlan, engine: str) -> float:
    """The engine's time for a plan on two cores, without its start, by ``harness.campaigns.costs``."""
    return sum(map(milliseconds_of, plan.batches)) / 1000 / WORKERS / kind_of(engine).costs.speed


def limits_of(options: Options) -> Sequence[Limits]:
    """What the engine does not support with its options, and in the storage of the tables."""
    return limits_in(options.engine, options.storage, options.given)


def _capabilities(options: Options) -> Capabilities:
    """What the engine, its place and the engine with which it shares its cases support."""
    supported = kind_of(options.engine).capabilities_of(installed_version(options.engine))
    for limits in limits_of(options):
        supported = supported.shared(limits.capabilities)
    if options.shared_with is None:
        return supported
    engine, version = options.shared_with
    return supported.shared(kind_of(engine).capabilities_of(version))


def _engines(options: Options) -> list[str]:
    """The engine, and the one with which it shares its cases."""
    return [options.engine, *([options.shared_with[0]] if options.shared_with else [])]


def _factor(profile: Profile, options: Options, capabilities: Capabilities) -> float:
    """How often the optional cases fit into the budget, by ``harness.campaigns.costs``, on the slowest engine: the corpus of a
    fixed profile, else the drawn cases. All else takes its time of the budget, even if it is longer.
    """
    assert options.seconds is not None
    costs = [kind_of(engine).costs for engine in _engines(options)]
    of_drawn = DRAWN_SECONDS * sum(profile.cases.values())
    always = regression_seconds(profile, capabilities)
    if profile.fixed:
        scaled = corpus_seconds(profile, options.clauses, capabilities)
        always += of_drawn
    else:
        scaled = of_drawn
    pace = WORKERS * min(one.speed for one in costs)
    left = options.seconds - max(one.start for one in costs) - always / pace
    return max(left, 1.0) * pace / scaled
