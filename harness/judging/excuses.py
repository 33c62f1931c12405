"""What a judge excuses: violations that are known deviations of the engine, each by its symptom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.judging.clause import Violation
from harness.judging.conditions import Circumstances
from harness.judging.subjects import SUBJECTS
from harness.observing.normalise import recorded_error
from records.symptoms import is_reported


@dataclass(frozen=True)
class KnownDeviation:
    """A clause that is known to be broken, with the symptom: whatever else breaks the clause is not excused.

    ``when`` names a condition of ``harness.judging.conditions``; without one it holds in every case. ``causes`` are the
    causes of its violations (``Violation.kind``). ``errors`` are classes or error conditions of the engine's error, or parts
    of its message as it is recorded (its first line); the cause is then that the step ended in an error, or one of
    ``causes``. ``of`` names a kind of subject of ``harness.judging.subjects``. With neither causes nor errors it excuses
    every violation of the clause.
    """

    clause: str
    when: str | None = None
    reason: str = "a known deviation"
    causes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    of: str | None = None

    def covers(self, circumstances: Circumstances, violation: Violation) -> bool:
        """Whether this violation of the clause, in a step with these circumstances, is the known one."""
        observation = circumstances.observation
        return (
            self._has_cause(violation)
            and (not self.errors or is_reported(recorded_error(observation), self.errors))
            and (self.when is None or circumstances.hold(self.when))
            and (self.of is None or SUBJECTS[self.of](observation, violation.subject))
        )

    def _has_cause(self, violation: Violation) -> bool:
        if violation.kind in self.causes or not (self.causes or self.errors):
            return True
        return bool(self.errors) and violation.cause.is_error


class Excuses:
    """The known deviations of an engine."""

    def __init__(self, known: Iterable[KnownDeviation | str] = ()) -> None:
        self._known: dict[str, list[KnownDeviation]] = {}
        for entry in known:
            deviation = KnownDeviation(entry) if isinstance(entry, str) else entry
            self._known.setdefault(deviation.clause, []).append(deviation)

    def excuse(self, clause: str, circumstances: Circumstances, violation: Violation) -> KnownDeviation | None:
        """The known deviation that the violation is; one without a condition before others. None: it is none."""
        found = [one for one in self._known.get(clause, ()) if one.covers(circumstances, violation)]
        return min(found, key=lambda one: one.when is not None, default=None)
