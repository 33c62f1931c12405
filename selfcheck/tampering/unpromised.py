"""The list of ways that nobody promises to be wrong."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

LISTED = Path(__file__).with_name("unpromised.toml")


@dataclass(frozen=True)
class Unpromised:
    """``ways`` are patterns of names (fnmatch); ``source`` says where one can read why."""

    ways: tuple[str, ...]
    reason: str
    source: str

    def covers(self, way: str) -> bool:
        return any(fnmatchcase(way, pattern) for pattern in self.ways)


def unpromised(path: Path, engine: str) -> list[Unpromised]:
    """The entries of the list for an engine: those without ``engines``, and those that name it."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("unpromised", [])
    return [
        Unpromised(tuple(entry["ways"]), entry["reason"], entry["source"])
        for entry in entries
        if engine in entry.get("engines", (engine,))
    ]
