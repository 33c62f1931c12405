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

from typing import Any

from tests.model.second_opinions.plain_log import Protected, World, is_old, lite_ages, place, state_of

KEEP, DELETE, EITHER = "keep", "delete", "unspecified"


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
