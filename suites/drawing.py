"""Draws the cases of a shard with Hypothesis, has each judged, and shrinks the first that breaks a clause."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from model.case import Case
from model.codec import case_id, dumps
from suites.campaigns import Shard
from suites.judge import JudgedCase
from suites.profiles import Profile
from suites.record import case_line
from suites.reduction import reduce, truncated

#: Takes a line of the run stream.
Sink = Callable[[dict[str, Any]], None]


class PromiseBroken(Exception):
    """A case breaks a clause. There is one subclass for each clause, so that shrinking keeps to the clause it began with."""


_BROKEN: dict[str, type[PromiseBroken]] = {}


def broken(clause: str) -> type[PromiseBroken]:
    """The exception of one clause."""
    return _BROKEN.setdefault(clause, type(f"Broken_{clause.replace('-', '_')}", (PromiseBroken,), {}))


def run_settings(profile: Profile, shard: Shard, *, cases: int, database: Path) -> settings:
    """How Hypothesis runs a shard. A fixed profile only draws, and keeps no database: its cases depend on the seed alone."""
    return settings(
        max_examples=cases,
        database=None if profile.fixed else DirectoryBasedExampleDatabase(database / shard.name),
        phases=(Phase.generate,) if profile.fixed else tuple(Phase),
        deadline=None,  # an engine's first step takes seconds, the later ones do not
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        verbosity=Verbosity.quiet,
    )


class Drawing:
    """One shard's run. ``claim`` says whether nobody in the run has made a case smaller for a clause yet."""

    def __init__(
        self,
        shard: Shard,
        judge: Callable[[Case], JudgedCase],
        sink: Sink,
        claim: Callable[[str], bool],
        listed: Collection[str],
    ) -> None:
        self._shard = shard
        self._judge = judge
        self._sink = sink
        self._claim = claim
        self._listed = listed
        self._index = 0
        self._failing: dict[str, JudgedCase] = {}  # by the clause that it is shown for, the first case
        self._smallest: JudgedCase | None = None

    def run(self, *, profile: Profile, seed: int, database: Path) -> None:
        """Draw and judge. Raises PromiseBroken for the first case that breaks a clause.

        A fixed profile judges all its cases, and then makes failing ones smaller by ``suites.reduction``; in a random
        one, Hypothesis shrinks the first failing case, and keeps it in its database. Hypothesis begins each shard with
        the same, simplest case: in a fixed profile only the first shard judges it.
        """
        skip = profile.fixed and self._shard.number > 0

        @hypothesis.seed(seed)
        @run_settings(profile, self._shard, cases=self._shard.cases + skip, database=database)
        @given(self._shard.campaign.cases())
        def judged(case: Case) -> None:
            nonlocal skip
            if skip:
                skip = False
            elif not self._failing or profile.fixed:
                self._draw(case, stop=not profile.fixed)
            else:
                self._shrink(case)

        try:
            judged()
        finally:
            if self._smallest is not None:
                self._emit(self._smallest, "shrunk")
        for clause, failing in self._failing.items():
            if self._claim(clause):
                self._reduce(clause, failing, profile.tries)
        for clause, failing in self._failing.items():
            raise self._exception(clause, failing)

    def _draw(self, case: Case, *, stop: bool) -> None:
        judged = self._judge(case)
        self._emit(judged, "generated")
        violated = self._violated(judged)
        if violated:
            self._failing.setdefault(violated[0], judged)
            if stop:
                raise self._exception(violated[0], judged)

    def _shrink(self, case: Case) -> None:
        judged, clause = self._judge(case), next(iter(self._failing))
        if clause in self._violated(judged):
            if self._smallest is None or size(judged.case) <= size(self._smallest.case):
                self._smallest = judged
            raise self._exception(clause, judged)

    def _reduce(self, clause: str, failing: JudgedCase, tries: int) -> None:
        found: dict[Case, JudgedCase] = {}

        def fails(case: Case) -> bool:
            judged = self._judge(case)
            found[case] = judged
            return clause in self._violated(judged)

        last = max(step["index"] for step in failing.steps)
        start = truncated(failing.case, last)
        smallest = reduce(start, fails, tries=tries)
        if smallest in found or (smallest != failing.case and fails(smallest)):
            self._emit(found[smallest], "shrunk")

    def _emit(self, judged: JudgedCase, origin: str) -> None:
        self._sink(
            case_line(
                judged,
                campaign=self._shard.campaign.name,
                shard=self._shard.number,
                index=self._index,
                origin=origin,
                listed=self._listed,
            )
        )
        self._index += 1

    def _violated(self, judged: JudgedCase) -> list[str]:
        return [id for id in judged.violated if id not in self._listed]

    def _exception(self, clause: str, judged: JudgedCase) -> PromiseBroken:
        _, violation = judged.tallies[clause].violations[0]
        return broken(clause)(f"{clause}: {violation.message} (case {case_id(judged.case)})")


def size(case: Case) -> tuple[int, int]:
    """What to compare cases by: steps, then the length of all the rest."""
    return len(case.steps), len(dumps(case))
