"""Replaces URIs in actions by paths from the table's root, so that each file has one name.

An action may name a file below the root by its URI, and must name others so (PROTOCOL.md, "Add File and Remove File").
Clauses look files up by their path from the root, so every observed log is rewritten to that form: a path beside the root
begins with ``../``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from deltalog.entries.actions import Action, Add, Cdc, FileKey, Remove
from deltalog.entries.commits import LoggedCommit
from deltalog.log import Log, Rebuilt
from deltalog.snapshot import Snapshot
from deltalog.storage.paths import encode, from_root

A = TypeVar("A", bound="Action")
F = TypeVar("F", Add, Remove)


def relative_action(action: A, root: str) -> A:
    """The action with its file's URI, if below or beside ``root``, replaced by the path from there."""
    if not isinstance(action, (Add, Remove, Cdc)):
        return action
    path = from_root(action.file, root)
    return action if path == action.file else replace(action, path=encode(path))


@dataclass(frozen=True)
class RelativeLog(Log):
    """A log with every action of its commits rewritten by ``relative_action``; ``stored`` is the log as read."""

    stored: Log

    def snapshot(self, version: int | None = None) -> Snapshot:
        """The state at ``version``, rewritten after the replay: see ``deltalog.log.Log.snapshot``.

        The replay uses the paths as stored: a remove by path does not remove what was added by URI.
        """
        return relative_snapshot(self.stored.snapshot(version), str(self.root))

    def rebuilt(self) -> Iterator[Rebuilt]:
        """Its actions have the paths as stored, for the same reason."""
        return self.stored.rebuilt()


def relative_log(log: Log) -> RelativeLog:
    root = str(log.root)
    commits = {version: _relative_commit(commit, root) for version, commit in log.commits.items()}
    return RelativeLog(commits, log.checkpoints, log.root, log.others, log)


def _relative_commit(commit: LoggedCommit, root: str) -> LoggedCommit:
    actions = tuple(relative_action(action, root) for action in commit.actions)
    same = all(one is other for one, other in zip(actions, commit.actions))
    return commit if same else replace(commit, actions=actions)  # most have no URIs


def relative_snapshot(snapshot: Snapshot, root: str) -> Snapshot:
    """The same state with every action rewritten."""
    return replace(snapshot, adds=_keyed(snapshot.adds, root), removes=_keyed(snapshot.removes, root))


def named_by_uri(actions: Iterable[Action], root: str) -> frozenset[str]:
    """The files that these actions name by URI, as paths from ``root``."""
    files = (action.file for action in actions if isinstance(action, (Add, Remove, Cdc)))
    return frozenset(path for file in files if (path := from_root(file, root)) != file)


def _keyed(actions: Mapping[FileKey, F], root: str) -> dict[FileKey, F]:
    """Rewritten, by their new keys. Of two tombstones of a file, by path and by URI, the later protects it longer."""
    rewritten = (relative_action(action, root) for action in actions.values())
    return {action.key: action for action in sorted(rewritten, key=_removed_at)}


def _removed_at(action: Add | Remove) -> int:
    return (action.deletion_timestamp or 0) if isinstance(action, Remove) else 0
