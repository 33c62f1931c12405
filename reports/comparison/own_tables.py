"""Which of the user's tables (``--like``) a difference concerns: what gets worse or better, withdrawn promises, explanations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from records.run import ConcernedTables, LikeTables
from reports.comparison.cases import ClauseShift, VerdictChange
from reports.comparison.explanations import Explanation
from reports.comparison.weight import WeighedWay
from reports.comparison.withdrawn import Withdrawn
from reports.findings.like import covered_words, failure_tables, fault_tables, tables_with
from reports.findings.of_run import findings_of
from reports.stream.reading import Run
from reports.text.own_tables import concerned


@final
class OwnTables:
    """The user's tables beside a comparison, by the headers of its two runs."""

    def __init__(self, base: Run, candidate: Run, like: LikeTables) -> None:
        self._like = like
        self._headers = base.header, candidate.header
        self._failures = findings_of(base).failures, findings_of(candidate).failures
        self._covered = findings_of(candidate).like

    @classmethod
    def of(cls, base: Run, candidate: Run) -> OwnTables | None:
        """None if one of the two ran without ``--like``."""
        like = candidate.header.like
        return None if like is None or base.header.like is None else cls(base, candidate, like)

    def of_shift(self, shift: ClauseShift) -> ConcernedTables | None:
        """By the entry of a known fault; else by the conditions of the smallest case, if the gate shrank one and it explains
        all failures with this cause.
        """
        improves = shift.change is VerdictChange.IMPROVED
        header = self._headers[not improves]
        if shift.known:
            return fault_tables(header, shift.cause)
        found = [
            failure
            for failure in self._failures[not improves]
            if any((one.clause, one.cause) == (shift.clause, shift.cause) for one in failure.examples)
        ]
        return failure_tables(header, found[0]) if len(found) == 1 else None

    def in_order(self, ways: Iterable[WeighedWay]) -> tuple[WeighedWay, ...]:
        """The same ways: those that concern none of the tables last; within one severity, those that certainly concern some
        first.
        """

        def place(way: WeighedWay) -> tuple[bool, int, bool]:
            tables = self.of_shift(way.lead)
            return concerns_none(tables), way.severity.rank, tables is None or tables.certain == 0

        return tuple(sorted(ways, key=place))

    def of_withdrawn(self, promise: Withdrawn) -> ConcernedTables | None:
        return tables_with(self._like, [promise.rule])

    def of_explanation(self, explanation: Explanation) -> ConcernedTables | None:
        """For rules: the tables that all of them concern. For known faults: those of one, or none if each concerns none."""
        faults = [one.fault for one in explanation.reasons if one.fault]
        if not faults:
            return tables_with(self._like, [one.rule for one in explanation.reasons])
        told = [self._of_fault(fault) for fault in faults]
        return told[0] if len(told) == 1 or all(map(concerns_none, told)) else None

    def _of_fault(self, reason: str) -> ConcernedTables | None:
        told = (fault_tables(header, reason) for header in self._headers)
        return next((one for one in told if one is not None), None)

    def words(self, tables: ConcernedTables | None) -> str:
        """``Concerns 412 of your 40,000 tables.`` Empty where nothing is told."""
        return "" if tables is None else concerned(tables, self._like.tables)

    def covered(self, *, most: int | None = None) -> str:
        """How well the cases of the candidate's run cover the tables, and up to ``most`` things that no case covers, without a
        full stop.
        """
        return "" if self._covered is None else covered_words(self._covered, most=most)


def concerns_none(tables: ConcernedTables | None) -> bool:
    """Whether it certainly concerns none of them."""
    return tables is not None and tables.possible == 0
