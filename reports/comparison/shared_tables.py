"""What the run in turn says about an upgrade: whether the candidate works on the base's tables, and whether there is a way
back.
"""

from __future__ import annotations

from dataclasses import dataclass

from records.mistakes import UsageMistake
from reports.text.harms import in_ways
from reports.text.quantities import counted
from reports.together.answer import TurnReport, TurnWay


@dataclass(frozen=True)
class SharedTables:
    """A run of both versions in turn. ``base`` and ``candidate`` are their names in it."""

    report: TurnReport
    base: str
    candidate: str

    @classmethod
    def of(cls, report: TurnReport, base: str, candidate: str) -> SharedTables:
        """``base`` and ``candidate`` are versions, such as ``4.4.0 on PySpark 4.2.1``. Raises UsageMistake if the report is about
        others.
        """
        for one, other in (report.sides, report.sides[::-1]):
            if one.endswith(f" {base}") and other.endswith(f" {candidate}"):
                return cls(report, one, other)
        raise UsageMistake(
            f"--together has a run of {' and '.join(report.sides)}, not of {base} and {candidate}: name the directory of these."
        )

    @property
    def forward(self) -> tuple[TurnWay, ...]:
        """New ways in which the candidate goes wrong on tables of the base, and the base does not; the gravest first."""
        return tuple(one for one in self._new(self.candidate) if not one.also_alone)

    @property
    def back(self) -> tuple[TurnWay, ...]:
        """New ways in which the base goes wrong on tables of the candidate, the gravest first: there is no way back."""
        return self._new(self.base)

    @property
    def known(self) -> tuple[TurnWay, ...]:
        """Known faults of one version that the tables of the other cause."""
        return tuple(one for one in self.report.in_order if one.known is not None)

    @property
    def is_open(self) -> bool:
        """Whether cases could not be judged, or none was."""
        return bool(self.report.errors) or not self.report.cases

    def _new(self, side: str) -> tuple[TurnWay, ...]:
        return tuple(one for one in self.report.in_order if one.side == side and one.known is None)

    @property
    def no_way_back(self) -> str:
        """``NO WAY BACK: on tables of Delta 4.4.0, Delta 3.3.2 loses data in 1 way``; empty if there is a way back."""
        if not self.back:
            return ""
        return f"NO WAY BACK: on tables of {self.candidate}, {self.base} {in_ways(one.severity for one in self.back)}"

    @property
    def summary(self) -> str:
        """How much was judged, in a line."""
        errors = f"; {counted(len(self.report.errors), 'case')} ended in an error" if self.report.errors else ""
        return (
            f"on the same tables, in turn: {counted(self.report.cases, 'case')} in both orders, "
            f"{counted(self.report.steps, 'step')}{errors}"
        )
