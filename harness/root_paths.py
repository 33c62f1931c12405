"""One name for each file: what actions name by URI is put as the path that leads there from the table's root.

An action may name a file below the root by its URI, and a file elsewhere only so (PROTOCOL.md, "Add File and Remove
File"). All that judges asks for files by their path from the root, so a log is put into that form when it is observed:
what is below the root has its relative path, what is beside it begins with ``../``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from deltalog.actions import Action, Add, Cdc, FileKey, Remove
from deltalog.log import Log
from deltalog.paths import encode, from_root
from deltalog.snapshot import Snapshot

A = TypeVar("A", bound="Action")
F = TypeVar("F", Add, Remove)


def placed(action: A, root: str) -> A:
    """The same action; one that names a file by a URI below or beside ``root`` names it by its path from there."""
    if not isinstance(action, (Add, Remove, Cdc)):
        return action
    path = from_root(action.file, root)
    return action if path == action.file else replace(action, path=encode(path))


@dataclass(frozen=True)
class PlacedLog(Log):
    """A log with every action of its commits ``placed``; ``stored`` is the same as it lies on storage."""

    stored: Log

    def snapshot(self, version: int | None = None) -> Snapshot:
        """The state at ``version``, placed: see ``deltalog.log.Log.snapshot``.

        It is replayed with the paths as the log spells them: an engine that removes by path what was added by URI has
        removed nothing.
        """
        return placed_snapshot(self.stored.snapshot(version), str(self.root))


def placed_log(log: Log) -> PlacedLog:
    root = str(log.root)
    commits = {
        version: replace(commit, actions=tuple(placed(action, root) for action in commit.actions))
        for version, commit in log.commits.items()
    }
    return PlacedLog(log.root, commits, log.checkpoints, log.others, log)


def placed_snapshot(snapshot: Snapshot, root: str) -> Snapshot:
    """The same state, with every action ``placed``."""
    return replace(snapshot, adds=_keyed(snapshot.adds, root), removes=_keyed(snapshot.removes, root))


def named_by_uri(actions: Iterable[Action], root: str) -> frozenset[str]:
    """The paths from ``root`` of the files that these actions name by URI."""
    files = (action.file for action in actions if isinstance(action, (Add, Remove, Cdc)))
    return frozenset(path for file in files if (path := from_root(file, root)) != file)


def _keyed(actions: Mapping[FileKey, F], root: str) -> dict[FileKey, F]:
    return {one.key: one for one in (placed(action, root) for action in actions.values())}
