"""What the cases of a run show of what is known to be wrong with its engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from model.vocabulary.severity import Severity, gravest
from records.run import Header, RecordedCase
from reports.text.harms import does


@dataclass(frozen=True)
class ShownFault:
    """A known fault that cases of a run show: the reason of its entry, with the gravest of its violations.

    ``link`` and ``concerns``: as the header lists them.
    """

    reason: str
    severity: Severity
    clauses: tuple[str, ...]
    cases: int
    link: str = ""
    concerns: str = ""

    @property
    def does(self) -> str:
        """``loses data``."""
        return does(self.severity)


@dataclass
class _Shown:
    severities: set[Severity] = field(default_factory=set)
    clauses: set[str] = field(default_factory=set)
    cases: set[str] = field(default_factory=set)


@final
class Excused:
    """The violations that are known faults, of cases that are taken one after another."""

    def __init__(self, header: Header) -> None:
        self._severities = {clause.id: clause.severity for clause in header.clauses}
        self._listed = {one.reason: one for one in header.known_faults or ()}
        self._found: dict[str, _Shown] = {}

    def take(self, case: RecordedCase) -> None:
        for one in case.violations:
            if one.excused is not None:
                shown = self._found.setdefault(one.excused, _Shown())
                shown.severities.add(one.severity or self._severities[one.clause])
                shown.clauses.add(one.clause)
                shown.cases.add(case.id)

    def shown(self) -> tuple[ShownFault, ...]:
        """Those that cases show, the gravest first."""
        made = (self._fault(reason, one) for reason, one in self._found.items())
        return tuple(sorted(made, key=lambda one: (one.severity.rank, -one.cases, one.reason)))

    def _fault(self, reason: str, shown: _Shown) -> ShownFault:
        listed = self._listed.get(reason)
        link, concerns = ("", "") if listed is None else (listed.link, listed.concerns)
        clauses = tuple(sorted(shown.clauses))
        return ShownFault(reason, gravest(shown.severities), clauses, len(shown.cases), link, concerns)
