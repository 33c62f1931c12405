"""Faults of sessions that opened the table before others committed."""

from __future__ import annotations

from engines.port import Outcome
from faults import actions, files
from faults.fault import delete_fault, fault, vacuum_fault, when
from faults.tampering import Tampering
from model.vocabulary.steps import Delete, Read, Vacuum


def _earlier(t: Tampering) -> bool:
    return isinstance(t.step, (Delete, Vacuum, Read)) and t.step.by_earlier


def _commits(t: Tampering) -> bool:
    return _earlier(t) and bool(t.log.written)


def _refuse(t: Tampering) -> Outcome:
    """It is refused, and what it committed is taken back."""
    for version in t.log.written:
        t.log.uncommit(version)
    return t.fail("NullPointerException")


_NEEDS = ("earlier_sessions",)

# fmt: off
FAULTS = (
    delete_fault("earlier-session-undoes-what-others-did", "LIFE-5A", when(_commits, actions.remove(files.untouched)),
        "A DELETE of a session that opened the table earlier removes the other files too.", needs=_NEEDS),
    vacuum_fault("earlier-session-vacuums-a-live-file", "LIFE-5A", when(_earlier, files.delete_first(files.live)),
        "A VACUUM of a session that opened the table earlier deletes a live file.", needs=_NEEDS),
    delete_fault("earlier-session-commits-and-is-refused", "LIFE-5A",
        when(_commits, lambda t: t.refuse("DELTA_CONCURRENT_APPEND")),
        "A DELETE of a session that opened the table earlier is refused for a conflict, but has committed.", needs=_NEEDS),
    delete_fault("earlier-session-breaks", "LIFE-5A", when(_commits, _refuse),
        "A DELETE of a session that opened the table earlier breaks with an internal error.", needs=_NEEDS),
    fault("earlier-query-mixes-versions", "LIFE-5B", when(_earlier, Tampering.lose_first_row),
        "A query that was made before others committed returns the rows of no version.", on=Read, needs=_NEEDS),
)
# fmt: on
