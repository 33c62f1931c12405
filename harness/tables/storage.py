"""Writes a planned table to storage."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from deltalog.checkpoints.checksums import write_checksum
from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.commits import write_commit
from deltalog.snapshot import Snapshot, replay
from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY, SIDECARS, parse_name
from deltalog.storage.times import set_modified
from harness.tables.file_actions import absolute
from harness.tables.plan import PlannedCommit, PlannedFile, PlannedLink, TablePlan
from model.vocabulary.table import (
    Feature,
    Table,
)


def write_table(plan: TablePlan) -> None:
    """Write the table to its root, a new directory."""
    plan.root.mkdir(parents=True)
    write_files(plan.files, plan.directories, plan.root, start=plan.start, links=plan.links)
    for commit, state in _states(plan):
        write_commit(plan.root, commit.version, commit.actions, modified=plan.start + commit.modified)
        if state is not None:
            _write_beside_commit(plan, commit, state, plan.root)
    _spoil_log(plan, plan.root)


def write_log(plan: TablePlan, directory: Path) -> None:
    """Write the log alone to ``directory``. Files get no times.

    Checkpoints are not compressed, so that the instants in them can be found and replaced.
    """
    for commit, state in _states(plan):
        write_commit(directory, commit.version, commit.actions)
        if state is not None:
            _write_beside_commit(plan, commit, state, directory, modified=0, compression="none")
    _spoil_log(plan, directory)


def _states(plan: TablePlan) -> Iterator[tuple[PlannedCommit, Snapshot | None]]:
    """The commits, and the state of those that have a checksum file or a checkpoint."""
    state: Snapshot | None = None
    pending: list[PlannedCommit] = []
    for commit in plan.commits:
        pending.append(commit)
        if not (commit.checkpoint or plan.table.has(Feature.CHECKSUMS)):
            yield commit, None
            continue
        state = replay(((one.version, one.actions) for one in pending), base=state)
        pending = []
        yield commit, state


def _write_beside_commit(
    plan: TablePlan,
    commit: PlannedCommit,
    state: Snapshot,
    root: Path,
    *,
    modified: int | None = None,
    compression: str = "snappy",
) -> None:
    """Write the checksum file and the checkpoint of the last commit, if it has them."""
    if plan.table.has(Feature.CHECKSUMS):
        stamp = plan.start + commit.modified if plan.table.has(Feature.IN_COMMIT_TIMESTAMPS) else None
        write_checksum(root, state, in_commit_timestamp=stamp)
    if commit.checkpoint:
        _write_checkpoint(plan.table, commit, state, root, modified=modified, compression=compression)


def _write_checkpoint(
    table: Table, commit: PlannedCommit, state: Snapshot, root: Path, *, modified: int | None, compression: str
) -> None:
    pointer = root / LOG_DIRECTORY / LAST_CHECKPOINT
    previous = pointer.read_bytes() if pointer.exists() else None
    files = write_checkpoint(
        root,
        state,
        parts=commit.parts,
        v2=table.has(Feature.V2_CHECKPOINTS),
        struct_statistics=table.has(Feature.STRUCT_STATISTICS),
        modified=modified,
        compression=compression,
    )
    if commit.version != table.checkpointed or not table.has(Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED):
        return
    os.truncate(files[-1], files[-1].stat().st_size // 2)
    if modified is not None:
        set_modified(files[-1], modified)
    if table.has(Feature.HALF_CHECKPOINT):
        pointer.unlink() if previous is None else pointer.write_bytes(previous)


def _spoil_log(plan: TablePlan, root: Path) -> None:
    log = root / LOG_DIRECTORY
    if plan.table.pruned:
        for path in sorted(path for path in log.rglob("*") if path.is_file()):
            if _version_of(path) < plan.table.pruned:
                path.unlink()
    if plan.table.has(Feature.BROKEN_LAST_CHECKPOINT):
        pointer = log / LAST_CHECKPOINT
        whole = pointer.read_bytes() if pointer.exists() else b'{"version":0,"size":1}'
        pointer.write_bytes(whole[: len(whole) // 2])


def _version_of(path: Path) -> float:
    """The version that a file of the log belongs to; infinity if it belongs to no single one."""
    name = parse_name(path.name)
    if name is not None:
        return name.version
    # deltalog.checkpoints.writing names sidecars by their checkpoint's version.
    return int(path.name[:8], 16) if path.parent.name == SIDECARS else math.inf


def write_files(
    files: Iterable[PlannedFile],
    directories: Iterable[str],
    root: Path,
    *,
    start: int,
    links: Iterable[PlannedLink] = (),
) -> None:
    """Write files, directories and links below ``root`` or beside it. Files and links must be new; directories may exist."""
    for directory in directories:
        absolute(root, directory).mkdir(parents=True, exist_ok=True)
    for file in files:
        path = absolute(root, file.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as stream:
            stream.write(file.content)
        set_modified(path, start + file.modified)
    for link in links:
        path = absolute(root, link.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(os.path.relpath(absolute(root, link.target), path.parent))
        set_modified(path, start + link.modified, follow_links=False)
