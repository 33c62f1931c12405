"""Draws the cases of a shard with Hypothesis, has each judged, and shrinks the first that breaks a clause."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, Protocol

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from hypothesis.stateful import run_state_machine_as_test

from model.capabilities import EVERYTHING, Capabilities
from model.case import Case
from model.codec import case_id, dumps
from strategies.restricted import restricted_to, restricted_cases, knows_types
from suites.campaigns import Shard
from harness.judge import Judge, JudgedCase
from suites.machine import TableMachine
from suites.profiles import Profile
from harness.record import case_line
from harness.shrinking import reduce, truncated

# Hypothesis puts constants out of the source of all local modules into what it draws. Then an edit anywhere, or one module
# imported more, would change the cases of a seed: here they depend on the seed, the strategies and Hypothesis alone.
_NO_CONSTANTS = Constants()
providers._get_local_constants = lambda: _NO_CONSTANTS

#: Takes a line of the run stream.
Sink = Callable[[dict[str, Any]], None]


class Referee(Protocol):
    """Judges on the engine of the command line (runner.referee)."""

    def run(self, shard: Shard) -> None:
        """Draw and judge the cases of a shard. Raises PromiseBroken."""
        ...

    def replay(self) -> None:
        """Judge the case of ``--replay``."""
        ...


class PromiseBroken(Exception):
    """A case breaks a clause. There is one subclass for each clause, so that shrinking keeps to the clause it began with."""


_BROKEN: dict[str, type[PromiseBroken]] = {}


def broken(clause: str) -> type[PromiseBroken]:
    """The exception of one clause."""
    return _BROKEN.setdefault(clause, type(f"Broken_{clause.replace('-', '_')}", (PromiseBroken,), {}))


#: The rules that one run of the state machine tries, at most.
MACHINE_STEPS = 20

#: What Hypothesis does in a random profile. To explain a failing example means to vary the smallest one again, which takes
#: longer than to find it; it gives comments for Hypothesis's own message, which no report of ours shows.
SEARCH_PHASES = tuple(phase for phase in Phase if phase is not Phase.explain)

#: How many cases a fixed profile draws for one that it judges.
DRAWN_FOR_ONE = 6


def fixed_cases(shard: Shard, run: int, capabilities: Capabilities = EVERYTHING) -> list[Case]:
    """The cases of a shard in a fixed profile, each once: they depend on the seed ``run`` alone.

    Hypothesis varies what it has drawn before it draws anew, so the cases of one run are much alike, and it begins
    with the simplest case of all. Drawing costs milliseconds and judging seconds: draw many, take some, evenly spaced.
    They are what an engine with these ``capabilities`` can be asked for; there may be fewer, where it can do little.
    """
    if shard.campaign.kept is not None:
        known = [case for case in shard.campaign.kept() if knows_types(case, capabilities=capabilities)]
        return list(
            {case_id(case): case for case in (restricted_to(one, capabilities=capabilities) for one in known)}.values()
        )
    drawn = drawn_cases(shard, run, capabilities, examples=shard.cases * DRAWN_FOR_ONE)
    distinct = list({case_id(case): case for case in drawn}.values())
    spacing = len(distinct) / shard.cases
    places = [int(spacing * (place + 0.5)) for place in range(shard.cases)]
    return [distinct[place] for place in dict.fromkeys(places)] if distinct else []


def drawn_cases(shard: Shard, run: int, capabilities: Capabilities, *, examples: int) -> list[Case]:
    """What a shard draws by the seed ``run``, in order, the simplest case of all first; the same case may come again."""
    drawn: list[Case] = []

    @hypothesis.seed(shard.seed(run))
    @settings(
        max_examples=examples,
        database=None,
        phases=(Phase.generate,),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(restricted_cases(shard.campaign.cases(), capabilities=capabilities))
    def draw(case: Case) -> None:
        drawn.append(case)

    draw()
    return drawn


def search_settings(shard: Shard, database: Path) -> settings:
    """How Hypothesis runs a shard of a random profile. What failed is kept for the next run."""
    return settings(
        max_examples=shard.cases,
        database=DirectoryBasedExampleDatabase(database / shard.name),
        phases=SEARCH_PHASES,
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
        capabilities: Capabilities = EVERYTHING,
    ) -> None:
        self._shard = shard
        self._judge = judge
        self._sink = sink
        self._claim = claim
        self._capabilities = capabilities
        self._index = 0
        self._failing: dict[str, JudgedCase] = {}  # by the clause that it is shown for, the first case
        self._smallest: JudgedCase | None = None

    def run(self, *, profile: Profile, seed: int, database: Path) -> None:
        """Draw and judge, with the run's ``seed``. Raises PromiseBroken for the first case that breaks a clause.

        A fixed profile judges all its cases, and then makes failing ones smaller by ``harness.shrinking``; so it is with
        kept cases in every profile. In a random one Hypothesis stops at the first, shrinks it, and keeps it in its
        database.
        """
        if profile.fixed or self._shard.campaign.kept is not None:
            for case in fixed_cases(self._shard, seed, self._capabilities):
                self._draw(case, stop=False)
        else:
            self._search(seed, database)
        for clause, failing in self._failing.items():
            if self._claim(clause):
                self._reduce(clause, failing, profile.tries)
        for clause, failing in self._failing.items():
            self._fail(clause, failing)

    def _search(self, seed: int, database: Path) -> None:
        @hypothesis.seed(self._shard.seed(seed))
        @search_settings(self._shard, database)
        @given(restricted_cases(self._shard.campaign.cases(), capabilities=self._capabilities))
        def judged(case: Case) -> None:
            if self._failing:
                self._shrink(case)
            else:
                self._draw(case, stop=True)

        try:
            judged()
        finally:
            if self._smallest is not None:
                self._emit(self._smallest, "shrunk")

    def explore(self, judge: Judge, *, seed: int) -> None:
        """Run the focused state machine instead of drawing cases. Raises PromiseBroken, after Hypothesis shrank."""

        def broken(judged: JudgedCase) -> None:
            if self._failing:
                self._shrunk(judged)
            else:
                violated = judged.failed
                self._failing.setdefault(violated[0], judged)
                self._fail(violated[0], judged)

        def ended(judged: JudgedCase) -> None:
            if not self._failing or judged in self._failing.values():
                self._emit(judged, "generated")

        @hypothesis.seed(self._shard.seed(seed))
        def machine() -> TableMachine:
            return TableMachine(judge, broken, ended, self._capabilities)

        chosen = settings(
            max_examples=self._shard.cases,
            stateful_step_count=MACHINE_STEPS,
            database=None,  # what fails is in the report, as a case
            phases=SEARCH_PHASES,
            deadline=None,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
            verbosity=Verbosity.quiet,
        )
        try:
            run_state_machine_as_test(machine, settings=chosen)  # type: ignore[arg-type] # a factory will do
        finally:
            if self._smallest is not None:
                self._emit(self._smallest, "shrunk")

    def _draw(self, case: Case, *, stop: bool) -> None:
        judged = self._judge(case)
        self._emit(judged, "generated")
        violated = judged.failed
        if violated:
            self._failing.setdefault(violated[0], judged)
            if stop:
                self._fail(violated[0], judged)

    def _shrink(self, case: Case) -> None:
        self._shrunk(self._judge(case))

    def _shrunk(self, judged: JudgedCase) -> None:
        clause = next(iter(self._failing))
        if clause in judged.failed:
            if self._smallest is None or size(judged.case) <= size(self._smallest.case):
                self._smallest = judged
            self._fail(clause, judged)

    def _reduce(self, clause: str, failing: JudgedCase, tries: int) -> None:
        found: dict[Case, JudgedCase] = {}

        def fails(case: Case) -> bool:
            judged = self._judge(case)
            found[case] = judged
            return clause in judged.failed

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
            )
        )
        self._index += 1

    def _fail(self, clause: str, judged: JudgedCase) -> NoReturn:
        """Hypothesis takes what is raised in another line for another failure: all is raised here."""
        _, violation = judged.tallies[clause].violations[0]
        raise broken(clause)(f"{clause}: {violation.message} (case {case_id(judged.case)})")


def size(case: Case) -> tuple[int, int]:
    """What to compare cases by: steps, then the length of all the rest."""
    return len(case.steps), len(dumps(case))
