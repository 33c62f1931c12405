"""The log of a world (second_opinion) and its times, from docs/delta.md and PROTOCOL.md, without code of the project."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from urllib.parse import unquote
from uuid import UUID

World = dict[str, Any]

HOUR = 3_600_000

#: The alphabet of Z85 (PROTOCOL.md, "Deletion Vector Descriptor Schema"; ZeroMQ RFC 32).
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


# Times (1.1; 1.2, steps 4, 5, 8 and 10) -----------------------------------------------------------------------------


def limits(world: World) -> tuple[int, int, int]:
    """The earliest and the latest cutoff, and the age at which tombstones leave the state."""
    retention, hours = world["retention"], world["retain_hours"]
    retain = None if hours is None else math.floor(Fraction(hours) + Fraction(1, 2)) * HOUR
    if retain and not world["obeys_retain"]:
        retain = None
    begin, end = world["wall"]
    if not world["sets_clock"]:
        length = retention if retain is None else retain
        return begin - length, end - length + 1, begin - length - 1
    state = world["clock"] - retention
    return (state, state, state) if retain is None else (begin - retain, end - retain, state)


def is_old(time: int, world: World) -> bool | None:
    earliest, latest, _ = limits(world)
    return True if time < earliest else False if time >= latest else None


def still_protects(time: int, world: World) -> bool | None:
    """Whether a tombstone of this time does."""
    if time <= limits(world)[2]:
        return False
    old = is_old(time, world)
    return None if old is None else not old


# The log (PROTOCOL.md, "Action Reconciliation"; "Add File and Remove File"; "Deletion Vector Descriptor Schema") -----------


def place(path: str, world: World) -> str | None:
    """The file of an action, by its path from the root; None if it is not below the root."""
    if not path.startswith(("file:", "/")):
        return unquote(path)
    plain = unquote(path.removeprefix("file://").removeprefix("file:"))
    below = f"{world['root']}/"
    return plain[len(below) :] if plain.startswith(below) else None


def vector_place(action: dict[str, Any], world: World) -> str | None:
    """The file of an action's deletion vector below the root; None if there is none."""
    vector = action.get("deletionVector")
    if not vector or vector["storageType"] == "i":
        return None
    text = vector["pathOrInlineDv"]
    if vector["storageType"] == "p":
        return place(text, world)
    number = 0
    for offset in range(len(text) - 20, len(text), 5):
        block = 0
        for letter in text[offset : offset + 5]:
            block = block * 85 + Z85.index(letter)
        number = (number << 32) + block
    name = f"deletion_vector_{UUID(int=number)}.bin"
    return f"{text[:-20]}/{name}" if text[:-20] else name


def state_of(world: World) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The adds and the removes of the newest version."""
    adds: dict[tuple[Any, ...], dict[str, Any]] = {}
    removes: dict[tuple[Any, ...], dict[str, Any]] = {}
    for _, actions in world["log"]:
        for action in actions:
            for kind, mine, other in (("add", adds, removes), ("remove", removes, adds)):
                if kind in action:
                    vector = action[kind].get("deletionVector") or {}
                    id = (vector.get("storageType"), vector.get("pathOrInlineDv"), vector.get("offset"))
                    key = (unquote(action[kind]["path"]), *id)
                    other.pop(key, None)
                    mine[key] = action[kind]
    return list(adds.values()), list(removes.values())


class Protected:
    """1.2, step 8, and the promise to deletion vectors by absolute path, which Delta does not keep."""

    def __init__(self, world: World) -> None:
        self.surely: set[str] = set()
        self.maybe: set[str] = set()  # the cutoff is somewhere in the run
        self.by_absolute_path: set[str] = set()
        self.directories: set[str] = set()
        self.maybe_directories: set[str] = set()
        adds, removes = state_of(world)
        for action, protects in [(add, True) for add in adds] + [
            (remove, still_protects(remove.get("deletionTimestamp") or 0, world)) for remove in removes
        ]:
            if protects is False:
                continue
            file, vector = place(action["path"], world), vector_place(action, world)
            if file is not None:
                (self.surely if protects else self.maybe).add(file)
                (self.directories if protects else self.maybe_directories).update(above(file))
            if vector is not None and action["deletionVector"]["storageType"] == "p":
                (self.by_absolute_path if protects else self.maybe).add(vector)
            elif vector is not None:
                (self.surely if protects else self.maybe).add(vector)
        self.removed = {place(remove["path"], world) for remove in removes}


def above(path: str) -> Iterator[str]:
    """The directories on the way to a path, without the root."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


# LITE (1.3) -------------------------------------------------------------------------------------------------------------


def lite_ages(world: World) -> dict[str, int]:
    """What LITE finds, with the age that it takes each for."""
    ages: dict[str, int] = {}
    for version in lite_versions(world):
        for action in world["log"][version][1]:
            if "remove" in action:
                remove = action["remove"]
                vector = vector_place(remove, world) if is_relative(remove) else None
                for path in (place(remove["path"], world), vector):
                    if path is not None:
                        ages[path] = max(ages.get(path, 0), remove.get("deletionTimestamp") or 0)
            elif "cdc" in action:
                ages.setdefault(str(place(action["cdc"]["path"], world)), 0)
    return ages


def is_relative(action: dict[str, Any]) -> bool:
    return bool((action.get("deletionVector") or {}).get("storageType") == "u")


def lite_versions(world: World) -> range:
    first, newest, bookmark = world["first"], len(world["log"]) - 1, world["bookmark"]
    last, previous = None, None
    for version in range(first, newest + 1):
        time = world["log"][version][0]
        if previous is not None and time <= previous:
            time = previous + 1
        if time <= limits(world)[0]:
            last = version
        previous = time
    if last is None:
        return range(0)
    if first != 0 and (bookmark is None or bookmark < first):
        raise ValueError("LITE must be refused")
    begin = first if bookmark is None else min(bookmark + 1, newest)
    return range(begin, last + 1)
