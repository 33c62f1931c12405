"""The directories of a table as a tree: what each release does in each directory and below it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from model.prediction.fates import Fate
from rehearsal.prediction import of_directory, summed
from rehearsal.rehearsed import ByDirectory, ByReason, ReleaseRehearsal

#: So many directories a tree has at most, so many of them stand in one, and so many in each other: a page with more is slow,
#: and nobody reads it.
MOST = 1_000
MOST_IN_ONE = 100
MOST_DEEP = 12


@dataclass(frozen=True)
class Node:
    """A directory. ``releases``: what each release does with the files in it and below it, in the order of the releases.

    ``below``: the directories in it that are shown. ``folded``: how many others are in it. The name of the root is ``.``; a
    directory that has both files and directories has a node of its own for its files, with the name ``""``.
    """

    name: str
    releases: tuple[ByDirectory, ...]
    below: tuple[Node, ...]
    folded: int

    @property
    def differs(self) -> bool:
        """Whether the releases do different things here."""
        return len({one.why for one in self.releases}) > 1

    @property
    def shown(self) -> int:
        """The number of nodes, including this one."""
        return 1 + sum(one.shown for one in self.below)


#: The path of the node for a directory's own files: no directory has this name.
_FILES = ""


def tree_of(releases: Sequence[ReleaseRehearsal], most: int = MOST, most_in_one: int = MOST_IN_ONE) -> Node:
    """At most ``most`` nodes: the upper directories first, and within one directory those with the most deleted bytes."""
    found = _Found(releases)
    opened: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    left = most - 1
    level: list[tuple[str, ...]] = [()]
    for _ in range(MOST_DEEP):
        below: list[tuple[str, ...]] = []
        for path in sorted(level, key=found.order):
            children = sorted(found.children[path], key=found.order)[:most_in_one]
            if not children or len(children) > left:
                continue
            left -= len(children)
            opened[path] = tuple(sorted(children))
            below += children
        level = below
    return _node((), found, opened)


class _Found:
    """What each release does at a path and below it, by the parts of the path; ``children``: the paths one step deeper."""

    def __init__(self, releases: Sequence[ReleaseRehearsal]) -> None:
        self._whys: list[dict[tuple[str, ...], list[ByReason]]] = [defaultdict(list) for _ in releases]
        children: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
        own: set[tuple[str, ...]] = set()
        for whys, release in zip(self._whys, releases):
            for directory in release.directories:
                parts = () if directory.path == "." else tuple(directory.path.split("/"))
                own.add(parts)
                for depth in range(len(parts) + 1):
                    whys[parts[:depth]].extend(directory.why)
                    if depth:
                        children[parts[: depth - 1]].add(parts[:depth])
                files = (*parts, _FILES)
                whys[files].extend(directory.why)
        for parts in own:
            if children.get(parts):
                children[parts].add((*parts, _FILES))
        self.children: Mapping[tuple[str, ...], set[tuple[str, ...]]] = children

    def of(self, path: tuple[str, ...]) -> tuple[ByDirectory, ...]:
        return tuple(of_directory("/".join(path) or ".", whys.get(path, ())) for whys in self._whys)

    def order(self, path: tuple[str, ...]) -> tuple[int, int, tuple[str, ...]]:
        """Where most bytes go, then where most files go; then by name."""
        deleted = [summed(whys.get(path, ()), Fate.DELETE) for whys in self._whys]
        return (-max(one.bytes for one in deleted), -max(one.files for one in deleted), path)


def _node(path: tuple[str, ...], found: _Found, opened: Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]]) -> Node:
    shown = opened.get(path, ())
    below = tuple(_node(child, found, opened) for child in shown)
    folded = len(found.children.get(path, ())) - len(shown)
    return Node(path[-1] if path else ".", found.of(path), below, folded)
