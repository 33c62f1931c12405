"""What a user accepts of the candidate: faults listed in a file of their own, in the format of deviations (``--accept FILE``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from records.run import JudgedCase, Violation
from reports.deviations import Deviation, ended, in_force


@dataclass(frozen=True)
class Acceptance:
    """The entries of a user's file. ``today`` is the day on which their ``until`` is looked at."""

    file: Path
    entries: tuple[Deviation, ...]
    today: date


@dataclass(frozen=True)
class Accepted:
    """The entries about one version of an engine: those in force, and those that are past their end."""

    current: tuple[Deviation, ...] = ()
    past: tuple[Deviation, ...] = ()

    @classmethod
    def by(cls, acceptance: Acceptance | None, version: str) -> Accepted:
        if acceptance is None:
            return cls()
        entries, today = acceptance.entries, acceptance.today
        return cls(in_force(entries, version=version, today=today), ended(entries, version=version, today=today))


def tables_of(entries: Iterable[Deviation]) -> dict[Deviation, tuple[str, ...]]:
    """The clauses of the entries that differ in nothing else: of each table of the file."""
    found: dict[Deviation, list[str]] = {}
    for one in entries:
        found.setdefault(replace(one, clause=""), []).append(one.clause)
    return {table: tuple(clauses) for table, clauses in found.items()}


def covering(entries: Iterable[Deviation], case: JudgedCase, violation: Violation) -> Deviation | None:
    """The first entry that is about a violation in a case; None: there is none."""
    return next((one for one in entries if _covers(one, case, violation)), None)


def _covers(entry: Deviation, case: JudgedCase, violation: Violation) -> bool:
    """As harness.judging.excuses decides while a case is judged, from what the stream recorded of it then."""
    symptom = entry.symptom
    by_error = bool(symptom.errors) and violation.by_error
    return (
        entry.clause == violation.clause
        and (entry.when is None or entry.when in violation.circumstances)
        and (violation.cause in symptom.causes or by_error)
        and (not symptom.errors or _reports(case, violation.step, symptom.errors))
        and (symptom.of is None or symptom.of in violation.kinds)
    )


def _reports(case: JudgedCase, index: int, texts: tuple[str, ...]) -> bool:
    """Whether the step's error has one of these classes or conditions, or one of these texts in its message."""
    errors = (one.outcome.error for one in case.steps if one.index == index)
    return any(
        text in (error.exception, error.condition) or text in error.message
        for error in errors
        if error is not None
        for text in texts
    )
