"""Version numbers."""

from __future__ import annotations


def parse(version: str) -> tuple[int, ...]:
    """``"4.4.0"`` as ``(4, 4, 0)``; suffixes (``rc1``, ``.dev0``) are ignored."""
    numbers = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
