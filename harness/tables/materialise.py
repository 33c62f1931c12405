"""Writes the files of a case's table: first as a plan, a value with times relative to the start, then on storage."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa

from deltalog.actions import Action
from deltalog.arrow_values import to_table
from deltalog.checkpoint_writing import write_checkpoint
from deltalog.checksums import write_checksum
from deltalog.codec import from_json
from deltalog.commits import commit_bytes, write_commit
from deltalog.deletion_vectors import inline_vector, vector_file
from deltalog.descriptors import DeletionVectorDescriptor
from deltalog.log import read_log
from deltalog.names import LAST_CHECKPOINT, LOG_DIRECTORY, SIDECARS, parse_name
from deltalog.parquet import parquet_bytes
from deltalog.paths import encode
from deltalog.statistics import count_statistics, full_statistics
from deltalog.times import set_modified
from harness.tables.table_metadata import DROPPED_COLUMN, definition, first_fields, stored_fields
from model.text.layout import file_path, partition_string, physical_name
from model.vocabulary.table import (
    Commit,
    DataFile,
    Feature,
    Kind,
    Reference,
    Statistics,
    StrayFile,
    Table,
    VectorStorage,
)

#: The key of an instant in a planned action: ms from the start of the case.
INSTANT = "$ms"

#: The key of a file's URI in a planned action: its path from the root.
FILE_URI = "$root"


@dataclass(frozen=True)
class PlannedFile:
    path: str
    content: bytes
    modified: int  # ms from the start


@dataclass(frozen=True)
class PlannedLink:
    """A symbolic link from ``path`` to ``target``, both paths from the root; the target need not exist."""

    path: str
    target: str
    modified: int  # ms from the start, the link's own


@dataclass(frozen=True)
class PlannedCommit:
    """A version. In ``actions``, ``{"$ms": n}`` is the instant n ms from the start, ``{"$root": path}`` a file's URI.

    ``parts`` is the number of files of its checkpoint, if it has one.
    """

    version: int
    modified: int  # ms from the start
    actions: tuple[Mapping[str, Any], ...]
    checkpoint: bool = False
    parts: int = 1


@dataclass(frozen=True)
class TablePlan:
    """Everything in and beside a table's root, by paths from the root: those beside it begin with ``../``.

    Files, directories and links are written first, then the commits in order, each with its checksum and its checkpoint.
    Then commits, checksums and checkpoints below the version ``table.pruned`` are deleted, and ``_last_checkpoint`` is
    truncated if the table has Feature.BROKEN_LAST_CHECKPOINT.
    """

    table: Table
    files: tuple[PlannedFile, ...]
    directories: tuple[str, ...]
    links: tuple[PlannedLink, ...]
    commits: tuple[PlannedCommit, ...]


def plan_table(table: Table) -> TablePlan:
    """The plan of an initial table, with its stray files."""
    history = _History(table)
    commits = [history.commit(version, commit) for version, commit in enumerate(table.commits)]
    stray_files, directories, links = plan_strays(table.stray_files)
    planned = tuple(
        PlannedFile(file_path(table, file), _stored(table, history.contents[file.id]), file.modified)
        for file in table.files
    )
    return TablePlan(table, planned + tuple(history.vector_files) + stray_files, directories, links, tuple(commits))


@dataclass
class _History:
    """Plans the commits of a table in order; keeps the deletion vector and the row ids of each live file."""

    table: Table
    contents: dict[int, bytes] = field(init=False)
    vector_files: list[PlannedFile] = field(default_factory=list)
    vectors: dict[int, dict[str, Any]] = field(default_factory=dict)  # by file: its descriptor
    row_ids: dict[int, dict[str, int]] = field(default_factory=dict)  # by file: its fields of row tracking
    next_row_id: int = 0

    def __post_init__(self) -> None:
        self.files = {file.id: file for file in self.table.files}
        self.contents = {file.id: _content(self.table, file) for file in self.table.files}

    def commit(self, version: int, commit: Commit) -> PlannedCommit:
        table = self.table
        info = _commit_info("CREATE TABLE" if version == 0 else "WRITE", commit.at, table)
        actions: list[Mapping[str, Any]] = [info, *definition(table, version, _at(table.commits[0].at))]
        actions += [self._remove(removal.file, removal.deleted, bare=removal.bare) for removal in commit.removes]
        for removal in commit.removes:
            self.vectors.pop(removal.file, None)
        actions += [self._remove(vector.file, vector.deleted) for vector in commit.deletion_vectors]
        self._write_vectors(version, commit)
        actions += [self._add(vector.file) for vector in commit.deletion_vectors]
        for id in commit.adds:
            if table.has(Feature.ROW_TRACKING):
                self.row_ids[id] = {"baseRowId": self.next_row_id, "defaultRowCommitVersion": version}
                self.next_row_id += len(self.files[id].rows)
            actions.append(self._add(id))
        if table.has(Feature.ROW_TRACKING) and (commit.adds or version == 0):
            mark = f'{{"rowIdHighWaterMark":{self.next_row_id - 1}}}'
            actions.append({"domainMetadata": {"domain": "delta.rowTracking", "configuration": mark, "removed": False}})
        return PlannedCommit(version, commit.at, tuple(actions), commit.checkpoint, commit.parts)

    def _write_vectors(self, version: int, commit: Commit) -> None:
        """Write the deletion vectors of the commit: inline, or all in one file."""
        stored = [vector for vector in commit.deletion_vectors if vector.storage is not VectorStorage.INLINE]
        for vector in commit.deletion_vectors:
            if vector.storage is VectorStorage.INLINE:
                self.vectors[vector.file] = _descriptor(inline_vector(vector.rows))
        if not stored:
            return
        uuid = UUID(f"{version:08x}-0000-4000-8000-000000000000")
        content, descriptors = vector_file(uuid, [vector.rows for vector in stored], commit.vector_prefix)
        name = str(descriptors[0].file)
        self.vector_files.append(PlannedFile(name, content, commit.at))
        for vector, descriptor in zip(stored, descriptors):
            self.vectors[vector.file] = _descriptor(descriptor)
            if vector.storage is VectorStorage.ABSOLUTE:
                self.vectors[vector.file].update(storageType="p", pathOrInlineDv={FILE_URI: name})

    def _add(self, id: int) -> dict[str, Any]:
        add = _add(self.table, self.files[id], self.contents[id], hidden_rows=id in self.vectors)
        return {"add": {**add, **self._vector(id), **self.row_ids.get(id, {})}}

    def _remove(self, id: int, deleted: int | None, *, bare: bool = False) -> dict[str, Any]:
        file = self.files[id]
        remove: dict[str, Any] = {"path": _path(self.table, file)}
        if deleted is not None:
            remove["deletionTimestamp"] = _at(deleted)
        remove["dataChange"] = True
        if not bare:
            remove["extendedFileMetadata"] = True
            remove["partitionValues"] = _partition_values(self.table, file)
            remove["size"] = len(self.contents[id])
        return {"remove": {**remove, **self._vector(id), **self.row_ids.get(id, {})}}

    def _vector(self, id: int) -> dict[str, Any]:
        return {"deletionVector": self.vectors[id]} if id in self.vectors else {}


def _descriptor(vector: DeletionVectorDescriptor) -> dict[str, Any]:
    described = {
        "storageType": vector.storage,
        "pathOrInlineDv": vector.path_or_inline,
        "sizeInBytes": vector.size,
        "cardinality": vector.cardinality,
    }
    return described if vector.offset is None else {**described, "offset": vector.offset}


def plan_append(
    table: Table, appended: Sequence[DataFile], *, at: int
) -> tuple[tuple[PlannedFile, ...], tuple[Mapping[str, Any], ...]]:
    """The files of another writer's commit at ``at``, and its actions.

    Raises ValueError for a table with row tracking: only its log has the next free row id.
    """
    if table.has(Feature.ROW_TRACKING):
        raise ValueError("another writer's append to a table with row tracking is not supported")
    contents = [_content(table, file) for file in appended]
    files = tuple(
        PlannedFile(file_path(table, file), content, file.modified) for file, content in zip(appended, contents)
    )
    adds = tuple({"add": _add(table, file, content)} for file, content in zip(appended, contents))
    return files, (_commit_info("WRITE", at, table), *adds)


def plan_strays(
    stray_files: Iterable[StrayFile],
) -> tuple[tuple[PlannedFile, ...], tuple[str, ...], tuple[PlannedLink, ...]]:
    """The files, the directories and the links of the stray files."""
    stray_files = tuple(stray_files)
    files = tuple(
        PlannedFile(stray.path, b"x" * stray.size, stray.modified) for stray in stray_files if stray.kind is Kind.FILE
    )
    links = tuple(
        PlannedLink(stray.path, stray.target, stray.modified) for stray in stray_files if stray.target is not None
    )
    return files, tuple(stray.path for stray in stray_files if stray.kind is Kind.DIRECTORY), links


def write_table(plan: TablePlan, root: Path, *, start: int) -> None:
    """Write the table to ``root``, a new directory, with the start of the case at ``start`` (ms since the epoch)."""
    root.mkdir(parents=True)
    write_files(plan.files, plan.directories, root, start=start, links=plan.links)
    for commit in plan.commits:
        write_actions(commit.version, commit.actions, root, start=start, modified=commit.modified)
        _write_beside_commit(plan, commit, root, start)
    _spoil_log(plan, root)


def write_log(plan: TablePlan, directory: Path, *, root: Path, start: int) -> None:
    """Write the log alone to ``directory``, for a table that will be at ``root``. Files get no times; any ``start`` will do.

    Checkpoints are not compressed, so that the instants in them can be found and replaced.
    """
    for commit in plan.commits:
        write_commit(directory, commit.version, _actions(commit.actions, root, start))
        _write_beside_commit(plan, commit, directory, start, modified=0, compression="none")
    _spoil_log(plan, directory)


def _write_beside_commit(
    plan: TablePlan,
    commit: PlannedCommit,
    root: Path,
    start: int,
    *,
    modified: int | None = None,
    compression: str = "snappy",
) -> None:
    """Write the checksum file and the checkpoint of the last commit, if it has them."""
    if plan.table.has(Feature.CHECKSUMS):
        stamp = start + commit.modified if plan.table.has(Feature.IN_COMMIT_TIMESTAMPS) else None
        write_checksum(root, read_log(root).snapshot(), in_commit_timestamp=stamp)
    if commit.checkpoint:
        _write_checkpoint(plan.table, commit, root, modified=modified, compression=compression)


def _write_checkpoint(
    table: Table, commit: PlannedCommit, root: Path, *, modified: int | None, compression: str
) -> None:
    pointer = root / LOG_DIRECTORY / LAST_CHECKPOINT
    previous = pointer.read_bytes() if pointer.exists() else None
    files = write_checkpoint(
        root,
        read_log(root).snapshot(),
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
    # deltalog.checkpoints names sidecars by their checkpoint's version.
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
        _absolute(root, directory).mkdir(parents=True, exist_ok=True)
    for file in files:
        path = _absolute(root, file.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as stream:
            stream.write(file.content)
        set_modified(path, start + file.modified)
    for link in links:
        path = _absolute(root, link.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(os.path.relpath(_absolute(root, link.target), path.parent))
        set_modified(path, start + link.modified, follow_links=False)


def _absolute(root: Path, path: str) -> Path:
    """The absolute path of a path from the root, with ``..`` resolved lexically."""
    return Path(os.path.normpath(root / path))


def write_actions(version: int, actions: Iterable[Mapping[str, Any]], root: Path, *, start: int, modified: int) -> None:
    """Commit planned actions as ``version``."""
    write_commit(root, version, _actions(actions, root, start), modified=start + modified)


def _actions(actions: Iterable[Mapping[str, Any]], root: Path, start: int) -> list[Action]:
    return [action for planned in actions for action in from_json(resolve(planned, root, start))]


def commit_text(actions: Iterable[Mapping[str, Any]], root: Path, *, start: int) -> str:
    """The text of a commit with these planned actions."""
    return commit_bytes(_actions(actions, root, start)).decode("utf-8")


def resolve(value: Any, root: Path, start: int) -> Any:
    """``value`` with planned instants in ms since the epoch, and planned files as URIs."""
    if isinstance(value, Mapping):
        if set(value) == {INSTANT}:
            return start + value[INSTANT]
        if set(value) == {FILE_URI}:
            # In Java's spelling: Delta treats a file that is spelled otherwise as unreferenced.
            return "file://" + encode(_absolute(root, value[FILE_URI]).as_posix())
        return {key: resolve(item, root, start) for key, item in value.items()}
    return [resolve(item, root, start) for item in value] if isinstance(value, (list, tuple)) else value


def arrow_table(table: Table, file: DataFile) -> pa.Table:
    """The content of a data file: the data columns under their physical names, without the partition columns.

    That of a file from before the table was changed has the columns and types of then.
    """
    fields = stored_fields(table)
    dropped = (7,) if fields and fields[-1].name == DROPPED_COLUMN else ()
    rows = [(*row, *dropped) for row in file.rows]
    if file.id not in table.early_files:
        return to_table(fields, rows)
    first = first_fields(table, fields)
    kept = [fields.index(field) for field in fields if field.name in {one.name for one in first}]
    return to_table(first, [tuple(row[place] for place in kept) for row in rows])


def _content(table: Table, file: DataFile) -> bytes:
    return parquet_bytes(arrow_table(table, file), group_rows=file.group_rows)


def _stored(table: Table, content: bytes) -> bytes:
    """What is on storage in place of the content of a data file: of the same size, or it."""
    return bytes(len(content)) if table.has(Feature.UNREADABLE_FILES) else content


def _at(ms: int) -> dict[str, int]:
    return {INSTANT: ms}


def _commit_info(operation: str, at: int, table: Table) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "timestamp": _at(at),
        "operation": operation,
        "operationParameters": {},
        "isBlindAppend": True,
    }
    if table.has(Feature.IN_COMMIT_TIMESTAMPS):
        fields = {"inCommitTimestamp": _at(at), **fields}
    return {"commitInfo": {**fields, "engineInfo": "Tombstone"}}


def _path(table: Table, file: DataFile) -> Any:
    """The path in a data file's actions: its encoded path, or the marker of its URI."""
    path = file_path(table, file)
    return encode(path) if file.reference is Reference.RELATIVE else {FILE_URI: path}


