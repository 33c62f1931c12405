"""Lengths of time in words, exact to the ms."""

from __future__ import annotations


def duration(ms: int) -> str:
    """``7 d 1 h 0.001 s``, ``1 min 30 s``, ``0 s``."""
    parts = []
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000)):
        if ms >= size:
            parts.append(f"{ms // size} {unit}")
            ms %= size
    if ms or not parts:
        parts.append(f"{ms / 1000:g} s")
    return " ".join(parts)
