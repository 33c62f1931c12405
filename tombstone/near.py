"""Suggestions for an unknown name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

#: From this similarity (0 to 1) on, one name may have been meant by the other.
_ALIKE = 0.75


def meant(name: str, known: Iterable[str], *, otherwise: str, most: int = 3) -> str:
    """``did you mean X or Y?``, ignoring case; ``otherwise`` if no known word is close."""
    by_capitals = {one.upper(): one for one in known}
    near = get_close_matches(name.upper(), by_capitals, most, _ALIKE)
    return f"did you mean {' or '.join(by_capitals[one] for one in near)}?" if near else otherwise
