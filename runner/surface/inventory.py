"""What a version of an engine offers, as it says itself; kept as ``docs/surface/inventories/ENGINE-VERSION.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from model.codec.by_types import STRICT, ByTypes
from model.vocabulary.versions import parse
from records.mistakes import UsageMistake
from runner.gate_version import ROOT

DIRECTORY = ROOT / "docs" / "surface" / "inventories"


@dataclass(frozen=True, order=True)
class SurfaceItem:
    """One thing that an engine offers: ``property``, ``delta.appendOnly``."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True)
class EngineSurface:
    """``kinds``: for each kind its items by name, each with its detail (a default), or an empty text."""

    engine: str
    version: str
    title: str
    kinds: Mapping[str, Mapping[str, str]]

    def items(self) -> Iterator[SurfaceItem]:
        """All of them, sorted."""
        for kind, names in sorted(self.kinds.items()):
            yield from (SurfaceItem(kind, name) for name in sorted(names))

    def detail(self, item: SurfaceItem) -> str | None:
        """The detail of an item; None if this version does not have it."""
        return self.kinds.get(item.kind, {}).get(item.name)


FORM = ByTypes(dict(STRICT))


def path_of(engine: str, version: str) -> Path:
    """Where the inventory of a version is kept."""
    return DIRECTORY / f"{engine}-{version}.json"


def read(path: Path) -> EngineSurface:
    """Raises UsageMistake for a file that is no inventory."""
    try:
        found: EngineSurface = FORM.read(json.loads(path.read_text(encoding="utf-8")), EngineSurface)
        return found
    except ValueError as problem:
        raise UsageMistake(f"{path} is no inventory: write it again with --keep.") from problem


def write(inventory: EngineSurface, path: Path) -> None:
    """Sorted, one item a line, so that a comparison of two files shows what a release brings."""
    kinds = {kind: dict(sorted(names.items())) for kind, names in sorted(inventory.kinds.items())}
    members = FORM.write(replace(inventory, kinds=kinds))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(members, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def kept(engine: str) -> list[EngineSurface]:
    """The inventories of an engine that are kept, the oldest version first."""
    return sorted(map(read, DIRECTORY.glob(f"{engine}-*.json")), key=lambda found: parse(found.version))
