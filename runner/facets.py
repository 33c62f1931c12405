"""The facets of cases: the clauses that each exercises on the engines to be judged.

They are found on the reference engine, by the rules and capabilities of these engines, in milliseconds for a case. A facet is a
pair of an engine with its version and the id of a clause.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engines.provider import capabilities_of, rules_of
from harness.campaign import Shard
from harness.clause import NOT_EXERCISED, Clause, Judgement
from harness.conditions import CONDITIONS
from harness.drawing import fixed_cases
from harness.judge import Judge
from harness.observation import Observation
from model.capabilities import Capabilities
from model.case import Case
from runner.deviations import deviations_in
from selfcheck.reference_engine import ReferenceEngine
from suites.campaigns import CAMPAIGNS, REGRESSIONS
from suites.catalogue import CATALOGUE, unsupported

#: The known deviations of each engine, whatever ``--deviations`` names: both sides of an upgrade choose by the same.
DEVIATIONS = Path(__file__).resolve().parent.parent / "deviations"

Facet = tuple[str, str]


@dataclass(frozen=True)
class Subject:
    """What cases are chosen for. It can be pickled."""

    engines: tuple[
        tuple[str, str], ...
    ]  # the engine to judge, and the one that it shares its cases with, by name and version
    clauses: frozenset[str]  # selected by ``--clause``
    seed: int

    @property
    def capabilities(self) -> Capabilities:
        """What all of the engines support."""
        first, *others = (capabilities_of(engine, version) for engine, version in self.engines)
        for other in others:
            first = first.shared(other)
        return first


@dataclass(frozen=True)
class Measured:
    """A drawn case. ``sure`` are the facets that it has whatever time its steps take, before a step that is known to go wrong."""

    case: Case
    sure: frozenset[Facet]
    facets: frozenset[Facet]


def facets_due(subject: Subject) -> frozenset[Facet]:
    """The facets that cases can have: the clauses that are judged of each engine."""
    return frozenset((recorder.name, clause.id) for recorder in _recorders(subject) for clause in recorder.clauses)


def measured(subject: Subject, campaign: str, number: int, cases: int, directory: Path) -> list[Measured]:
    """The cases of a shard of a fixed profile, with their facets. Tables are made below ``directory``, which is removed.

    Raises RuntimeError if a case cannot be judged on the reference engine.
    """
    shard = Shard(next(found for found in (*CAMPAIGNS, REGRESSIONS) if found.name == campaign), number, cases)
    recorders = list(_recorders(subject))
    judges = [Judge(recorder.engine, [recorder.clause], directory / recorder.name) for recorder in recorders]
    found = []
    for case in fixed_cases(shard, subject.seed, subject.capabilities):
        for recorder, judge in zip(recorders, judges):
            recorder.reset()
            if (failure := judge.judge(case).failure) is not None:
                raise RuntimeError(
                    f"A case of {shard.name} cannot be judged on the reference engine: {failure.message}"
                )
        sure = frozenset[Facet]().union(*(recorder.sure for recorder in recorders))
        found.append(Measured(case, sure, sure.union(*(recorder.later for recorder in recorders))))
    shutil.rmtree(directory, ignore_errors=True)
    return found


def facets_of(cases: Sequence[Measured]) -> list[frozenset[Facet]]:
    """The facets of each case: those that it is sure to have, and of the others those that no case is sure to have."""
    sure = frozenset[Facet]().union(*(case.sure for case in cases))
    return [case.sure | (case.facets - sure) for case in cases]


def _recorders(subject: Subject) -> Iterator[_Recorder]:
    for engine, version in subject.engines:
        yield _Recorder(engine, version, subject.capabilities, subject.clauses)


class _Recorder:
    """Notes which clauses are exercised by the steps of a case, on the reference engine by the rules of an engine."""

    def __init__(self, engine: str, version: str, capabilities: Capabilities, selected: frozenset[str]) -> None:
        rules = rules_of(engine, version)
        healthy = ReferenceEngine(rules=rules, capabilities=capabilities, version=version)
        left_out = unsupported(healthy)
        self.name = f"{engine}=={version}"
        self.clauses: list[Clause[Any]] = [
            clause for id, clause in CATALOGUE.items() if id in selected and id not in left_out
        ]
        # With its clock set, what a step exercises does not depend on how long it takes: every run finds the same facets.
        timed = replace(rules, own_clock=True)
        self._own_clock = rules.own_clock
        self.engine = ReferenceEngine(rules=timed, capabilities=capabilities, version=version)
        self.clause: Clause[Any] = Clause("facets", "", (), Observation, self._note)
        self._known: dict[str, list[str]] = {}
        for deviation in deviations_in(DEVIATIONS / f"{engine}.toml"):
            if deviation.when is not None and deviation.holds_for(version):
                self._known.setdefault(deviation.clause, []).append(deviation.when)
        self.reset()

    def reset(self) -> None:
        """Begin a case."""
        self.sure: set[Facet] = set()
        self.later: set[Facet] = set()
        self._uncertain = False

    def _note(self, observation: Observation) -> Judgement:
        judged = (clause for clause in self.clauses if isinstance(observation, clause.of))
        exercised = [clause.id for clause in judged if clause.judge(observation).subjects]
        conditions = (CONDITIONS[when] for id in exercised for when in self._known.get(id, ()))
        # A violation ends the case, unless its clause is known to be violated everywhere.
        self._uncertain = self._uncertain or any(holds(observation) for holds in conditions)
        # After a change of the clock, times lie at the cutoff, on either side of it for an engine that reads the real clock.
        at_cutoff = not self._own_clock and observation.clock != observation.start
        (self.later if self._uncertain or at_cutoff else self.sure).update((self.name, id) for id in exercised)
        return NOT_EXERCISED
