"""Counts in words."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """``1 case``, ``2 cases``, ``0 cases``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
