"""Judges observed steps by every clause that applies, and adds up the results by clause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from engines.port import EngineDied
from harness.judging.clause import NOT_EXERCISED, Clause, Judgement, Violation
from harness.judging.excusing.conditions import Circumstances
from harness.judging.failure import Raised, raised
from harness.judging.side import Side
from harness.observing import evidence
from harness.observing.steps.observation import Observation
from harness.observing.table.not_read import NotRead
from records import run
from records.known_fault import KnownFault

#: The most violations of a clause in a step that are kept of those with the same cause: a table may have a thousand files.
MOST_ALIKE = 20


@dataclass
class Tally:
    """The results of one clause in a case."""

    met: int = 0  # steps that exercised it
    subjects: int = 0
    seconds: float = 0.0  # of the engine, in those steps
    violations: list[run.RecordedViolation] = field(default_factory=list)
    counts: Counter[tuple[str, str | None]] = field(default_factory=Counter)  # of all, by cause and known fault

    @property
    def unexcused(self) -> list[run.RecordedViolation]:
        """The violations that are not known faults."""
        return [violation for violation in self.violations if violation.excused is None]

    def add(
        self,
        observation: Observation,
        judgement: Judgement,
        *,
        excused: Sequence[KnownFault | None],
        recorded: Callable[[Violation, str | None], run.RecordedViolation],
    ) -> None:
        """Add a step's judgement. ``excused`` has for each of its violations the known fault that it is, or None.

        ``recorded`` makes the record of a violation that is kept, given the reason of its known fault.
        """
        self.met += judgement.subjects > 0
        self.subjects += judgement.subjects
        self.seconds += observation.outcome.seconds if judgement.subjects else 0.0
        alike: Counter[tuple[str, str | None]] = Counter()
        first: dict[tuple[str, str | None], int] = {}  # the places of the first of each
        for violation, known in zip(judgement.violations, excused, strict=True):
            reason = known.reason if known else None
            alike[violation.kind, reason] += 1
            if alike[violation.kind, reason] > MOST_ALIKE:
                continue
            first.setdefault((violation.kind, reason), len(self.violations))
            self.violations.append(recorded(violation, reason))
        self.counts += alike
        for kind, place in first.items():
            if alike[kind] > MOST_ALIKE:
                kept = self.violations[place]
                more = f"{alike[kind] - 1:,} more break the clause in the same way; {MOST_ALIKE - 1} of them are listed"
                self.violations[place] = replace(kept, evidence=(*kept.evidence, more))


T = TypeVar("T")

_NO_NAMES: frozenset[str] = frozenset()


class StepJudge:
    """Judges the steps of one case. ``tallies`` has the exercised clauses by id, but those that are not recorded.

    ``found`` has the recorded violations in the order in which they were found, ``raised`` the errors of the suite. A clause
    that raises loses its own verdict, and no other's; what only adds to a violation (its evidence, its excuse) is left out
    where it raises. A clause that needs data judges nothing where none was read.
    """

    def __init__(self) -> None:
        self._tallies: dict[str, Tally] = {}
        self.found: list[run.RecordedViolation] = []
        self.raised: list[Raised] = []

    @property
    def tallies(self) -> dict[str, Tally]:
        """A clause that raised anywhere in the case passes nowhere in it."""
        erred = {one.clause for one in self.raised}
        return {id: tally for id, tally in self._tallies.items() if id not in erred or tally.unexcused}

    def judge(self, observation: Observation, side: Side, *, is_whole: bool = False) -> bool:
        """Judge a step of a side; True ends the case: a clause is broken.

        A violation that is a known fault under any conditions does not end it, or nothing else would ever be judged. Any
        other does, also of a clause that is not recorded: what the table should be after it is not known; unless the table
        ``is_whole``: then no known fault ends it.
        """
        ends = False
        circumstances = Circumstances(observation)
        names: frozenset[str] | None = None
        for clause in side.clauses:
            if not isinstance(observation, clause.of) or (observation.after.broken and not clause.of_broken):
                continue
            judgement = self._tried(clause, observation, partial(clause.judge, observation), NOT_EXERCISED)
            if not judgement.subjects and not judgement.violations:
                continue
            if judgement.violations and names is None:
                names = self._tried(clause, observation, lambda: circumstances.names, _NO_NAMES)
            excuse = partial(side.excuses.excuse, clause.id, circumstances)
            excused = [self._tried(clause, observation, partial(excuse, one), None) for one in judgement.violations]
            if clause.recorded:
                recorded = partial(self._recorded, clause, circumstances, names or _NO_NAMES)
                tally = self._tallies.setdefault(clause.id, Tally())
                earlier = len(tally.violations)
                tally.add(observation, judgement, excused=excused, recorded=recorded)
                self.found += tally.violations[earlier:]
            ends = ends or any(known is None or (known.when is not None and not is_whole) for known in excused)
        return ends

    def _recorded(
        self,
        clause: Clause[Any],
        circumstances: Circumstances,
        names: frozenset[str],
        violation: Violation,
        excused: str | None,
    ) -> run.RecordedViolation:
        observation = circumstances.observation
        facts = partial(evidence.of_actions, observation, violation.subject)
        kinds = partial(circumstances.kinds.of, violation.subject)
        return run.RecordedViolation(
            clause=clause.id,
            step=observation.index if violation.step is None else violation.step,
            subject=violation.subject,
            cause=violation.kind,
            excused=excused,
            message=violation.message,
            evidence=violation.evidence or self._tried(clause, observation, facts, ()),
            severity=clause.severity_of(violation.cause),
            by_error=violation.cause.is_error,
            circumstances=tuple(sorted(names)),
            kinds=tuple(sorted(self._tried(clause, observation, kinds, _NO_NAMES))),
            expectation=violation.expectation,
        )

    def _tried(self, clause: Clause[Any], observation: Observation, ask: Callable[[], T], otherwise: T) -> T:
        """What ``ask`` returns; ``otherwise`` if it needs data that was not read, or raises, which is an error of the suite."""
        try:
            return ask()
        except NotRead:
            return otherwise
        except EngineDied:
            raise
        except Exception as error:  # noqa: BLE001 - reported as an error of the suite
            self.raised.append(raised(f"The clause {clause.id}", observation.index, error, clause.id))
            return otherwise
