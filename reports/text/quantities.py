"""Counts, and instants in words, exact to the ms."""

from __future__ import annotations

from model.text.durations import duration


def counted(number: int, noun: str) -> str:
    """``1 case``, ``1,204 cases``, ``2 ways``, ``2 empty directories``."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeo" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else many}"


def instant(offset: int) -> str:
    """An instant ``offset`` ms from the start of the case: ``start``, ``start + 7 d``, ``start - 7 d 0.001 s``."""
    if offset == 0:
        return "start"
    return f"start {'+' if offset > 0 else '-'} {duration(abs(offset))}"
