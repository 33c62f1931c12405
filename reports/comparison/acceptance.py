"""What a user accepts of the candidate: a file (``--accept FILE``) in the format of known faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from known_faults.entries import PLACES, ended, entries_in, in_force
from known_faults.known import known_faults_in
from model.vocabulary.limits import Text, Texts
from records.known_fault import KnownFault, Range, Ranged, Until
from records.mistakes import UsageMistake
from records.run import RecordedCase, RecordedError, RecordedViolation

#: The tables of a file of the user beside its known faults, each with the key of its texts: withdrawn promises, by their names;
#: and differences that nothing explains, as the comparison writes them.
TEXTS: Mapping[str, str] = {"withdrawn": "promises", "difference": "differences"}


@dataclass(frozen=True)
class AcceptedText(Ranged):
    """An entry about something that is no fault. ``table``: of TEXTS; ``texts``: what it accepts."""

    texts: Texts
    reason: Text
    link: Text
    versions: Range = ""
    until: Until = None
    table: str = ""


def texts_accepted_in(path: Path) -> tuple[AcceptedText, ...]:
    """The entries that are not about faults, in the order of the file. Raises InvalidKnownFaults."""
    beside = ("known_fault", *TEXTS)
    return tuple(
        replace(entry, table=name)
        for name, key in TEXTS.items()
        for _, entry in entries_in(path, name, AcceptedText, beside, texts=key, table=None)
    )


@dataclass(frozen=True)
class Acceptances:
    """The entries that are not about faults, and that apply to a version of an engine today."""

    entries: tuple[AcceptedText, ...] = ()

    @classmethod
    def by(cls, acceptance: Acceptance | None, version: str) -> Acceptances:
        return cls() if acceptance is None else cls(in_force(acceptance.texts, version=version, today=acceptance.today))

    def of_withdrawn(self, name: str) -> AcceptedText | None:
        """The first entry that accepts that this promise is withdrawn."""
        return self._of("withdrawn", name)

    def of_difference(self, text: str) -> AcceptedText | None:
        """The first entry that accepts this difference."""
        return self._of("difference", text)

    def _of(self, table: str, text: str) -> AcceptedText | None:
        return next((one for one in self.entries if one.table == table and text in one.texts), None)


@dataclass(frozen=True)
class Acceptance:
    """The entries of a user's file. ``today``: the day to compare with their ``until``. ``texts``: the entries that are not
    about faults.
    """

    file: Path
    entries: tuple[KnownFault, ...]
    today: date
    texts: tuple[AcceptedText, ...] = ()


def acceptance_in(path: Path) -> Acceptance:
    """What the user's file at ``path`` accepts today. Raises UsageMistake if it does not exist, or is invalid."""
    if not path.is_file():
        raise UsageMistake(f"--accept {path} is not a file: name an existing one.")
    entries = known_faults_in(path, places=PLACES, beside=TEXTS)
    return Acceptance(path, entries, date.today(), texts_accepted_in(path))


@dataclass(frozen=True)
class AcceptedEntries:
    """The entries about one version of an engine: those that apply, and those past their end."""

    current: tuple[KnownFault, ...] = ()
    past: tuple[KnownFault, ...] = ()

    @classmethod
    def by(cls, acceptance: Acceptance | None, version: str) -> AcceptedEntries:
        if acceptance is None:
            return cls()
        entries, today = acceptance.entries, acceptance.today
        return cls(in_force(entries, version=version, today=today), ended(entries, version=version, today=today))


def tables_of(entries: Iterable[KnownFault]) -> dict[KnownFault, tuple[str, ...]]:
    """The clauses of the entries that differ in nothing else: of each table of the file."""
    found: dict[KnownFault, list[str]] = {}
    for one in entries:
        found.setdefault(replace(one, clause=""), []).append(one.clause)
    return {table: tuple(clauses) for table, clauses in found.items()}


def covering(entries: Iterable[KnownFault], case: RecordedCase, violation: RecordedViolation) -> KnownFault | None:
    """The first entry that covers a violation in a case; None if none does."""
    return next((one for one in entries if _covers(one, case, violation)), None)


def _covers(entry: KnownFault, case: RecordedCase, violation: RecordedViolation) -> bool:
    """As ``harness.judging.excusing.excuses`` decides while a case is judged."""
    return entry.clause == violation.clause and entry.covers(
        violation.cause,
        by_error=violation.by_error,
        error=lambda: error_of(case, violation.step),
        holds=lambda name: name in violation.circumstances,
        is_of=violation.kinds.__contains__,
    )


def error_of(case: RecordedCase, step: int) -> RecordedError | None:
    """The error of a step of a case, if it ended in one."""
    return next((one.outcome.error for one in case.steps if one.index == step), None)
