"""The input of the VACUUM model: the paths that the log refers to, and those that a LITE run finds."""

from __future__ import annotations

from collections.abc import Iterable

from deltalog.entries.actions import Add, Remove
from deltalog.entries.commits import LoggedCommit
from deltalog.errors import DeltaLogError
from deltalog.storage.paths import from_root, is_absolute
from harness.observing.table.table_state import TableState
from model.prediction.lite import Window
from model.prediction.scans import LiteScan, References


def references_of(state: TableState, kept_versions: Iterable[int] = (), *, removals: bool = False) -> References:
    """The paths below the root that live or removed actions of the current version name (docs/delta.md 1.2, step 8), and those of
    ``kept_versions``, which VACUUM is asked to keep; none of versions that the log does not have any more.

    ``removals``: with the times of the commits that removed data files (Rules.keeps_removals_of_young_commits).
    """
    kept, kept_vectors = _files_of_versions(state, kept_versions)
    live = {path for path in state.live if is_below(path)}
    live_vectors: set[str] = set()
    vector_tombstones: dict[str, int] = {}
    absolute: dict[str, int | None] = {}
    for add in state.snapshot.adds.values():  # not state.live: a file that is named by path and by URI has two
        path = vector_path(add, state.root)
        if path is not None and is_below(path):
            if _is_relative(add):
                live_vectors.add(path)
            else:
                absolute[path] = None
    for remove in state.snapshot.removes.values():
        path, stamp = vector_path(remove, state.root), remove.deletion_timestamp or 0
        if path is None or not is_below(path):
            continue
        if _is_relative(remove):
            vector_tombstones[path] = max(stamp, vector_tombstones.get(path, 0))
        elif absolute.get(path, 0) is not None:
            absolute[path] = max(stamp, absolute.get(path) or 0)
    return References(
        live=frozenset(live),
        by_uri=state.by_uri & live,
        tombstones={
            path: remove.deletion_timestamp or 0 for path, remove in state.tombstones.items() if is_below(path)
        },
        removals=_removals(state) if removals else {},
        live_vectors=frozenset(live_vectors),
        vector_tombstones=vector_tombstones,
        absolute_vectors=absolute,
        kept=kept,
        kept_vectors=kept_vectors,
    )


def _removals(state: TableState) -> dict[str, int]:
    """The removed data files below the root by the time of the file of the last commit in the log that removed them."""
    found: dict[str, int] = {}
    for _, commit in sorted(state.log.commits.items()):
        found |= {from_root(remove.file, state.root): commit.modified for remove in commit.removes}
    return {path: modified for path, modified in found.items() if is_below(path)}


def _files_of_versions(state: TableState, versions: Iterable[int]) -> tuple[frozenset[str], frozenset[str]]:
    """The data files of these versions below the root, and the files of their deletion vectors."""
    files: set[str] = set()
    vectors: set[str] = set()
    for version in versions:
        try:
            adds = list(state.log.snapshot(version).adds.values())
        except DeltaLogError:
            continue
        files |= {from_root(add.file, state.root) for add in adds}
        vectors |= {path for add in adds if (path := vector_path(add, state.root)) is not None}
    return frozenset(filter(is_below, files)), frozenset(filter(is_below, vectors))


def named_outside(state: TableState) -> frozenset[str]:
    """The data files and deletion vector files beside the root that live or removed actions name."""
    actions: list[Add | Remove] = [*state.snapshot.adds.values(), *state.snapshot.removes.values()]
    return frozenset(path for path in files_of(actions, state.root) if path.startswith("../"))


def files_of(actions: Iterable[Add | Remove], root: str) -> set[str]:
    """The paths from the root of the data files and the deletion vector files that these actions name."""
    return {path for action in actions for path in (action.file, vector_path(action, root)) if path}


def vector_path(action: Add | Remove, root: str) -> str | None:
    """The path from the root of the file that holds the action's deletion vector.

    None where it has no deletion vector, an inline one, or one without a valid path.
    """
    try:
        file = action.deletion_vector.file if action.deletion_vector else None
    except DeltaLogError:
        return None
    return None if file is None else from_root(file, root)


def is_below(path: str) -> bool:
    """Whether a path from the root is below it."""
    return not path.startswith("../") and not is_absolute(path)


def commit_times(state: TableState) -> dict[int, int]:
    """The commit time of each version whose commit is in the log."""
    return {version: committed(commit) for version, commit in state.log.commits.items()}


def committed(commit: LoggedCommit) -> int:
    """A commit's time in ms since the epoch: its in-commit timestamp, else its file's (PROTOCOL.md, "In-Commit Timestamps")."""
    stamp = commit.info.fields.get("inCommitTimestamp") if commit.info else None
    return stamp if isinstance(stamp, int) else commit.modified


def lite_scan(state: TableState, window: Window | None) -> LiteScan:
    """What a LITE VACUUM finds in the commits of its window: removed files, their vectors, change files (docs/delta.md 1.3).

    Of several removes of a file the latest counts; one without deletionTimestamp counts as 1970.
    """
    stamps: dict[str, int] = {}
    changes: set[str] = set()
    for version, commit in state.log.commits.items():
        if window is None or not window.first <= version <= window.last:
            continue
        for remove in commit.removes:
            vector = vector_path(remove, state.root) if _is_relative(remove) else None
            for path in (remove.file, vector):
                if path is not None and is_below(path):
                    stamps[path] = max(remove.deletion_timestamp or 0, stamps.get(path, 0))
        changes |= {cdc.file for cdc in commit.cdcs if is_below(cdc.file)}
    return LiteScan(stamps, frozenset(changes))


def tombstone_scan(state: TableState) -> LiteScan:
    """What a LITE VACUUM finds that uses the current version's removes, not commits: data files, no vectors."""
    return LiteScan(
        {path: remove.deletion_timestamp or 0 for path, remove in state.tombstones.items() if is_below(path)}
    )


def _is_relative(action: Add | Remove) -> bool:
    return action.deletion_vector is not None and action.deletion_vector.storage == "u"
