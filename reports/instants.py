"""The clock, and instants and durations in words. Every instant of a case is a number of ms from the case's start."""

from __future__ import annotations

import time


def now() -> int:
    """The machine's clock, in ms since the epoch."""
    return time.time_ns() // 1_000_000


def instant(offset: int) -> str:
    """An instant, ``offset`` ms from the start: ``start``, ``start + 7 d``, ``start - 7 d 0.001 s``. Exact to the ms."""
    if offset == 0:
        return "start"
    return f"start {'+' if offset > 0 else '-'} {duration(abs(offset))}"


def duration(ms: int) -> str:
    """A duration of ``ms`` >= 0 milliseconds: ``7 d``, ``1 h 30 min``, ``0.001 s``, ``0 s``. Exact to the ms."""
    seconds, thousandths = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [f"{count} {unit}" for count, unit in ((days, "d"), (hours, "h"), (minutes, "min")) if count]
    if thousandths:
        parts.append(f"{seconds}.{thousandths:03d} s")
    elif seconds or not parts:
        parts.append(f"{seconds} s")
    return " ".join(parts)
