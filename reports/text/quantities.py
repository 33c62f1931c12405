"""Counts, durations and instants in words. Durations and instants are exact to the ms."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """``1 case``, ``2 cases``, ``0 cases``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def instant(offset: int) -> str:
    """An instant ``offset`` ms from the start of the case: ``start``, ``start + 7 d``, ``start - 7 d 0.001 s``."""
    if offset == 0:
        return "start"
    return f"start {'+' if offset > 0 else '-'} {duration(abs(offset))}"


def duration(ms: int) -> str:
    """A duration of ``ms`` >= 0 milliseconds: ``7 d``, ``1 h 30 min``, ``0.001 s``, ``0 s``."""
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
