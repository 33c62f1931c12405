"""Faults of reading."""

from __future__ import annotations

from model.steps import Read
from selfcheck.faults.fault import fault, when
from selfcheck.faults.tampering import Tampering


def _time_travel(t: Tampering) -> bool:
    assert isinstance(t.step, Read)
    return t.step.before_step is not None


# fmt: off
FAULTS = (
    fault("read-loses-a-row", "DEL-ROW-5A VAC-SAFE-10A", when(lambda t: not _time_travel(t), Tampering.lose_first_row),
        "Reading the table misses a row.", on=Read),
    fault("time-travel-loses-a-row", "DEL-TT-1", when(_time_travel, Tampering.lose_first_row),
        "Reading an earlier version misses a row.", on=Read),
    fault("time-travel-after-vacuum-fails", "VAC-SAFE-10C",
        when(lambda t: _time_travel(t) and t.runs > 0, lambda t: t.refuse("DELTA_FILE_NOT_FOUND")),
        "After a VACUUM earlier versions cannot be read.", on=Read),
    fault("reads-beyond-retention", "VAC-SAFE-10E", when(lambda t: t.failed, lambda t: t.answer([])),
        "A version older than the retention is read as if it were empty.", on=Read),
)
# fmt: on
