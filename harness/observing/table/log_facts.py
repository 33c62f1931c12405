"""What a table's log says beyond its current version: what other readers, and other versions, find in it.

The current version is reconciled (``deltalog.snapshot``). A reader that compares the texts of paths, or that takes every
remove for a tombstone, finds other files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from deltalog.checkpoints.reading import LoggedCheckpoint, read_checkpoint
from deltalog.entries.actions import Action, Add, Cdc, Remove
from deltalog.errors import DeltaLogError
from deltalog.log import Log
from deltalog.snapshot import Snapshot
from deltalog.storage.paths import from_root
from harness.observing.table.root_paths import RelativeLog, relative_action

OfFile = Add | Remove | Cdc


@dataclass(frozen=True, eq=False)
class LogFacts:
    """Each fact is computed once, when it is asked for. Paths are from the table's root.

    Checkpoints are read then: one that is gone by that time, or cannot be read, has no actions.
    """

    log: Log
    current: Snapshot

    @cached_property
    def _root(self) -> str:
        return str(self.log.root)

    @cached_property
    def _stored(self) -> Log:
        return self.log.stored if isinstance(self.log, RelativeLog) else self.log

    def path(self, action: OfFile) -> str:
        """The path from the root of the file that an action names, also by its URI."""
        return from_root(action.file, self._root)

    @cached_property
    def _checkpoint(self) -> tuple[LoggedCheckpoint | None, tuple[Action, ...]]:
        """The newest checkpoint that can be read, with its actions as stored."""
        for checkpoint in reversed(self._stored.checkpoints):
            try:
                return checkpoint, read_checkpoint(checkpoint)
            except (DeltaLogError, FileNotFoundError):
                continue
        return None, ()

    @property
    def checkpointed(self) -> int:
        """The version of the newest checkpoint that can be read; -1 without one."""
        checkpoint, _ = self._checkpoint
        return -1 if checkpoint is None else checkpoint.version

    @cached_property
    def checkpoint_actions(self) -> tuple[Action, ...]:
        """The actions of that checkpoint as stored, statistics that are only a struct as JSON."""
        return self._checkpoint[1]

    @cached_property
    def segment(self) -> tuple[Action, ...]:
        """What readers of the current version read, as stored: the newest checkpoint, and the commits after it."""
        later = self._stored.commits_after(self.checkpointed)
        return (*self.checkpoint_actions, *(action for commit in later for action in commit.actions))

    @cached_property
    def stored_tombstones(self) -> tuple[Remove, ...]:
        """Every remove that these readers find, as stored."""
        return tuple(action for action in self.segment if isinstance(action, Remove))

    @cached_property
    def tombstones(self) -> tuple[Remove, ...]:
        """Every remove that these readers find, also of a file that has a later one or was added again; paths from the root."""
        return tuple(relative_action(action, self._root) for action in self.stored_tombstones)

    @cached_property
    def several(self) -> frozenset[str]:
        """The data files that have several of these removes, or one and a live add: a RESTORE and a deletion vector make such."""
        live = {add.file for add in self.current.adds.values()}
        removed = Counter(remove.file for remove in self.tombstones)
        return frozenset(path for path, count in removed.items() if count > 1 or path in live)

    @cached_property
    def left_out(self) -> frozenset[str]:
        """The removed files whose remove is in a commit, but not found by readers of the newest checkpoint."""
        found = {remove.file for remove in self.tombstones} | {add.file for add in self.current.adds.values()}
        earlier = (
            action
            for version, commit in self.log.commits.items()
            if version <= self.checkpointed
            for action in commit.removes
        )
        return frozenset(remove.file for remove in earlier) - found

    @cached_property
    def live_by_text(self) -> tuple[Add, ...]:
        """The files that are live for a reader that compares the texts of paths, as stored: the removed ones too whose remove
        spells the path in another way than their add (PROTOCOL.md, "Action Reconciliation", has no word on spellings)."""
        live: dict[tuple[str, str | None], Add] = {}
        for action in self.segment:
            if isinstance(action, (Add, Remove)):
                vector = action.deletion_vector
                key = action.path, None if vector is None else vector.unique_id
                if isinstance(action, Add):
                    live[key] = action
                else:
                    live.pop(key, None)
        return tuple(live.values())

    @cached_property
    def spelled_otherwise(self) -> frozenset[str]:
        """The files that such a reader takes for live ones, and that are removed, or that it finds twice."""
        live = Counter(self.path(add) for add in self.live_by_text)
        current = {add.file for add in self.current.adds.values()}
        return frozenset(path for path, count in live.items() if count > 1 or path not in current)

    @cached_property
    def ever(self) -> tuple[OfFile, ...]:
        """The actions on files that any commit has, or the newest checkpoint, as stored."""
        stored = [action for commit in self._stored.commits.values() for action in commit.actions]
        return tuple(_of_files((*self.checkpoint_actions, *stored)))

    def by_uri(self, actions: Iterable[OfFile]) -> frozenset[str]:
        """The paths from the root of the files that stored actions name by URI."""
        return frozenset(path for action in actions if (path := self.path(action)) != action.file)

    @cached_property
    def named_by_uri(self) -> frozenset[str]:
        """The files that an action of any version names by URI."""
        return self.by_uri(self.ever)

    def actions_of(self, version: int) -> tuple[OfFile, ...]:
        """Those on files in the commit of a version, as stored; none if the log has none."""
        commit = self._stored.commits.get(version)
        return () if commit is None else tuple(_of_files(commit.actions))

    def live_at(self, version: int) -> tuple[Add, ...]:
        """The live files of a version, as stored; none if it cannot be rebuilt."""
        try:
            return tuple(self._stored.snapshot(version).adds.values())
        except (DeltaLogError, FileNotFoundError):
            return ()


def _of_files(actions: Iterable[Action]) -> Iterator[OfFile]:
    return (action for action in actions if isinstance(action, (Add, Remove, Cdc)))
