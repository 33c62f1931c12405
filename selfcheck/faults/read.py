"""Faults of reading."""

from __future__ import annotations

from selfcheck.faults.fault import fault
from selfcheck.faults.tampering import Tampering
from engines.port import Outcome
from model.steps import Read


@fault("read-loses-a-row", "Reading the table misses a row.", on=Read, caught_by="DEL-ROW-5A VAC-SAFE-10A")
def loses_a_row(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Read)
    return t.answer(t.outcome.rows[1:]) if t.outcome.rows and t.step.before_step is None else None


@fault("time-travel-loses-a-row", "Reading an earlier version misses a row.", on=Read, caught_by="DEL-TT-1")
def time_travel_loses_a_row(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Read)
    return t.answer(t.outcome.rows[1:]) if t.outcome.rows and t.step.before_step is not None else None


@fault(
    "time-travel-after-vacuum-fails",
    "After a VACUUM an earlier version cannot be read.",
    on=Read,
    caught_by="VAC-SAFE-10C",
)
def time_travel_fails(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Read)
    return t.refuse("DELTA_FILE_NOT_FOUND") if t.step.before_step is not None and t.runs else None


@fault(
    "reads-beyond-retention",
    "A version older than the retention is read, as if it were empty.",
    on=Read,
    caught_by="VAC-SAFE-10E",
)
def reads_beyond_retention(t: Tampering) -> Outcome | None:
    return t.answer([]) if t.outcome.error is not None else None
