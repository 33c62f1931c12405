"""Where a VACUUM draws the line between what is old and what is not."""

from __future__ import annotations

import math
from dataclasses import dataclass

from model.rules import Retain
from model.table import HOUR


@dataclass(frozen=True)
class Cutoff:
    """Where VACUUM draws the line, in ms since the epoch.

    ``earliest`` and ``latest`` are equal unless the engine takes the cutoff from a clock that nobody can set (RETAIN 0 on
    Spark). ``state`` is clock - the table's own retention: tombstones at or before it have left the table's state, whatever
    RETAIN says (docs/delta.md 1.2, step 8).
    """

    earliest: int
    latest: int
    state: int

    def is_old(self, modified: int) -> bool | None:
        """Whether a file of this mtime is old: strictly before the cutoff (docs/delta.md 1.2, step 10). None: cannot be told."""
        if modified < self.earliest:
            return True
        return None if modified < self.latest else False

    def retains(self, deleted: int) -> bool | None:
        """Whether a tombstone of this deletionTimestamp still protects its file. None: cannot be told.

        It must be at or after the cutoff, and strictly after ``state``: with the default retention, one at the
        cutoff's very millisecond is expired.
        """
        if deleted <= self.state:
            return False
        old = self.is_old(deleted)
        return None if old is None else not old


def effective_retain(hours: float | None, rule: Retain) -> int | None:
    """The RETAIN of these hours that has an effect, in ms: any, or only one that rounds to 0 (docs/delta.md 1.2, step 4)."""
    if hours is None:
        return None
    rounded = whole_hours(hours)
    return rounded if rounded == 0 or rule is Retain.ANY else None


def refuses_retain(retain: int | None, *, retention: int, safety_check: bool) -> bool:
    """Whether a VACUUM is refused for a RETAIN that has an effect, in ms.

    It is for one that is too short, while the check is on, and for a negative one always (docs/delta.md 1.2, step 7).
    """
    return retain is not None and (retain < 0 or (safety_check and retain < retention))


def cutoff_for(
    *, clock: int, retention: int, retain: int | None, wall: tuple[int, int], own_clock: bool = True
) -> Cutoff:
    """The cutoff of a VACUUM, all in ms. ``retain`` is a RETAIN that has an effect, which the wall clock then measures.

    docs/delta.md 1.2, steps 4 and 5: without one, the cutoff is the engine's (injected) clock minus the table's retention. An
    engine without a clock of its own measures both by the wall clock, and has no other state than its cutoff's.
    """
    if not own_clock:
        length = retention if retain is None else retain
        # Some take what is exactly as old as the retention for old, and some do not: with no clock to set, nobody can tell.
        return Cutoff(wall[0] - length, wall[1] - length + 1, wall[0] - length - 1)
    state = clock - retention
    if retain is None:
        return Cutoff(state, state, state)
    return Cutoff(wall[0] - retain, wall[1] - retain, state)


def whole_hours(hours: float) -> int:
    """RETAIN's hours as the engine takes them: rounded to whole ones, halves up; in ms (docs/delta.md 1.1)."""
    whole = math.floor(hours)
    # Not floor(hours + 0.5): that sum is itself rounded, and the greatest number below a half would become 1.
    return (whole + (hours - whole >= 0.5)) * HOUR
