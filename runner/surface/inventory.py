"""What a version of an engine offers, as it says itself; kept as ``docs/surface/inventories/ENGINE-VERSION.json``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class _File:
    """``since``: the older version from which ``kinds`` has the differences."""

    engine: str
    version: str
    title: str
    kinds: Mapping[str, Mapping[str, str | None]]
    since: str = ""


FORM = ByTypes(dict(STRICT))


def path_of(engine: str, version: str) -> Path:
    """Where the inventory of a version is kept."""
    return DIRECTORY / f"{engine}-{version}.json"


def read(path: Path) -> EngineSurface:
    """Raises UsageMistake for a file that is no inventory."""
    try:
        file: _File = FORM.read(json.loads(path.read_text(encoding="utf-8")), _File)
        older = read(path.with_name(path_of(file.engine, file.since).name)).kinds if file.since else {}
        return EngineSurface(file.engine, file.version, file.title, _merged(older, file.kinds))
    except (ValueError, OSError) as problem:
        raise UsageMistake(f"{path} is no inventory: write it again with --keep.") from problem


def write(inventory: EngineSurface, path: Path) -> None:
    """Sorted, one item a line; beside an older version only what differs from it, with null for what is gone."""
    others = [one for one in _in(path.parent, inventory.engine) if one.version != inventory.version]
    older: EngineSurface | None = None
    path.parent.mkdir(parents=True, exist_ok=True)
    for one in sorted([*others, inventory], key=lambda one: parse(one.version)):
        members: dict[str, object] = {"engine": one.engine, "version": one.version, "title": one.title}
        if older is not None:
            members["since"] = older.version
        kinds = {kind: dict(sorted(names.items())) for kind, names in sorted(one.kinds.items())}
        members["kinds"] = kinds if older is None else dict(_differences(older.kinds, kinds))
        file = path if one is inventory else path.with_name(path_of(one.engine, one.version).name)
        file.write_text(json.dumps(members, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        older = one


def _differences(
    older: Mapping[str, Mapping[str, str]], kinds: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[str, Mapping[str, str | None]]]:
    for kind in sorted(older.keys() | kinds.keys()):
        old, new = older.get(kind, {}), kinds.get(kind, {})
        yield kind, {name: new.get(name) for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)}


def _merged(
    older: Mapping[str, Mapping[str, str]], changes: Mapping[str, Mapping[str, str | None]]
) -> Mapping[str, Mapping[str, str]]:
    return {
        kind: {
            name: detail
            for name, detail in sorted({**older.get(kind, {}), **changes.get(kind, {})}.items())
            if detail is not None
        }
        for kind in sorted(older.keys() | changes.keys())
    }


def kept(engine: str) -> list[EngineSurface]:
    """The inventories of an engine that are kept, the oldest version first."""
    return _in(DIRECTORY, engine)


def _in(directory: Path, engine: str) -> list[EngineSurface]:
    return sorted(map(read, directory.glob(f"{engine}-*.json")), key=lambda found: parse(found.version))
