"""A second opinion on what a VACUUM must do with each path, to compare the model with.

Written from docs/delta.md (1.2 to 1.4) and PROTOCOL.md, over plain JSON, without any code of the project: an error that the model
and the clauses share would show here. It favours plain loops over speed. The sections are named beside the rules.

A world is a JSON object:

- ``root``; ``partition_by``; ``reserved`` names; ``clock`` and ``retention`` in ms; ``wall``, the start and end of the run
- ``retain_hours`` of the command, or null; ``obeys_retain``: whether any RETAIN has an effect (Delta before 4.1, delta-rs)
- ``sets_clock``: whether the clock is the case's; if not, the cutoff counts back from the wall clock
- ``mode``: ``full``, ``lite``, ``inventory``, ``inventory of files``; of delta-rs ``objects`` and ``tombstones`` (its LITE)
- ``storage``: by path below the root, or beside it (``../x``), ``["file", mtime]``, ``["directory"]`` or ``["link", target]``
  with the final target as a path from the root (null: none)
- ``log``: for each version the commit's time and its actions; ``first``: the earliest version of which the log has the commit
- ``bookmark``: the version in ``_last_vacuum_info``, or null
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from urllib.parse import unquote
from uuid import UUID

World = dict[str, Any]

KEEP, DELETE, EITHER = "keep", "delete", "unspecified"

HOUR = 3_600_000

#: The alphabet of Z85 (PROTOCOL.md, "Deletion Vector Descriptor Schema"; ZeroMQ RFC 32).
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


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
            block = block * 85 + _Z85.index(letter)
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


# What is hidden (1.2, step 9) ---------------------------------------------------------------------------------------------


def name_is_hidden(name: str, world: World) -> bool:
    if name in world["reserved"]:
        return True
    if name[0] not in "_.":
        return False
    if name.startswith(("_delta_index", "_change_data")):
        return False
    return all(not name.startswith(column + "=") for column in world["partition_by"])


def is_hidden(path: str, world: World) -> bool:
    return any(name_is_hidden(name, world) for name in path.split("/"))


# Links (1.2, step 9) ----------------------------------------------------------------------------------------------------


def children(directory: str, world: World) -> list[str]:
    """The paths directly in a directory; "." is the root."""
    found = []
    for path in world["storage"]:
        if path.startswith("../") and not directory.startswith(".."):
            continue
        holder = path.rpartition("/")[0] or "."
        if holder == directory:
            found.append(path)
    return found


def seen_twice(world: World) -> set[str]:
    """What a listing that follows visible links reaches by another path than its own."""
    found: set[str] = set()
    entered: set[str] = set()
    ahead = ["."]
    while ahead:
        for path in descend(ahead.pop(), world):
            thing = world["storage"].get(path)
            if thing is None or thing[0] != "link" or thing[1] is None or thing[1] in entered:
                continue
            target = thing[1]
            if target in (".", "..") or world["storage"].get(target, ["none"])[0] == "directory":
                entered.add(target)
                inside = [target] + (["."] if target == ".." else [])
                for directory in inside:
                    found.update(descend(directory, world))
                    ahead.append(directory)
    return found


def descend(directory: str, world: World) -> list[str]:
    """Everything visible below a directory, links not followed."""
    found = []
    for path in children(directory, world):
        if not name_is_hidden(path.rpartition("/")[2], world):
            found.append(path)
            if world["storage"][path][0] == "directory":
                found += descend(path, world)
    return found


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


# Fates -----------------------------------------------------------------------------------------------------------------


def second_opinion(world: World) -> dict[str, str]:
    """For every path below the root: whether a VACUUM must keep or delete it, or may do either."""
    storage = {path: thing for path, thing in world["storage"].items() if not path.startswith("../")}
    protected = Protected(world)
    mode = world["mode"]
    in_log = lite_ages(world) if mode == "lite" else tombstone_ages(world) if mode == "tombstones" else {}
    lists = mode not in ("lite", "tombstones")
    twice = seen_twice(world) if mode in ("full", "objects") else set()
    fates: dict[str, str] = {}
    at_risk: set[str] = set()  # must stay, but Delta is known to delete it (docs/findings.md)
    for path, thing in storage.items():
        if thing[0] == "directory":
            continue
        age = effective_age(path, thing, world, in_log, lists=lists)
        old = None if age is None else is_old(age, world)
        candidate = old is not False and (lists or path in in_log)
        if path in protected.surely:
            fates[path] = KEEP
        elif path in protected.by_absolute_path:
            fates[path] = KEEP
            if candidate and (
                not is_hidden(path, world) if mode in ("full", "lite", "tombstones") else first_shows(path, world)
            ):
                at_risk.add(path)
        elif is_hidden(path, world):
            fates[path] = KEEP
            if candidate and mode in ("inventory", "inventory of files", "objects") and first_shows(path, world):
                at_risk.add(path)
        elif mode == "objects" and path in protected.removed:
            fates[path] = EITHER if path in protected.maybe else DELETE
        elif not candidate:
            fates[path] = KEEP
        else:
            certain = old is True and path not in protected.maybe and thing[0] == "file"
            fates[path] = DELETE if certain else EITHER
        if path in twice and old is not False:
            at_risk.add(path)
    # 1.2, step 13: Hadoop's local file system deletes a checksum along with its file.
    for path, thing in storage.items():
        head, _, name = path.rpartition("/")
        of = f"{head}/{name[1:-4]}" if head else name[1:-4]
        if thing[0] == "directory" or not (name.startswith(".") and name.endswith(".crc") and len(name) > 5):
            continue
        safe = fates.get(of) == KEEP and of not in at_risk
        if of in fates and not safe and path not in protected.surely | protected.by_absolute_path:
            fates[path] = EITHER
    for path in sorted(
        (path for path in storage if storage[path][0] == "directory"), key=lambda path: -path.count("/")
    ):
        fates[path] = of_directory(path, world, fates, at_risk, protected, twice)
    return fates


def of_directory(
    path: str, world: World, fates: dict[str, str], at_risk: set[str], protected: Protected, twice: set[str]
) -> str:
    """1.2, step 11."""
    mode = world["mode"]
    if mode in ("lite", "tombstones", "inventory of files"):
        return KEEP
    inside = [other for other in fates if other.startswith(f"{path}/")]
    if is_hidden(path, world):
        if (path in twice and all(other in at_risk for other in inside if fates[other] == KEEP)) or (
            mode == "inventory" and first_shows(path, world)
        ):
            at_risk.add(path)
        return KEEP
    if any(fates[other] == KEEP and other not in at_risk for other in inside):
        return KEEP
    if mode == "objects":
        return EITHER
    if path in protected.directories:
        # It stays, except where a known fault takes it for an empty directory, by its path through a link.
        return EITHER if path in twice else KEEP
    if not inside:
        return EITHER if path in protected.maybe_directories else DELETE
    return EITHER


def effective_age(path: str, thing: list[Any], world: World, in_log: dict[str, int], *, lists: bool) -> int | None:
    """The time that decides; None if it is unknown. A link counts with its target's."""
    if not lists:
        return in_log.get(path, 0)
    if thing[0] == "file":
        return int(thing[1])
    target = world["storage"].get(thing[1] or "", ["none"])
    return int(target[1]) if target[0] == "file" else None


def tombstone_ages(world: World) -> dict[str, int]:
    """LITE of delta-rs: the tombstones of the newest version (docs/coverage.md)."""
    ages: dict[str, int] = {}
    for remove in state_of(world)[1]:
        path = place(remove["path"], world)
        if path is not None:
            ages[path] = max(ages.get(path, 0), remove.get("deletionTimestamp") or 0)
    return ages


def first_shows(path: str, world: World) -> bool:
    """1.4: a flat list is tested by whole paths."""
    return not name_is_hidden(path, world)
