"""Faults of sessions that opened the table before others committed."""

from __future__ import annotations

from engines.port import Outcome
from faults.machinery import actions, files
from faults.machinery.fault import delete_fault, fault, vacuum_fault, when
from faults.machinery.tampering import Tampering
from model.vocabulary.steps import Delete, OpenSession, Read, Vacuum


def _earlier(t: Tampering) -> bool:
    return isinstance(t.step, (Delete, Vacuum, Read)) and t.step.by_earlier


def _streams(t: Tampering) -> bool:
    return isinstance(t.step, OpenSession) and t.step.streams and bool(t.log.live)


def _commits(t: Tampering) -> bool:
    return _earlier(t) and bool(t.log.written)


def _refuse(t: Tampering) -> Outcome:
    """It is refused, and what it committed is taken back."""
    t.log.undo()
    return t.fail("NullPointerException")


def _twice(t: Tampering) -> Outcome | None:
    """Its first row is there twice."""
    rows = t.outcome.rows
    return t.answer([rows[0], *rows]) if rows else None


_NEEDS = ("earlier_sessions",)
_STREAMS = ("streams",)

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
    fault("stream-delivers-a-row-twice", "LIFE-5C", when(_earlier, _twice),
        "A stream of the table delivers a row twice.", on=Read, needs=_STREAMS),
    fault("stream-loses-a-row", "LIFE-5C", when(_earlier, Tampering.lose_first_row),
        "A stream of the table does not deliver a row.", on=Read, needs=_STREAMS),
    fault("stream-breaks", "LIFE-5C", when(_earlier, lambda t: t.fail("FileNotFoundException")),
        "A stream of the table fails after others have committed.", on=Read, needs=_STREAMS),
    fault("stream-does-not-begin", "LIFE-5D", when(_streams, lambda t: t.fail("IllegalStateException")),
        "A stream of the table fails at once.", on=OpenSession, needs=_STREAMS),
)
# fmt: on