def _partition_values(table: Table, file: DataFile) -> dict[str, str | None]:
    return {
        physical_name(table, column.name): partition_string(value, column.type)
        for column, value in zip(table.partition_columns, file.partition)
    }


def _add(table: Table, file: DataFile, content: bytes, *, hidden_rows: bool = False) -> dict[str, Any]:
    add: dict[str, Any] = {
        "path": _path(table, file),
        "partitionValues": _partition_values(table, file),
        "size": len(content),
        "modificationTime": _at(file.modified),
        "dataChange": True,
    }
    # A file with a deletion vector must have its row count, and its bounds may be wide (PROTOCOL.md, "Writer
    # Requirement for Deletion Vectors").
    if hidden_rows or file.statistics is not Statistics.NONE:
        add["stats"] = _statistics(
            arrow_table(table, file), file.statistics, tight_bounds=False if hidden_rows else None
        )
    return add


#: The time zone of Statistics.ZONED.
_ZONE = timezone(-timedelta(hours=8))


def _statistics(content: pa.Table, kind: Statistics, *, tight_bounds: bool | None) -> str:
    if kind is Statistics.COUNT:
        return count_statistics(content, tight_bounds=tight_bounds)
    zone = _ZONE if kind is Statistics.ZONED else timezone.utc
    return full_statistics(content, tight_bounds=tight_bounds, zone=zone)
