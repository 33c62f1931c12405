"""A known fault: a clause that an engine is known to fail, with the symptom by which a violation is recognised.

A violation is recognised in the form in which a run records it: while a case is judged, and in a stream of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Union

from model.vocabulary.limits import Text, Texts
from model.vocabulary.versions import is_in, parse
from records.run import RecordedError
from records.symptoms import is_reported


@dataclass(frozen=True)
class Symptom:
    """Which violations of the clause are the known one: all that is given must match.

    ``causes`` are causes of violations (``RecordedViolation.cause``). ``errors`` are classes or error conditions of the
    engine's error, or parts of its message as it is recorded (its first line); the cause is then that the step ended in an
    error, or one of ``causes``. ``of`` names a kind of subject (harness.judging.excusing.conditions). With neither causes nor
    errors every violation matches.
    """

    causes: Texts = ()
    errors: Texts = ()
    of: Text | None = None

    def has_cause(self, cause: str, *, by_error: bool) -> bool:
        """Whether this cause of a violation is known; ``by_error``: it is that the step ended in an error."""
        return cause in self.causes or not (self.causes or self.errors) or (bool(self.errors) and by_error)


#: A range of versions such as ``>=4.1,<4.3``: all parts must hold; empty: any version.
Range = Annotated[str, "range"]

#: The last day, or the last version; None: it has no end.
Until = Union[date, str, None]


class Ranged:
    """What is so of versions in a range, and until an end."""

    versions: Range
    until: Until

    def holds_for(self, version: str) -> bool:
        """Whether ``version``, such as ``4.4.0``, lies in the range."""
        return is_in(version, self.versions)

    def is_past(self, version: str, today: date) -> bool:
        """Whether the day or the version named by ``until`` is over."""
        if isinstance(self.until, str):
            return parse(version) > parse(self.until)
        return self.until is not None and today > self.until


@dataclass(frozen=True)
class KnownFault(Ranged):
    """One clause that is known to fail, by one symptom.

    ``until`` says up to when it is accepted. ``when`` names the condition under which it applies
    (harness.judging.excusing.conditions); None: it always applies. ``on`` is the one of ``known_faults.entries.PLACES`` where it
    applies; None: everywhere. ``wide`` says why another fault with the same symptom there would be excused too; None: it would
    not. ``concerns`` ends the sentence "Concerns you only if …"; None: ``when`` says it (``Condition.whom``).
    """

    clause: str
    reason: str = "a known fault"
    link: str = ""
    symptom: Symptom = Symptom()
    versions: Range = ""
    until: Until = None
    when: str | None = None
    on: str | None = None
    wide: str | None = None
    concerns: str | None = None

    def covers(
        self,
        cause: str,
        *,
        by_error: bool,
        error: Callable[[], RecordedError | None],
        holds: Callable[[str], bool],
        is_of: Callable[[str], bool],
    ) -> bool:
        """Whether a violation of the clause with this cause is the known one. What costs most is asked for last.

        ``by_error``: its cause is that the step ended in an error; ``error``: that error; ``holds``: whether a condition
        does; ``is_of``: whether its subject is of a kind.
        """
        symptom = self.symptom
        return (
            symptom.has_cause(cause, by_error=by_error)
            and (not symptom.errors or is_reported(error(), symptom.errors))
            and (self.when is None or holds(self.when))
            and (symptom.of is None or is_of(symptom.of))
        )
