"""Cases that are kept: each showed something once, and no run may miss it again."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from model.case import Case
from model.codec import loads

#: The folder that holds them, a case.json each, under names that say what they show.
FOLDER = Path(__file__).parent.parent / "regressions"


@cache
def kept_cases(folder: Path = FOLDER) -> tuple[Case, ...]:
    """The cases, in the order of their names. Raises model.codec.CorruptCase for one that is none."""
    return tuple(loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json")))
