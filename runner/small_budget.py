"""``--budget`` below 1 with a fixed profile: a part of the profile's cases that still exercises each clause.

The cases are those that the profile draws. Which of them are chosen depends on the seed, the selected clauses and the engines
with their versions alone; with ``--shared-with`` both engines choose the same.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from engines.provider import installed_version, known_version
from harness.choice import choose
from model.case import Case
from runner.facets import Facet, Measured, Subject, facets_due, facets_of, measured
from runner.options import Options
from suites.campaigns import Shard, shards
from suites.catalogue import CATALOGUE

#: The most processes that draw.
MOST_PROCESSES = 4


@dataclass(frozen=True)
class SmallBudget:
    """The chosen cases. ``plan`` has the shards that have any, with the number chosen; ``cases`` is by the shard's name."""

    plan: tuple[Shard, ...]
    cases: Mapping[str, tuple[Case, ...]]
    note: str  # for the user, where the budget is exceeded; else empty


def small_budget(options: Options, *, seed: int, directory: Path) -> SmallBudget:
    """Choose the cases of a run. Tables are made below ``directory``. Raises EngineUnavailable."""
    subject = Subject(_engines(options), frozenset(id for id in CATALOGUE if options.selects(id)), seed)
    planned = shards(options.profile, options.clauses)
    drawn = [shard for shard in planned if shard.campaign.kept is None]
    wanted = max(1, round(options.profile.part * sum(shard.cases for shard in drawn)))
    pool = _pool(subject, planned, wanted, directory)
    choice = choose(facets_of([case for _, case in pool]), wanted)
    cases: dict[str, list[Case]] = {}
    for place in choice.places:
        shard, case = pool[place]
        cases.setdefault(shard.name, []).append(case.case)
    plan = [replace(shard, cases=len(cases[shard.name])) for shard in drawn if shard.name in cases]
    kept = [shard for shard in planned if shard.campaign.kept is not None]
    note = ""
    if choice.needed > wanted:
        note = f"The budget is {wanted} drawn cases; {choice.needed} are judged, since each clause needs one that exercises it."
    return SmallBudget((*kept, *plan), {name: tuple(found) for name, found in cases.items()}, note)


def _engines(options: Options) -> tuple[tuple[str, str], ...]:
    """The engines that the cases are for, in an order that does not depend on which of them is judged."""
    engines = {(options.engine, installed_version(options.engine))}
    if options.shared_with is not None:
        engine, version = options.shared_with
        engines.add((engine, known_version(engine, version)))
    return tuple(sorted(engines))


def _pool(subject: Subject, planned: Sequence[Shard], wanted: int, directory: Path) -> list[tuple[Shard, Measured]]:
    """The cases to choose from: one shard of each campaign after another, until there are enough and every clause is met.

    A clause may be met by the cases that every run judges, which are not among those to choose from. Drawing a case takes longer
    than judging it on the reference engine, and a large profile has many more than are needed.
    """
    pool: list[tuple[Shard, Measured]] = []
    due = facets_due(subject)
    met: set[Facet] = set()
    ordered = sorted(planned, key=lambda shard: (shard.number, shard.campaign.name))
    with _mapped() as map_:
        for _, found in groupby(ordered, key=lambda shard: shard.number):
            some = list(found)
            measures = map_(
                measured,
                [subject] * len(some),
                [shard.campaign.name for shard in some],
                [shard.number for shard in some],
                [shard.cases for shard in some],
                [directory / shard.name for shard in some],
            )
            for shard, cases in zip(some, measures):
                if shard.campaign.kept is not None:
                    met.update(*(case.sure for case in cases))
                else:
                    met.update(*(case.facets for case in cases))
                    pool += [(shard, case) for case in cases]
            if len(pool) >= wanted and due <= met:
                break
    return pool


class _Map(Protocol):
    def __call__(self, function: Any, /, *arguments: Any) -> Iterator[Any]: ...


@contextmanager
def _mapped() -> Iterator[_Map]:
    """``map``, by several processes if there are several processors."""
    processes = min(os.cpu_count() or 1, MOST_PROCESSES)
    if processes == 1:
        yield map
        return
    pool = ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
