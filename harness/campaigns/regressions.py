"""The cases of ``regressions/``.

Those in a folder with an engine's name show faults of that engine alone, those in ``gate`` none of today: smoke leaves them out.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path

from model.codec import loads
from model.vocabulary.case import Case

FOLDER = Path(__file__).parent.parent.parent / "regressions"


def files(folder: Path = FOLDER, *, without: Collection[str] = ()) -> list[Path]:
    """The files of the cases, in the order of their names; not those in the folders ``without``."""
    found = (path for path in folder.rglob("*.json") if path.parent == folder or path.parent.name not in without)
    return sorted(found, key=lambda path: path.name)


@cache
def kept_cases(folder: Path = FOLDER, *, without: frozenset[str] = frozenset()) -> tuple[Case, ...]:
    """The cases, in the order of ``files``. Raises model.codec.InvalidCase."""
    return tuple(loads(path.read_text(encoding="utf-8")) for path in files(folder, without=without))


def of_others(*engines: str) -> frozenset[str]:
    """The folders whose cases show no fault of these engines, which are built in; none for an engine from outside."""
    folders = frozenset(path.name for path in FOLDER.iterdir() if path.is_dir())
    return frozenset() if any(":" in engine for engine in engines) else folders.difference(engines)
