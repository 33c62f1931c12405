"""How a known-bad engine is noticed: by which clauses, after how many cases, and how small the case can be made."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engines.around import Around
from selfcheck.faults import Fault, KnownBadEngine
from engines.port import Engine, Outcome
from model.capabilities import has
from model.case import Case
from model.codec import case_id, dumps
from model.steps import EngineStep
from selfcheck.bench import Worker
from harness.judge import Judge, JudgedCase
from harness.shrinking import reduce, truncated


class Stopwatch(Around):
    """An engine that adds up the seconds of its steps."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.seconds = 0.0

    def run(self, root: Path, step: EngineStep, *, clock: int, version: int | None) -> Outcome:
        began = time.perf_counter()
        try:
            return super().run(root, step, clock=clock, version=version)
        finally:
            self.seconds += time.perf_counter() - began


@dataclass(frozen=True)
class Shown:
    """The first case that shows a fault."""

    clauses: tuple[str, ...]  # that noticed it, in the catalogue's order
    cases: int  # judged up to and with this one
    seconds: float  # of the engine in these
    smallest: Case  # what the case was made to


@dataclass
class Search:
    """What a fault's cases came to. ``failures`` are cases that could not be judged."""

    judged: int = 0
    shown: Shown | None = None
    ever: set[str] = field(default_factory=set)  # the clauses that noticed it in any of these
    failures: list[str] = field(default_factory=list)


def chapters(fault: Fault) -> frozenset[str]:
    """The chapters ("DEL", "VAC") whose clauses must notice it."""
    return frozenset(id.split("-")[0] for id in fault.caught_by)


def inapplicable(fault: Fault, engine: Engine, unpromised: Mapping[str, str], broken: Collection[str]) -> str:
    """Why a fault makes no sense on an engine; empty where it does.

    A fault needs an engine that has one of the fault's ``needs``, if it has any, and that goes by its ``rules``; and one
    that promises, and is not known to break by itself, one of the clauses by which the fault must be caught.
    ``unpromised`` are the clauses that the engine does not promise, with the reason; ``broken`` those that it breaks.
    """
    other = [name for name, value in fault.rules.items() if getattr(engine.rules, name) != value]
    if other:
        return f"by the engine's own rules it is none ({', '.join(other)})"
    if fault.needs and not any(has(engine.capabilities, need) for need in fault.needs):
        named = " or ".join(str(getattr(need, "value", need)) for need in fault.needs)
        return f"the engine lacks what it tampers with ({named})"
    if any(id not in unpromised and id not in broken for id in fault.caught_by):
        return ""
    itself = [id for id in fault.caught_by if id in broken]
    if itself:
        return f"the engine itself breaks {', '.join(itself)}, as deviations/ says"
    first = fault.caught_by[0]
    return f"the engine does not promise {', '.join(fault.caught_by)} ({first}: {unpromised[first]})"


class Examiner:
    """Judges one known-bad engine. What the healthy engine breaks in the same case is not the fault's doing."""

    def __init__(self, worker: Worker, fault: Fault) -> None:
        self._watch = Stopwatch(worker.engine)
        self._bad: Judge = worker.judge(KnownBadEngine(self._watch, fault))
        self._good: Judge = worker.judge()
        self._fault = fault

    def search(self, cases: Iterable[Case], *, tries: int, alone: bool) -> Search:
        """Judge until a clause notices the fault. The case that shows it is then made smaller, in at most ``tries`` cases.

        With ``alone``, where one clause alone has noticed it, go on until a second one does: with those cases that have a
        step that the fault is about.
        """
        found, seconds = Search(), 0.0
        first: tuple[JudgedCase, tuple[str, ...]] | None = None
        for case in cases:
            if first is not None and not self._may_act(case):
                found.judged += 1
                continue
            self._watch.seconds = 0.0
            judged, clauses = self._judge(case)
            found.judged += 1
            seconds += self._watch.seconds
            if judged.failure is not None:
                found.failures.append(f"case {case_id(case)}: {judged.failure.message}")
            found.ever |= set(clauses)
            if clauses and first is None:
                first = judged, clauses
                found.shown = Shown(clauses, found.judged, seconds, case)
            if clauses and (not alone or len(found.ever) > 1):
                break
        if first is not None and found.shown is not None:
            smallest = self._smallest(*first, tries=tries)
            found.shown = Shown(found.shown.clauses, found.shown.cases, found.shown.seconds, smallest)
        return found

    def proves(self, clause: str, cases: Iterable[Case]) -> int | None:
        """After how many cases this clause notices the fault; None if it never does."""
        for number, case in enumerate(cases, start=1):
            if clause in self._judge(case)[1]:
                return number
        return None

    def _may_act(self, case: Case) -> bool:
        return any(isinstance(step, self._fault.on) for step in case.steps)

    def _judge(self, case: Case) -> tuple[JudgedCase, tuple[str, ...]]:
        judged = self._bad.judge(case)
        broken = judged.failed
        already = self._good.judge(case).violated if broken else ()
        return judged, tuple(id for id in broken if id not in already)

    def _smallest(self, judged: JudgedCase, clauses: tuple[str, ...], *, tries: int) -> Case:
        """The smallest case found in which the first of the clauses, an expected one if there is any, notices it."""
        clause = next((id for id in self._fault.caught_by if id in clauses), clauses[0])
        start = truncated(judged.case, max(step["index"] for step in judged.steps))
        return reduce(start, lambda case: clause in self._bad.judge(case).failed, tries=tries)


def size_of(case: Case) -> tuple[int, int]:
    """Steps, and bytes of the case's JSON."""
    return len(case.steps), len(dumps(case).encode())
