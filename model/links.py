"""What a listing that follows symbolic links comes by a second time, by another path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from model.paths import Thing, is_visible
from model.table import Kind

#: How the root itself is written as a link's target.
ROOT = "."

#: The directory that the root is in.
ABOVE = ".."


def resolved(path: str, listing: Mapping[str, Thing]) -> str | None:
    """Where ``path`` is once the links of ``listing`` in it are followed.

    ``.`` for the root, ``../…`` for what lies beside it; None for what leads nowhere or in a circle.
    """
    found: list[str] = []
    ahead = [part for part in reversed(path.split("/")) if part not in ("", ".")]
    for _ in range(1000):  # more steps than any path has names: a circle
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
    listing: Mapping[str, Thing], partition_by: Iterable[str], reserved: Collection[str] = ()
) -> frozenset[str]:
    """The directories that a listing of the table enters through a link as well, or to which a link leads beside the root.

    ``.`` stands for the root. Only visible links count; a link below such a directory counts by its path from there on.
    What lies beside the root is not looked into: paths there may turn out to be files, or not to exist, and links there
    are not followed. ``..``, the directory that the root is in, reaches the root as well.
    """
    columns = tuple(partition_by)
    links = [path for path, thing in listing.items() if thing.kind is Kind.LINK]
    reached: set[str] = set()
    new = {ROOT}
    while new:
        above = new.pop()
        for link in links:
            within = below(link, above)
            if within is None or not is_visible(within, columns, reserved):
                continue
            for target in _entered(resolved(link, listing), listing) - reached:
                reached.add(target)
                if not target.startswith(ABOVE):
                    new.add(target)
    return frozenset(reached)


def _entered(target: str | None, listing: Mapping[str, Thing]) -> set[str]:
    """What a listing enters, or may enter, that follows a link to this place."""
    if target is None:
        return set()
    if target == ABOVE:
        return {ABOVE, ROOT}
    if target == ROOT or target.startswith(f"{ABOVE}/"):
        return {target}
    return {target} if target in listing and listing[target].directory else set()


def below(path: str, directory: str) -> str | None:
    """``path`` relative to ``directory`` (``.``: the root); None where it does not lie below it."""
    if directory == ROOT:
        return path
    return path[len(directory) + 1 :] if path.startswith(f"{directory}/") else None


def behind_links(
    listing: Mapping[str, Thing], partition_by: Iterable[str], reserved: Collection[str] = ()
) -> frozenset[str]:
    """The paths in ``listing`` that a listing which follows links names by another path, too."""
    columns = tuple(partition_by)
    reached = reached_directories(listing, columns, reserved)
    found = set()
    for directory in reached:
        for path in listing:
            within = below(path, directory)
            if within is not None and is_visible(within, columns, reserved):
                found.add(path)
    return frozenset(found)
