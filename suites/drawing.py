"""Draws the cases of a shard with Hypothesis, has each judged, and shrinks the first that breaks a clause."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from model.case import Case
from suites.campaigns import Shard
from suites.judge import JudgedCase
from suites.profiles import Profile
from suites.record import case_line

#: Takes a line of the run stream.
Sink = Callable[[dict[str, Any]], None]


class PromiseBroken(Exception):
    """A case breaks a clause. There is one subclass for each clause, so that shrinking keeps to the clause it began with."""


_BROKEN: dict[str, type[PromiseBroken]] = {}


def broken(clause: str) -> type[PromiseBroken]:
    """The exception of one clause."""
    return _BROKEN.setdefault(clause, type(f"Broken_{clause.replace('-', '_')}", (PromiseBroken,), {}))


def run_settings(profile: Profile, shard: Shard, *, cases: int, database: Path) -> settings:
    """How Hypothesis runs a shard. A fixed profile keeps no database: what it draws depends on the seed alone."""
    shrinking = (Phase.generate, Phase.shrink) if profile.fixed else tuple(Phase)
    return settings(
        max_examples=cases,
        database=None if profile.fixed else DirectoryBasedExampleDatabase(database / shard.name),
        phases=shrinking,
        deadline=None,  # an engine's first step takes seconds, the later ones do not
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )


class Drawing:
    """The state of one shard's run."""

    def __init__(self, shard: Shard, judge: Callable[[Case], JudgedCase], sink: Sink, listed: Collection[str]) -> None:
        self._shard = shard
        self._judge = judge
        self._sink = sink
        self._listed = listed
        self._index = 0
        self._first: dict[str, Any] | None = None  # the first failing case's line
        self._clause = ""
        self._smallest: dict[str, Any] | None = None

    def run(self, *, profile: Profile, seed: int, database: Path) -> None:
        """Draw and judge. Raises PromiseBroken for the first case that breaks an unlisted clause, shrunk.

        Hypothesis begins each shard with the same, simplest case. In a fixed profile only the first shard judges it.
        """
        skip = profile.fixed and self._shard.number > 0
        cases = self._shard.cases + skip

        @hypothesis.seed(seed)
        @run_settings(profile, self._shard, cases=cases, database=database)
        @given(self._shard.campaign.cases())
        def judged(case: Case) -> None:
            nonlocal skip
            if skip:
                skip = False
                return
            self._take(case)

        try:
            judged()
        finally:
            if self._first and self._smallest and self._smallest["id"] != self._first["id"]:
                self._sink({**self._smallest, "index": self._index})

    def _take(self, case: Case) -> None:
        judged = self._judge(case)
        origin = "shrunk" if self._first else "generated"
        line = case_line(
            judged,
            campaign=self._shard.campaign.name,
            shard=self._shard.number,
            index=self._index,
            origin=origin,
            listed=self._listed,
        )
        violated = [id for id in judged.violated if id not in self._listed]
        if origin == "generated":
            self._index += 1
            self._sink(line)
            if violated:
                self._first, self._clause = line, violated[0]
        elif self._clause in violated and (self._smallest is None or _size(line) < _size(self._smallest)):
            self._smallest = line
        if violated:
            clause = self._clause if self._clause in violated else violated[0]
            message = next(violation["message"] for violation in line["violations"] if violation["clause"] == clause)
            raise broken(clause)(f"{clause}: {message} (case {line['id']})")


def _size(line: dict[str, Any]) -> tuple[int, int]:
    return len(line["case"]["steps"]), len(str(line["case"]))
