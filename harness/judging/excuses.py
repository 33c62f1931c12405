"""What a judge excuses: violations that are known deviations of the engine, each by its symptom."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from harness.judging.clause import Violation
from harness.judging.conditions import Circumstances
from harness.judging.subjects import kinds_of
from harness.observing.normalise import recorded_error
from records.deviation import Deviation


class Excuses:
    """The known deviations of an engine. A clause's id stands for one that excuses every violation of the clause."""

    def __init__(self, known: Iterable[Deviation | str] = ()) -> None:
        self._known: dict[str, list[Deviation]] = {}
        for entry in known:
            deviation = Deviation(entry) if isinstance(entry, str) else entry
            self._known.setdefault(deviation.clause, []).append(deviation)

    def excuse(self, clause: str, circumstances: Circumstances, violation: Violation) -> Deviation | None:
        """The known deviation that the violation is; one without a condition before others. None: it is none."""
        found = [one for one in self._known.get(clause, ()) if _covers(one, circumstances, violation)]
        return min(found, key=lambda one: one.when is not None, default=None)


def _covers(known: Deviation, circumstances: Circumstances, violation: Violation) -> bool:
    """As ``reports.comparison.acceptance.covering`` decides for what a stream has recorded of it."""
    observation = circumstances.observation
    return (known.when is None or circumstances.hold(known.when)) and known.symptom.fits(
        violation.kind,
        by_error=violation.cause.is_error,
        error=recorded_error(observation),
        kinds=partial(kinds_of, observation, violation.subject),
    )
