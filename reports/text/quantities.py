"""Counts, and instants in words, exact to the ms."""

from __future__ import annotations

from model.text.durations import duration


def counted(number: int, noun: str) -> str:
    """``1 case``, ``2 cases``, ``0 cases``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def instant(offset: int) -> str:
    """An instant ``offset`` ms from the start of the case: ``start``, ``start + 7 d``, ``start - 7 d 0.001 s``."""
    if offset == 0:
        return "start"
    return f"start {'+' if offset > 0 else '-'} {duration(abs(offset))}"
