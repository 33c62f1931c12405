"""Judges observed steps by every clause that applies, and adds up the results by clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from harness import evidence
from harness.clause import Clause, Judgement, Violation
from harness.conditions import CONDITIONS, Excuses
from harness.observation import Observation


def circumstances_of(observation: Observation) -> frozenset[str]:
    """The conditions that hold in a step, by the names that a known deviation may be bound to."""
    return frozenset(name for name, holds in CONDITIONS.items() if holds(observation))


@dataclass
class Tally:
    """The results of one clause in a case."""

    met: int = 0  # steps that exercised it
    subjects: int = 0
    seconds: float = 0.0  # of the engine, in those steps
    violations: list[tuple[int, Violation]] = field(default_factory=list)  # with the step's index

    @property
    def unexcused(self) -> list[tuple[int, Violation]]:
        """The violations that are not known deviations."""
        return [(step, violation) for step, violation in self.violations if violation.excused is None]

    def add(
        self,
        observation: Observation,
        judgement: Judgement,
        *,
        excused: str | None = None,
        circumstances: frozenset[str] = frozenset(),
    ) -> None:
        """Add a step's judgement. ``excused``: the reason of the known deviation that its violations are."""
        self.met += judgement.subjects > 0
        self.subjects += judgement.subjects
        self.seconds += observation.outcome.seconds if judgement.subjects else 0.0
        for violation in judgement.violations:
            index = observation.index if violation.step is None else violation.step
            facts = violation.evidence or evidence.of_actions(observation, violation.subject)
            made = replace(violation, evidence=facts, excused=excused, circumstances=circumstances)
            self.violations.append((index, made))


class StepJudge:
    """Judges the steps of one case. ``tallies`` has the exercised clauses by id."""

    def __init__(self, clauses: Sequence[Clause[Any]], excuses: Excuses) -> None:
        self._clauses = clauses
        self._excuses = excuses
        self.tallies: dict[str, Tally] = {}

    def judge(self, observation: Observation) -> bool:
        """Judge a step; True ends the case: a clause is broken.

        A clause that is known to be broken without a condition does not end it, or nothing else would ever be judged.
        """
        ends = False
        circumstances: frozenset[str] | None = None
        for clause in self._clauses:
            if not isinstance(observation, clause.of) or (observation.after.broken and not clause.of_broken):
                continue
            judgement = clause.judge(observation)
            if judgement.subjects or judgement.violations:
                excused = self._excuses.excuse(clause.id, observation) if judgement.violations else None
                if judgement.violations and circumstances is None:
                    circumstances = circumstances_of(observation)
                tally = self.tallies.setdefault(clause.id, Tally())
                tally.add(observation, judgement, excused=excused, circumstances=circumstances or frozenset())
            ends = ends or bool(judgement.violations and not self._excuses.everywhere(clause.id))
        return ends
