"""What the cases of a run show of what is known to be wrong with its engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from reports.harms import does, rank_of
from reports.stream import Line


@dataclass(frozen=True)
class ShownDeviation:
    """A known deviation that cases of a run show: the reason of its entry, with the gravest of its violations."""

    reason: str
    severity: str
    clauses: tuple[str, ...]
    cases: int

    @property
    def does(self) -> str:
        """``loses data``."""
        return does(self.severity)


@dataclass
class _Shown:
    severities: set[str] = field(default_factory=set)
    clauses: set[str] = field(default_factory=set)
    cases: set[str] = field(default_factory=set)


@final
class Excused:
    """The violations that are known deviations, of cases that are taken one after another."""

    def __init__(self, header: Line) -> None:
        self._severities = {clause["id"]: str(clause["severity"]) for clause in header["clauses"]}
        self._found: dict[str, _Shown] = {}

    def take(self, line: Line) -> None:
        for one in line["violations"]:
            if one["excused"] is not None:
                shown = self._found.setdefault(one["excused"], _Shown())
                shown.severities.add(one.get("severity") or self._severities[one["clause"]])
                shown.clauses.add(one["clause"])
                shown.cases.add(line["id"])

    def shown(self) -> tuple[ShownDeviation, ...]:
        """Those that cases show, the gravest first."""
        made = (
            ShownDeviation(reason, min(one.severities, key=rank_of), tuple(sorted(one.clauses)), len(one.cases))
            for reason, one in self._found.items()
        )
        return tuple(sorted(made, key=lambda one: (rank_of(one.severity), -one.cases, one.reason)))
