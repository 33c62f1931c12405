"""What a judge excuses: violations that are known faults of the engine, each by its symptom."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial

from harness.judging.clause import Violation
from harness.judging.excusing.conditions import Circumstances
from harness.observing.record.step_record import recorded_error
from records.known_fault import KnownFault


class Excuses:
    """The known faults of an engine. A clause's id stands for one that excuses every violation of the clause."""

    def __init__(self, known: Iterable[KnownFault | str] = ()) -> None:
        self._known: dict[str, list[KnownFault]] = {}
        for entry in known:
            known_fault = KnownFault(entry) if isinstance(entry, str) else entry
            self._known.setdefault(known_fault.clause, []).append(known_fault)

    def excuse(self, clause: str, circumstances: Circumstances, violation: Violation) -> KnownFault | None:
        """The known fault behind the violation, one without a condition first; None if there is none."""
        observation = circumstances.observation
        error = cache(partial(recorded_error, observation))
        is_of = partial(circumstances.kinds.are, violation.subject)
        cause, by_error = violation.kind, violation.cause.is_error
        found = [
            one
            for one in self._known.get(clause, ())
            if one.covers(cause, by_error=by_error, error=error, holds=circumstances.hold, is_of=is_of)
        ]
        return min(found, key=lambda one: one.when is not None, default=None)
