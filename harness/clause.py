"""A clause: one sentence of the promise, where it comes from, and a pure function that judges an observed step by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from harness.expectations import Expectation
from harness.observation import Observation
from model.capabilities import Capabilities, Need, has
from model.rules import Rules
from model.versions import parse

S = TypeVar("S", bound=Observation)
T = TypeVar("T")


@dataclass(frozen=True)
class Violation:
    """What is wrong with one subject. ``evidence`` are facts that a person can look up, one a line."""

    subject: str
    message: str
    expectation: Expectation  # what should have been, for a script to check again
    evidence: tuple[str, ...] = ()
    step: int | None = None  # the step that the expectation is about, where it is an earlier one than the judged step


@dataclass(frozen=True)
class Judgement:
    """How many things a clause spoke of in a step, and what was wrong with them. No subject: it was not exercised."""

    subjects: int
    violations: tuple[Violation, ...] = ()


NOT_EXERCISED = Judgement(0)


@dataclass(frozen=True)
class Clause(Generic[S]):
    id: str
    sentence: str
    sources: tuple[str, ...]
    of: type[S]  # the kind of observation that it judges
    judge: Callable[[S], Judgement]
    since: str | None = None  # Delta versions on Spark that it holds for: from this one on
    before: str | None = None  # ... and up to, not including, this one
    of_broken: bool = False  # whether it can judge a table whose log cannot be replayed any more
    implementation: str | None = None  # the engine that promises it, where neither format nor documentation do
    exact_clock: bool = False  # whether it needs an engine whose clock can be set to the millisecond
    needs: tuple[Need, ...] = ()  # what its steps and tables need; one of these at least an engine must have

    @property
    def chapter(self) -> str:
        return {"DEL": "DELETE", "VAC": "VACUUM"}[self.id.split("-")[0]]


_ID = re.compile(r"(DEL|VAC)-[A-Z]+-\d+[A-Z]?")


def clause(
    id: str,
    sentence: str,
    *,
    of: type[S],
    sources: Iterable[str],
    since: str | None = None,
    before: str | None = None,
    of_broken: bool = False,
    implementation: str | None = None,
    exact_clock: bool = False,
    needs: Iterable[Need] = (),
) -> Callable[[Callable[[S], Judgement]], Clause[S]]:
    """Make a clause of the decorated function. Raises ValueError for an id of another form."""
    if not _ID.fullmatch(id):
        raise ValueError(f"{id} is not a clause id of the form DEL-ROW-1 or DEL-ROW-1A")

    def make(judge: Callable[[S], Judgement]) -> Clause[S]:
        return Clause(
            id,
            sentence,
            tuple(sources),
            of,
            judge,
            since,
            before,
            of_broken,
            implementation,
            exact_clock,
            tuple(needs),
        )

    return make


def each(subjects: Iterable[T], problem: Callable[[T], Violation | None]) -> Judgement:
    """Judge every subject by itself."""
    problems = [problem(subject) for subject in subjects]
    return Judgement(len(problems), tuple(found for found in problems if found))


def one(problem: Violation | None) -> Judgement:
    """Judge the step as a whole."""
    return Judgement(1, (problem,) if problem else ())


def matches(clause_id: str, prefix: str) -> bool:
    """Whether ``prefix`` selects the clause.

    VAC-SAFE selects VAC-SAFE-1, and DEL-ROW-5 selects DEL-ROW-5A; VAC-SAFE-1 does not select VAC-SAFE-10.
    """
    rest = clause_id.removeprefix(prefix)
    return clause_id.startswith(prefix) and (not rest or rest.startswith("-") or rest.isalpha())


def not_applicable(clause: Clause[Any], version: str, capabilities: Capabilities, rules: Rules) -> str | None:
    """Why the clause is not held against an engine of this version, in one sentence; None: it is.

    ``since`` and ``before`` are versions of Delta on Spark, and say nothing of other engines.
    """
    if clause.implementation not in (None, rules.implementation):
        return f"It is promised by the engine {clause.implementation} alone, and neither by the format nor elsewhere."
    if clause.exact_clock and not rules.own_clock:
        return "It is about single milliseconds, and the engine goes by the machine's clock, which nobody can stop."
    number = parse(version)
    bounds = [f"from {clause.since}" if clause.since else "", f"before {clause.before}" if clause.before else ""]
    outside = (clause.since and number < parse(clause.since)) or (clause.before and number >= parse(clause.before))
    if rules.implementation == "spark" and outside:
        return f"It holds {' and '.join(bound for bound in bounds if bound)} only."
    if clause.needs and not any(has(capabilities, need) for need in clause.needs):
        lacking = " or ".join(sorted({str(need.value if isinstance(need, Enum) else need) for need in clause.needs}))
        return f"The engine cannot be asked for what it is about: {lacking}."
    return None
