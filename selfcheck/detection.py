"""How a known-bad engine is caught: by which clauses, after how many cases, and how small the case can be made."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engines.port import Engine, Outcome
from engines.wrapped import WrappedEngine
from faults import Fault, KnownBadEngine
from harness.campaigns.shrinking import reduce, truncated
from harness.running.judge import Judge, JudgedCase
from model.codec import case_id, dumps
from model.vocabulary.capabilities import has
from model.vocabulary.case import Case
from model.vocabulary.steps import Request
from selfcheck.engine_pool import PooledEngine


class Stopwatch(WrappedEngine):
    """An engine that adds up the seconds of its steps."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.seconds = 0.0

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        began = time.perf_counter()
        try:
            return super().run(root, step, clock=clock, version=version)
        finally:
            self.seconds += time.perf_counter() - began


@dataclass(frozen=True)
class Detection:
    """The first case that shows a fault."""

    clauses: tuple[str, ...]  # violated in it, in the catalogue's order
    cases: int  # judged up to and including this one
    seconds: float  # of the engine, in these
    case: str  # its id
    smallest: Case  # the case, shrunk


@dataclass
class Search:
    """The result of judging a fault's cases."""

    judged: int = 0
    first: Detection | None = None
    ever: set[str] = field(default_factory=set)  # the clauses violated in any of the cases
    failures: list[str] = field(default_factory=list)  # cases that could not be judged


def chapters(fault: Fault) -> frozenset[str]:
    """The chapters ("DEL", "VAC") of the clauses that must catch it."""
    return frozenset(id.split("-")[0] for id in fault.caught_by)


def inapplicable(fault: Fault, engine: Engine, unpromised: Mapping[str, str], broken: Collection[str]) -> str:
    """Why a fault does not apply to an engine; empty where it does.

    The engine must have one of the fault's ``needs``, if there are any, and follow its ``rules``; and it must promise one
    of the clauses in ``caught_by`` that it is not known to violate itself, unless the fault differs from that. ``unpromised``
    are the clauses that the engine does not promise, with the reason; ``broken`` those that it is known to violate.
    """
    other = [name for name, value in fault.rules.items() if getattr(engine.rules, name) != value]
    if other:
        return f"by the engine's own rules it is not a fault ({', '.join(other)})"
    if fault.needs and not any(has(engine.capabilities, need) for need in fault.needs):
        named = " or ".join(str(getattr(need, "value", need)) for need in fault.needs)
        return f"the engine lacks what it changes ({named})"
    if any(id not in unpromised and (fault.despite or id not in broken) for id in fault.caught_by):
        return ""
    itself = [id for id in fault.caught_by if id in broken]
    if itself:
        return f"the engine itself breaks {', '.join(itself)} (known_faults/)"
    first = fault.caught_by[0]
    return f"the engine does not promise {', '.join(fault.caught_by)} ({first}: {unpromised[first]})"


class Examiner:
    """Judges one known-bad engine. Clauses that the healthy engine fails in the same case do not count."""

    def __init__(self, worker: PooledEngine, fault: Fault) -> None:
        self._watch = Stopwatch(worker.engine)
        self._bad: Judge = worker.judge(KnownBadEngine(self._watch, fault))
        self._worker = worker
        self._fault = fault

    def search(self, cases: Iterable[Case], *, tries: int, alone: bool) -> Search:
        """Judge until a case shows the fault, then shrink that case, in at most ``tries`` cases.

        With ``alone``, continue until a second clause is violated, skipping cases without a step that the fault changes.
        """
        found, seconds = Search(), 0.0
        for case in cases:
            found.judged += 1
            if found.first is not None and not any(isinstance(step, self._fault.on) for step in case.steps):
                continue
            self._watch.seconds = 0.0
            judged, clauses = self._judge(case)
            seconds += self._watch.seconds
            if judged.failure is not None:
                found.failures.append(f"case {case_id(case)}: {judged.failure.message}")
            found.ever |= set(clauses)
            if clauses and found.first is None:
                smallest = self._smallest(judged, clauses, tries=tries)
                found.first = Detection(clauses, found.judged, seconds, case_id(case), smallest)
            if clauses and (not alone or len(found.ever) > 1):
                break
        return found

    def cases_until(self, clause: str, cases: Iterable[Case]) -> int | None:
        """After how many cases this clause catches the fault; None if it never does."""
        return next((number for number, case in enumerate(cases, start=1) if clause in self._judge(case)[1]), None)

    def _judge(self, case: Case) -> tuple[JudgedCase, tuple[str, ...]]:
        judged = self._bad.judge(case)
        already = self._worker.failed_by_itself(case) if judged.failed else ()
        return judged, tuple(id for id in judged.failed if id not in already)

    def _smallest(self, judged: JudgedCase, clauses: tuple[str, ...], *, tries: int) -> Case:
        """The smallest case found that violates the first of the clauses; of those in ``caught_by``, if there are any."""
        clause = next((id for id in self._fault.caught_by if id in clauses), clauses[0])
        start = truncated(judged.case, max(step.index for step in judged.steps))
        return reduce(start, lambda case: clause in self._bad.judge(case).failed, tries=tries)


def size_of(case: Case) -> tuple[int, int]:
    """Steps, and bytes of the case's JSON."""
    return len(case.steps), len(dumps(case).encode())
