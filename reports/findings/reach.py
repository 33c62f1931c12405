"""Whom a way to go wrong can meet: by the entry of a known fault, else by the cases that show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from known_faults.reach import reaches
from model.codec import InvalidCase
from records.run import Header, RecordedCase
from reports.findings.engine_rules import is_built_in
from shapes.reach import ANY, Reached, by_case, furthest


@final
class Reaching:
    """The cases that show a way, taken one after another: what the one needs counts that needs least."""

    def __init__(self) -> None:
        self._least: Reached | None = None

    def take(self, case: RecordedCase) -> None:
        """A case that this release cannot read tells nothing."""
        try:
            own = by_case(case.case)
        except InvalidCase:
            return
        self._least = own if self._least is None else furthest([self._least, own])

    def reached(self, known: Mapping[str, Reached], reason: str | None) -> Reached:
        """``reason``: of the known fault that it is, if it is one; ``known``: by reasons, where an entry says it."""
        return known.get(reason or "", self._least or ANY)


def reaches_of(header: Header) -> Mapping[str, Reached]:
    """Whom the known faults of a run's engine can meet: of a built-in one, as nothing is imported that a stream names."""
    return reaches(header.engine) if is_built_in(header) else {}
