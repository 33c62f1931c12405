"""What the suite says of each item: it draws it, leaves it out with a reason and an experiment, or has not examined it yet.

The lists are ``docs/surface/ENGINE.toml``, with tables ``drawn``, ``left_out`` and ``open``. An entry names its items one by
one (``items``), or as families (``families``, with ``*`` for any text). An item's own name goes before a family, a longer family
before a shorter one. A family covers only what a kept inventory has: what a release brings is unlisted until somebody has
looked at it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from model.codec import InvalidCase
from records.mistakes import UsageMistake
from runner.gate_version import ROOT
from runner.surface.inventory import FORM, EngineSurface, SurfaceItem

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

DIRECTORY = ROOT / "docs" / "surface"


class ItemVerdict(str, Enum):
    """The verdict on an item, the best first."""

    DRAWN = "drawn"
    LEFT_OUT = "left_out"
    OPEN = "open"
    UNLISTED = "unlisted"  # by no entry

    @property
    def text(self) -> str:
        return self.value.replace("_", " ")


@dataclass(frozen=True)
class SurfaceEntry:
    """``by``: the name of the model that draws the items; ``experiment``: the test that backs the reason.

    What is tried, by the names of its items: ``calls`` in Python, each after ``setup``, and ``statements`` in SQL run before the
    DELETEs and VACUUMs of a case; these themselves have what is ``given``. By each of the ``conditions`` there is a DELETE.
    ``refused``: each is; ``noticed_by``: the clauses that notice what each does, all of them. Of ``settings`` each item is given,
    with the value that it has there, or else with ``another_value``.
    """

    word: ItemVerdict
    kind: str
    items: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    by: str = ""
    reason: str = ""
    experiment: str = ""
    setup: str = ""
    calls: Mapping[str, str] = field(default_factory=dict)
    statements: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    refused: bool = False
    noticed_by: tuple[str, ...] = ()


_NEEDED = {ItemVerdict.DRAWN: ("by",), ItemVerdict.LEFT_OUT: ("reason",), ItemVerdict.OPEN: ("reason",)}


_TRIED = ("calls", "statements", "given", "conditions")


def another_value(detail: str) -> str | None:
    """Another value of a setting than the default that its inventory has: a switch the other way, another number."""
    default = detail.rpartition("default ")[2]
    if default in ("true", "false"):
        return "false" if default == "true" else "true"
    try:
        number = float(default)
    except ValueError:
        return None
    return ("2" if number == 1 else "1") if number.is_integer() else "0.9"


def path_of(engine: str) -> Path:
    """The lists of an engine. Raises UsageMistake if it has none."""
    path = DIRECTORY / f"{engine}.toml"
    if not path.is_file():
        known = " or ".join(sorted(found.stem for found in DIRECTORY.glob("*.toml")))
        raise UsageMistake(f"{engine} has no list of what it offers: name a version of {known}.")
    return path


def read(path: Path) -> tuple[SurfaceEntry, ...]:
    """Raises UsageMistake, naming the entry, if one has not what its word needs, or if two name the same."""
    tables = _tables(path)
    entries = tuple(_entry(path, word, fields) for word in _NEEDED for fields in tables.get(word.value, ()))
    for named in (
        [(entry.kind, name) for entry in entries for name in entry.items],
        [(entry.kind, name) for entry in entries for name in entry.families],
    ):
        if twice := sorted(name for name, count in Counter(named).items() if count > 1):
            raise UsageMistake(f"{path.name} names {' '.join(twice[0])} twice: leave one out.")
    return entries


def controls(path: Path) -> tuple[SurfaceEntry, ...]:
    """What makes a difference, which a clause must notice: without it, nothing shows that the others make none."""
    return tuple(
        _entry(path, ItemVerdict.LEFT_OUT, {"reason": "control", **one}) for one in _tables(path).get("control", ())
    )


def forms(path: Path) -> tuple[SurfaceEntry, ...]:
    """Conditions that are no items of an inventory, each by itself."""
    found = _tables(path).get("form", ())
    made = (
        {"kind": "condition", "reason": "form", **one, "conditions": {text: text for text in one["conditions"]}}
        for one in found
    )
    return tuple(_entry(path, ItemVerdict.LEFT_OUT, fields) for fields in made)


def _tables(path: Path) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return found
    except tomllib.TOMLDecodeError as problem:
        raise UsageMistake(f"{path.name} is no TOML: {problem}.") from problem


def _entry(path: Path, word: ItemVerdict, fields: Mapping[str, Any]) -> SurfaceEntry:
    tried = [name for how in _TRIED for names in fields.get(how, ()) for name in names.split()]
    lists = {
        "items": (*fields.get("items", ()), *(name for name in tried if "*" not in name)),
        "families": (*fields.get("families", ()), *(name for name in tried if "*" in name)),
        "noticed_by": tuple(fields.get("noticed_by", ())),
    }
    try:
        entry: SurfaceEntry = FORM.read({"word": word.value, **fields, **lists}, SurfaceEntry)
    except InvalidCase as problem:
        raise UsageMistake(f"{path.name}, an entry of {word.value}: {problem}.") from problem
    missing = [name for name in _NEEDED[word] if not getattr(entry, name)]
    if word is ItemVerdict.LEFT_OUT and not (tried or entry.settings or entry.experiment):
        missing.append("calls, statements, given, conditions, settings or experiment")
    missing += [] if entry.items or entry.families else ["items or families"]
    if missing:
        raise UsageMistake(f"{path.name}, an entry of {word.value} for {entry.kind}: it lacks {', '.join(missing)}.")
    if word is ItemVerdict.OPEN and "*" in entry.families:
        raise UsageMistake(f"{path.name}, an entry of open for {entry.kind}: give each open item its reason.")
    return entry


@dataclass(frozen=True)
class JudgedItem:
    """The verdict on an item, and its entry; of an unlisted one ``entry`` is the family that would cover it, if any."""

    item: SurfaceItem
    word: ItemVerdict
    entry: SurfaceEntry | None


def judged(
    inventory: EngineSurface, entries: Iterable[SurfaceEntry], known: Collection[SurfaceItem]
) -> list[JudgedItem]:
    """Each item of the inventory. ``known`` are the items of the kept inventories, which alone families cover."""
    index = _Index(entries)
    found = []
    for item in inventory.items():
        entry, by_name = index.entry_of(item)
        covered = entry is not None and (by_name or item in known)
        found.append(JudgedItem(item, entry.word if entry is not None and covered else ItemVerdict.UNLISTED, entry))
    return found


def stale(entries: Iterable[SurfaceEntry], offered: Collection[SurfaceItem]) -> Iterator[str]:
    """The names and families of the lists that no version offers any more."""
    for entry in entries:
        have = {item.name for item in offered if item.kind == entry.kind}
        yield from (f"{entry.kind} {name}" for name in entry.items if name not in have)
        for family in entry.families:
            if not any(_pattern(family).fullmatch(name) for name in have):
                yield f"{entry.kind} {family}"


class _Index:
    """The entry of each item."""

    def __init__(self, entries: Iterable[SurfaceEntry]) -> None:
        self._names: dict[SurfaceItem, SurfaceEntry] = {}
        self._families: dict[str, list[tuple[str, SurfaceEntry]]] = {}
        for entry in entries:
            self._names.update({SurfaceItem(entry.kind, name): entry for name in entry.items})
            self._families.setdefault(entry.kind, []).extend((family, entry) for family in entry.families)
        for families in self._families.values():
            families.sort(key=lambda pair: (-len(pair[0]), pair[0]))

    def entry_of(self, item: SurfaceItem) -> tuple[SurfaceEntry | None, bool]:
        """The entry, and whether it has the item's own name."""
        if item in self._names:
            return self._names[item], True
        for family, entry in self._families.get(item.kind, ()):
            if _pattern(family).fullmatch(item.name):
                return entry, False
        return None, False


def _pattern(family: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, family.split("*"))), re.DOTALL)
