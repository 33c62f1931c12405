"""Judges observed steps by every clause that applies, and adds up the results by clause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from harness.judging.clause import Clause, Judgement, Violation
from harness.judging.conditions import CONDITIONS
from harness.judging.excuses import Excuses, KnownDeviation
from harness.judging.subjects import kinds_of
from harness.observing import evidence
from harness.observing.observation import Observation


def circumstances_of(observation: Observation) -> frozenset[str]:
    """The conditions that hold in a step, by the names that a known deviation may be bound to."""
    return frozenset(name for name, holds in CONDITIONS.items() if holds(observation))


#: The most violations of a clause in a step that are kept of those with the same cause: a table may have a thousand files.
MOST_ALIKE = 20


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
        excused: Sequence[KnownDeviation | None],
        circumstances: frozenset[str] = frozenset(),
    ) -> None:
        """Add a step's judgement. ``excused`` has for each of its violations the known deviation that it is, or None."""
        self.met += judgement.subjects > 0
        self.subjects += judgement.subjects
        self.seconds += observation.outcome.seconds if judgement.subjects else 0.0
        alike: Counter[tuple[str, str | None]] = Counter()
        first: dict[tuple[str, str | None], int] = {}  # the places of the first of each
        for violation, known in zip(judgement.violations, excused, strict=True):
            index = observation.index if violation.step is None else violation.step
            reason = known.reason if known else None
            alike[violation.kind, reason] += 1
            if alike[violation.kind, reason] > MOST_ALIKE:
                continue
            first.setdefault((violation.kind, reason), len(self.violations))
            facts = violation.evidence or evidence.of_actions(observation, violation.subject)
            kinds = kinds_of(observation, violation.subject)
            made = replace(violation, evidence=facts, excused=reason, circumstances=circumstances, kinds=kinds)
            self.violations.append((index, made))
        for kind, place in first.items():
            if alike[kind] > MOST_ALIKE:
                index, kept = self.violations[place]
                more = f"{alike[kind] - 1:,} more break the clause in the same way; {MOST_ALIKE - 1} of them are listed"
                self.violations[place] = index, replace(kept, evidence=(*kept.evidence, more))


class StepJudge:
    """Judges the steps of one case. ``tallies`` has the exercised clauses by id, but those that are not recorded."""

    def __init__(self, clauses: Sequence[Clause[Any]], excuses: Excuses) -> None:
        self._clauses = clauses
        self._excuses = excuses
        self.tallies: dict[str, Tally] = {}

    def judge(self, observation: Observation) -> bool:
        """Judge a step; True ends the case: a clause is broken.

        A violation that is a known deviation under any conditions does not end it, or nothing else would ever be judged. Any
        other does, also of a clause that is not recorded: what the table should be after it is not known.
        """
        ends = False
        circumstances: frozenset[str] = frozenset()
        for clause in self._clauses:
            if not isinstance(observation, clause.of) or (observation.after.broken and not clause.of_broken):
                continue
            judgement = clause.judge(observation)
            if not judgement.subjects and not judgement.violations:
                continue
            if judgement.violations and not circumstances:
                circumstances = circumstances_of(observation)
            excused = [self._excuses.excuse(clause.id, observation, one) for one in judgement.violations]
            if clause.recorded:
                tally = self.tallies.setdefault(clause.id, Tally())
                tally.add(observation, judgement, excused=excused, circumstances=circumstances)
            ends = ends or any(known is None or known.when is not None for known in excused)
        return ends
