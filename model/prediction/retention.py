"""The cutoff of a VACUUM: what is old enough to be deleted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from model.vocabulary.rules import Retain
from model.vocabulary.table import HOUR


@dataclass(frozen=True)
class Cutoff:
    """The cutoff of a VACUUM, in ms since the epoch.

    ``earliest`` and ``latest`` differ only if the engine reads the wall clock, which cannot be set (RETAIN 0 on Spark).
    ``state`` is the clock minus the table's own retention: older tombstones have left the table's state, whatever RETAIN
    is (docs/delta.md 1.2, step 8).
    """

    earliest: int
    latest: int
    state: int

    def is_old(self, modified: int) -> bool | None:
        """Whether a file of this mtime is old: strictly before the cutoff (docs/delta.md 1.2, step 10). None: unknown."""
        if modified < self.earliest:
            return True
        return None if modified < self.latest else False

    def retains(self, deleted: int) -> bool | None:
        """Whether a tombstone of this deletionTimestamp still protects its file. None: unknown.

        It must be at or after the cutoff, and strictly after ``state``: with the default retention, one exactly at
        the cutoff is expired.
        """
        if deleted <= self.state:
            return False
        old = self.is_old(deleted)
        return None if old is None else not old


def effective_retain(hours: float | None, rule: Retain) -> int | None:
    """The retention in ms that RETAIN sets; None if it has no effect (docs/delta.md 1.2, step 4)."""
    if hours is None:
        return None
    rounded = whole_hours(hours)
    return rounded if rounded == 0 or rule is Retain.ANY else None


def refuses_retain(retain: int | None, *, retention: int, safety_check: bool) -> bool:
    """Whether a VACUUM is refused for its effective RETAIN (ms).

    It is if RETAIN is too short while the safety check is on, and always if negative (docs/delta.md 1.2, step 7).
    """
    return retain is not None and (retain < 0 or (safety_check and retain < retention))


def cutoff_for(
    *, clock: int, retention: int, retain: int | None, wall: tuple[int, int], own_clock: bool = True
) -> Cutoff:
    """The cutoff of a VACUUM, all in ms. ``retain`` is an effective RETAIN, which counts back from the wall clock.

    Without ``retain``, the cutoff is the engine's (injected) clock minus the table's retention (docs/delta.md 1.2, steps 4
    and 5). An engine whose clock cannot be set uses the wall clock for both, and its cutoff for the table's state too.
    """
    if not own_clock:
        length = retention if retain is None else retain
        # Engines differ on a file exactly as old as the retention, which cannot be tested without setting the clock.
        return Cutoff(wall[0] - length, wall[1] - length + 1, wall[0] - length - 1)
    state = clock - retention
    if retain is None:
        return Cutoff(state, state, state)
    return Cutoff(wall[0] - retain, wall[1] - retain, state)


def whole_hours(hours: float) -> int:
    """RETAIN's hours in ms, rounded half up to whole hours as the engine does (docs/delta.md 1.1)."""
    whole = math.floor(hours)
    # Not floor(hours + 0.5): that sum is rounded itself, and turns the greatest number below 0.5 into 1.
    return (whole + (hours - whole >= 0.5)) * HOUR
