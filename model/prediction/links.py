"""Paths that a listing which follows symbolic links reaches by another path too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from model.prediction.paths import StorageEntry, is_visible
from model.vocabulary.table import Kind

#: The root as the target of a link.
ROOT = "."

#: The directory that contains the root.
ABOVE = ".."


def resolved(path: str, listing: Mapping[str, StorageEntry]) -> str | None:
    """``path`` with the links of ``listing`` in it followed: ``.`` is the root, ``../…`` beside it.

    None if a link leads nowhere or in a circle.
    """
    found: list[str] = []
    ahead = [part for part in reversed(path.split("/")) if part not in ("", ".")]
    for _ in range(1000):  # more steps mean a circle
        if not ahead:
            return "/".join(found) or ROOT
        part = ahead.pop()
        if part == ".." and found and found[-1] != "..":
            found.pop()
            continue
        found.append(part)
        thing = listing.get("/".join(found))
        if thing is None or thing.kind is not Kind.LINK:
            continue
        if thing.target is None:
            return None
        found = []  # a target is relative to the root
        ahead += [part for part in reversed(thing.target.split("/")) if part not in ("", ".")]
    return None


def reached_directories(
    listing: Mapping[str, StorageEntry],
    partition_by: Iterable[str],
    reserved: Collection[str] = (),
    hides_names: bool = True,
) -> frozenset[str]:
    """The directories that a listing of the table reaches through a visible link, and the targets of links beside the root.

    ``.`` is the root; ``..``, the directory that contains it, reaches the root too. A link below a reached directory counts
    by its path from there. Targets beside the root are not checked (they may be files, or not exist) or followed further.
    """
    columns = tuple(partition_by)
    links = [path for path, thing in listing.items() if thing.kind is Kind.LINK]
    reached: set[str] = set()
    new = {ROOT}
    while new:
        above = new.pop()
        for link in links:
            within = below(link, above)
            if within is None or not is_visible(within, columns, reserved, hides_names):
                continue
            for target in _entered(resolved(link, listing), listing) - reached:
                reached.add(target)
                if not target.startswith(ABOVE):
                    new.add(target)
    return frozenset(reached)


def _entered(target: str | None, listing: Mapping[str, StorageEntry]) -> set[str]:
    """The directories that a listing enters, or may enter, when it follows a link to ``target``."""
    if target is None:
        return set()
    if target == ABOVE:
        return {ABOVE, ROOT}
    if target == ROOT or target.startswith(f"{ABOVE}/"):
        return {target}
    return {target} if target in listing and listing[target].directory else set()


def below(path: str, directory: str) -> str | None:
    """``path`` relative to ``directory`` (``.``: the root); None if it is not below it."""
    if directory == ROOT:
        return path
    return path[len(directory) + 1 :] if path.startswith(f"{directory}/") else None


def behind_links(
    listing: Mapping[str, StorageEntry],
    partition_by: Iterable[str],
    reserved: Collection[str] = (),
    hides_names: bool = True,
) -> frozenset[str]:
    """The paths in ``listing`` that a listing which follows links reaches by another path too."""
    columns = tuple(partition_by)
    return frozenset(
        path
        for directory in reached_directories(listing, columns, reserved, hides_names)
        for path in listing
        if (within := below(path, directory)) is not None and is_visible(within, columns, reserved, hides_names)
    )
