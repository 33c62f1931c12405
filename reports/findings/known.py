"""The known faults of an engine that the cases of a run show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from model.vocabulary.severity import Severity, gravest
from records.run import ConcernedTables, Header, RecordedCase
from reports.findings.reach import Reaching, reaches_of
from reports.text.harms import does
from shapes.reach import ANY, Reached


@dataclass(frozen=True)
class ShownFault:
    """A known fault that cases of a run show: the reason of its entry, with the gravest of its violations.

    ``reached``: whom it can meet. ``link``, ``concerns`` and ``tables``: as the header lists them.
    """

    reason: str
    severity: Severity
    clauses: tuple[str, ...]
    cases: int
    reached: Reached = ANY
    link: str = ""
    concerns: str = ""
    tables: ConcernedTables | None = None

    @property
    def does(self) -> str:
        """``loses data``."""
        return does(self.severity)

    @property
    def concerns_none(self) -> bool:
        """Whether it concerns none of the user's tables, by their shapes."""
        return self.tables is not None and self.tables.possible == 0


@dataclass
class _Shown:
    severities: set[Severity] = field(default_factory=set)
    clauses: set[str] = field(default_factory=set)
    cases: set[str] = field(default_factory=set)
    reaching: Reaching = field(default_factory=Reaching)


@final
class Excused:
    """The violations that are known faults, of cases that are taken one after another."""

    def __init__(self, header: Header) -> None:
        self._severities = {clause.id: clause.severity for clause in header.clauses}
        self._listed = {one.reason: one for one in header.known_faults or ()}
        self._reaches = reaches_of(header)
        self._found: dict[str, _Shown] = {}

    def take(self, case: RecordedCase) -> None:
        for one in case.violations:
            if one.excused is not None:
                shown = self._found.setdefault(one.excused, _Shown())
                shown.severities.add(one.severity or self._severities[one.clause])
                shown.clauses.add(one.clause)
                shown.cases.add(case.id)
                shown.reaching.take(case)

    def shown(self) -> tuple[ShownFault, ...]:
        """Those that cases show, the gravest first, of one harm those that can meet the most."""
        made = (self._fault(reason, one) for reason, one in self._found.items())
        return tuple(sorted(made, key=lambda one: (one.severity.rank, one.reached.place, -one.cases, one.reason)))

    def _fault(self, reason: str, shown: _Shown) -> ShownFault:
        listed = self._listed.get(reason)
        severity, clauses, cases = gravest(shown.severities), tuple(sorted(shown.clauses)), len(shown.cases)
        reached = shown.reaching.reached(self._reaches, reason)
        if listed is None:
            return ShownFault(reason, severity, clauses, cases, reached)
        return ShownFault(reason, severity, clauses, cases, reached, listed.link, listed.concerns, listed.tables)
