"""Version numbers, in an order."""

from __future__ import annotations


def parse(version: str) -> tuple[int, ...]:
    """``"4.4.0"`` as ``(4, 4, 0)``; what follows the numbers (``rc1``, ``.dev0``) is left out."""
    numbers = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
