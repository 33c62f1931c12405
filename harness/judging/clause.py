"""A clause: one sentence of the specification, its sources, and a pure function that judges an observed step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar, get_type_hints

from harness.judging.severity import NO_CAUSE, NO_HARM, Cause, Harm
from harness.observing.steps.observation import Observation
from model.vocabulary.capabilities import Capabilities, Need, has
from model.vocabulary.rules import SPARK, Implementation, Rules
from model.vocabulary.severity import Severity
from model.vocabulary.versions import parse
from model.vocabulary.withdrawals import Withdrawal
from records.expectations import Expectation, kind_of

S = TypeVar("S", bound=Observation)
T = TypeVar("T")


@dataclass(frozen=True)
class Violation:
    """What is wrong with one subject, as its clause sees it. What else is known of it is in its record (``records.run``)."""

    subject: str
    message: str  # names the expected and the actual value
    expectation: Expectation  # the expected state as data, which a reproduction script checks
    evidence: tuple[str, ...] = ()  # facts that a person can look up, one per line
    step: int | None = None  # the step that the expectation is about, if it is not the judged step but an earlier one
    cause: Cause = NO_CAUSE  # without a text: the kind of the expectation says enough

    @property
    def kind(self) -> str:
        """What went wrong with what kind of subject, in a few words."""
        return self.cause.text or kind_of(type(self.expectation))


@dataclass(frozen=True)
class Judgement:
    """How many subjects a clause had in a step, and its violations. Without a subject the clause was not exercised."""

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
    harm: Harm = NO_HARM  # what a violation costs
    since: str | None = None  # the first Delta version on Spark that it applies to
    before: str | None = None  # the first Delta version on Spark that it no longer applies to
    of_broken: bool = False  # whether it also judges a table whose log can no longer be replayed
    implementation: Implementation | None = None  # who alone promises it, if the format does not
    exact_clock: bool = False  # whether it needs an engine whose clock can be set to the millisecond
    needs: tuple[Need, ...] = ()  # the engine must have at least one of these capabilities
    of_directories: bool = False  # whether it is about directories, which some storage does not have
    of_hidden_names: bool = (
        False  # whether it is about names that hide paths from VACUUM, which some engines do not have
    )
    withdrawal: Withdrawal | None = None  # what it means for users that a release no longer promises it (``before``)
    recorded: bool = True  # if not, it is judged only because a case ends where it is broken

    @property
    def chapter(self) -> str:
        return CHAPTERS[self.id.split("-")[0]]

    def severity_of(self, cause: Cause) -> Severity:
        """The severity of a violation by this cause."""
        return cause.severity or self.harm.severity


#: The chapters of the catalogue, by how the ids of their clauses begin.
CHAPTERS = {
    "DEL": "DELETE",
    "VAC": "VACUUM",
    "READ": "reads",
    "LIFE": "other commands",
    "CRASH": "crashes",
    "CONC": "two at once",
}

_ID = re.compile(r"((DEL|VAC)-[A-Z]+|READ|LIFE(-LOG)?|CRASH|CONC)-\d+[A-Z]?")


def clause(
    id: str,
    sentence: str,
    *,
    sources: Iterable[str],
    harm: Harm,
    since: str | None = None,
    before: str | None = None,
    of_broken: bool = False,
    implementation: Implementation | None = None,
    exact_clock: bool = False,
    needs: Iterable[Need] = (),
    of_directories: bool = False,
    of_hidden_names: bool = False,
    withdrawal: Withdrawal | None = None,
    of: type[Any] | None = None,
) -> Callable[[Callable[[S], Judgement]], Clause[S]]:
    """Turn the decorated function into a clause of the observations ``of``, or else of the type of the function's parameter.

    Raises ValueError for a malformed id.
    """
    if not _ID.fullmatch(id):
        raise ValueError(f"{id} is not a clause id of the form DEL-ROW-1, DEL-ROW-1A or CRASH-1A")

    def make(judge: Callable[[S], Judgement]) -> Clause[S]:
        kind = of or next(kind for parameter, kind in get_type_hints(judge).items() if parameter != "return")
        options = (since, before, of_broken, implementation, exact_clock, tuple(needs))
        of_names = (of_directories, of_hidden_names)
        return Clause(id, sentence, tuple(sources), kind, judge, harm, *options, *of_names, withdrawal)

    return make


def each(subjects: Iterable[T], problem: Callable[[T], Violation | None]) -> Judgement:
    """Judge every subject separately."""
    problems = [problem(subject) for subject in subjects]
    return Judgement(len(problems), tuple(violation for violation in problems if violation))


def judgement(problem: Violation | None) -> Judgement:
    """Judge the step as one subject."""
    return Judgement(1, (problem,) if problem else ())


def matches(clause_id: str, prefix: str) -> bool:
    """Whether ``prefix`` selects the clause.

    VAC-SAFE selects VAC-SAFE-1, and DEL-ROW-5 selects DEL-ROW-5A; VAC-SAFE-1 does not select VAC-SAFE-10.
    """
    rest = clause_id.removeprefix(prefix)
    return clause_id.startswith(prefix) and (not rest or rest.startswith("-") or rest.isalpha())


def not_applicable(clause: Clause[Any], version: str, capabilities: Capabilities, rules: Rules) -> str | None:
    """Why the clause does not apply to an engine of this version, in one sentence; None if it does.

    ``since`` and ``before`` are versions of Delta on Spark, and do not restrict other engines.
    """
    if clause.implementation not in (None, rules.implementation):
        return f"It is promised by the engine {clause.implementation} alone, and neither by the format nor elsewhere."
    if clause.exact_clock and not rules.own_clock:
        return "It is about single milliseconds, and the engine uses the machine's clock, which cannot be stopped."
    if clause.of_directories and not rules.directories:
        return "It is about directories, and there are none in a bucket: a prefix of keys is there as long as an object is."
    if clause.of_hidden_names and not rules.hides_names:
        return "It is about hidden names, and VACUUM of this engine hides nothing but the table's log."
    number = parse(version)
    outside = (clause.since and number < parse(clause.since)) or (clause.before and number >= parse(clause.before))
    if rules.implementation == SPARK.implementation and outside:
        return f"It holds {_bounds(clause)} only."
    if clause.chapter == "VACUUM" and not capabilities.vacuum:
        return "The engine has no VACUUM."
    if clause.id.startswith("LIFE-") and not clause.needs and not capabilities.commands:
        return "The engine runs no other command."
    if clause.needs and not any(has(capabilities, need) for need in clause.needs):
        return f"The engine cannot be asked for what it is about: {_needs(clause)}."
    return None


def holds_for(clause: Clause[Any]) -> str:
    """The engines that a clause holds for, as a part of a sentence; empty: every one."""
    parts = [
        f"the engine {clause.implementation} alone" if clause.implementation else "",
        f"Delta on Spark {_bounds(clause)}" if _bounds(clause) else "",
        "engines whose clock can be set" if clause.exact_clock else "",
        f"engines that can be asked for {_needs(clause)}" if clause.needs else "",
        "storage with directories" if clause.of_directories else "",
        "engines whose VACUUM hides names" if clause.of_hidden_names else "",
    ]
    return ", ".join(part for part in parts if part)


def _bounds(clause: Clause[Any]) -> str:
    """``from 3.1 and before 4.0``."""
    bounds = [f"from {clause.since}" if clause.since else "", f"before {clause.before}" if clause.before else ""]
    return " and ".join(bound for bound in bounds if bound)


#: A capability in words, where its name does not say enough.
_NAMED = {"counts_accesses": "counts of what a step asks of storage"}


def _needs(clause: Clause[Any]) -> str:
    names = {str(need.value if isinstance(need, Enum) else need) for need in clause.needs}
    return " or ".join(sorted(_NAMED.get(name, name) for name in names))
