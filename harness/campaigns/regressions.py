"""The cases of ``regressions/``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from model.codec import loads
from model.vocabulary.case import Case

FOLDER = Path(__file__).parent.parent.parent / "regressions"


@cache
def kept_cases(folder: Path = FOLDER) -> tuple[Case, ...]:
    """The cases, in the order of their file names. Raises model.codec.InvalidCase."""
    return tuple(loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json")))
