"""What the files that a VACUUM deletes mean for the versions of the log."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from deltalog.entries.actions import Action, Add, FileKey, Remove
from deltalog.storage.paths import from_root
from harness.observing.table.table_state import TableState
from harness.observing.table.vacuum_inputs import commit_times, is_below, vector_path
from model.prediction.lite import monotonized
from model.vocabulary.table import HOUR

#: A remove is stamped when its transaction begins, which may be long before its commit. A version that was replaced no later
#: than this after the cutoff, in ms, is not held to be inside the retention.
_TRANSACTION = HOUR


@dataclass(frozen=True)
class Range:
    """Versions, both ends included."""

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


@dataclass(frozen=True)
class VersionFates:
    """``readable``: how many versions of the log have all their files now; ``lost``: those that miss one afterwards.
    ``needed``: the deleted files that a version inside the retention needs. A right prediction has none, unless the log
    contradicts itself: ``backdated`` are those whose tombstone is older than its commit. ``missing``: the files of the latest
    version that are missing already.
    """

    readable: int
    lost: tuple[Range, ...]
    needed: tuple[str, ...]
    backdated: tuple[str, ...]
    missing: tuple[str, ...]


def versions_after(state: TableState, going: Collection[str], *, cutoff: int) -> VersionFates:
    """The versions after the paths ``going`` are deleted. ``cutoff`` (ms since the epoch): where the retention begins. Files
    outside of the root count as present. All versions together cost as much as one replay.
    """
    files = _FilesOfVersion(state, going)
    replaced = monotonized(commit_times(state))
    readable, lost, needed, backdated = 0, list[int](), set[str](), set[str]()
    for rebuilt in state.log.rebuilt():
        if rebuilt.from_nothing:
            files.clear()
        # The tombstones of a checkpoint are of other commits.
        committed = None if rebuilt.from_nothing else replaced.get(rebuilt.version)
        for action in rebuilt.actions:
            if isinstance(action, Remove) and _is_backdated(action, committed):
                backdated.update(files.paths.get(action.key, ()))
            files.take(action)
        until = replaced.get(rebuilt.version + 1)
        if not files.missing:
            readable += 1
            if files.going:
                lost.append(rebuilt.version)
        if files.going and (rebuilt.version == state.version or (until is not None and until >= cutoff + _TRANSACTION)):
            needed.update(path for key in files.going for path in files.paths[key] if path in going)
    missing = {path for key in files.missing for path in files.paths[key] if not files.is_there(path)}
    return VersionFates(
        readable, tuple(_ranges(lost)), tuple(sorted(needed)), tuple(sorted(needed & backdated)), tuple(sorted(missing))
    )


def _is_backdated(tombstone: Remove, committed: int | None) -> bool:
    """Whether a tombstone is older than its commit by more than a transaction takes."""
    return (
        committed is not None
        and tombstone.deletion_timestamp is not None
        and tombstone.deletion_timestamp + _TRANSACTION < committed
    )


class _FilesOfVersion:
    """The files of one version after the other: ``paths`` by the add, ``missing`` and ``going`` the adds with such a file."""

    def __init__(self, state: TableState, going: Collection[str]) -> None:
        self._listing, self._root, self._going = state.listing, state.root, going
        self.clear()

    def clear(self) -> None:
        self.paths: dict[FileKey, tuple[str, ...]] = {}
        self.missing: set[FileKey] = set()
        self.going: set[FileKey] = set()

    def take(self, action: Action) -> None:
        if not isinstance(action, (Add, Remove)):
            return
        key = action.key
        self.missing.discard(key)
        self.going.discard(key)
        if isinstance(action, Remove):
            self.paths.pop(key, None)
            return
        vector = vector_path(action, self._root)
        paths = (from_root(action.file, self._root), *([] if vector is None else [vector]))
        self.paths[key] = paths
        if not all(map(self.is_there, paths)):
            self.missing.add(key)
        if any(path in self._going for path in paths):
            self.going.add(key)

    def is_there(self, path: str) -> bool:
        return path in self._listing or not is_below(path)


def _ranges(versions: list[int]) -> Iterator[Range]:
    """Of ascending versions."""
    for _, run in groupby(enumerate(versions), key=lambda placed: placed[1] - placed[0]):
        found = [version for _, version in run]
        yield Range(found[0], found[-1])
