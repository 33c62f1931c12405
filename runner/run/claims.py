"""Which failures of a run are shrunk: those that no shrunk case shows yet, up to a limit, with room for the gravest."""

from __future__ import annotations

from collections.abc import Iterable

from model.vocabulary.severity import Severity
from records.run import RecordedCase
from reports.findings.failures import EXAMPLES

#: The most cases that a run shrinks, and how many of these are kept for data loss.
MOST, FOR_LOSS = 20, 6


class Claims:
    """The failures that workers have claimed, and what the shrunk cases show."""

    def __init__(self) -> None:
        self._claimed: dict[tuple[str, str], list[frozenset[str]]] = {}  # circumstances, by clause and cause
        self._shown: dict[tuple[str, str], list[frozenset[str]]] = {}
        self._number = 0

    def claim(self, clause: str, cause: str, severity: Severity, circumstances: Iterable[str]) -> bool:
        """Whether the caller shall shrink a case for this clause and cause: not if a shrunk case shows it and all of that
        case's circumstances hold here, nor while another worker shrinks one.
        """
        key, own = (clause, cause), frozenset(circumstances)
        claimed, shown = self._claimed.get(key, []), self._shown.get(key, [])
        most = MOST if severity is Severity.DATA_LOSS else MOST - FOR_LOSS
        pending = len(claimed) > len(shown)
        if pending or any(known <= own for known in shown) or self._number >= most or self._of(clause) >= EXAMPLES:
            return False
        self._claimed.setdefault(key, []).append(own)
        self._number += 1
        return True

    def _of(self, clause: str) -> int:
        return sum(len(found) for (id, _), found in self._claimed.items() if id == clause)

    def shrunk(self, case: RecordedCase) -> None:
        """Take in a case that was shrunk: everything that it violates is shown."""
        for violation in case.violations:
            if violation.excused is None:
                self._shown.setdefault(violation.kind, []).append(frozenset(violation.circumstances))
