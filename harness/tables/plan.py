"""What a case's table consists of, as a value: nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

import pyarrow as pa

from deltalog.data.deletion_vectors import inline_vector, vector_file
from deltalog.entries.actions import Action, Add, DomainMetadata, Remove
from deltalog.entries.descriptors import DeletionVectorDescriptor
from harness.tables.file_actions import FileActions, RowIds, content_of, stored
from harness.tables.table_metadata import definition
from model.text.layout import file_path
from model.vocabulary.table import (
    Commit,
    DataFile,
    Feature,
    Kind,
    StrayFile,
    Table,
    VectorStorage,
)


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
    """A version. ``parts`` is the number of files of its checkpoint, if it has one."""

    version: int
    modified: int  # ms from the start
    actions: tuple[Action, ...]
    checkpoint: bool = False
    parts: int = 1


@dataclass(frozen=True)
class TablePlan:
    """Everything in and beside a table's root, by paths from the root: those beside it begin with ``../``.

    ``root`` is where the table will be, ``start`` the start of the case (ms since the epoch): the log has URIs and instants.

    Files, directories and links are written first, then the commits in order, each with its checksum and its checkpoint.
    Then commits, checksums and checkpoints below the version ``table.pruned`` are deleted, and ``_last_checkpoint`` is
    truncated if the table has Feature.BROKEN_LAST_CHECKPOINT.
    """

    table: Table
    root: Path
    start: int
    files: tuple[PlannedFile, ...]
    directories: tuple[str, ...]
    links: tuple[PlannedLink, ...]
    commits: tuple[PlannedCommit, ...]


def plan_table(table: Table, root: Path, *, start: int, uris: str = "file://") -> TablePlan:
    """The plan of an initial table at ``root``, with its stray files; the case starts at ``start`` (ms since the epoch).

    ``uris`` is what the URI of a file begins with, before its path.
    """
    history = _History(FileActions(table, root, start, uris))
    commits = [history.commit(version, commit) for version, commit in enumerate(table.commits)]
    stray_files, directories, links = plan_strays(table.stray_files)
    planned = tuple(
        PlannedFile(file_path(table, file), content, file.modified)
        for file in table.files
        if (content := stored(table, file, history.content(file.id))) is not None
    )
    files = planned + tuple(history.vector_files) + stray_files
    return TablePlan(table, root, start, files, directories, links, tuple(commits))


@dataclass
class _History:
    """Plans the commits of a table in order; keeps the deletion vector and the row ids of each live file."""

    actions: FileActions
    contents: dict[int, bytes] = field(default_factory=dict)  # of the files so far
    vector_files: list[PlannedFile] = field(default_factory=list)
    vectors: dict[int, DeletionVectorDescriptor] = field(default_factory=dict)  # by file
    row_ids: dict[int, RowIds] = field(default_factory=dict)  # by file
    next_row_id: int = 0

    def __post_init__(self) -> None:
        self.table = self.actions.table
        self.files = {file.id: file for file in self.table.files}

    def commit(self, version: int, commit: Commit) -> PlannedCommit:
        table = self.table
        created = self.actions.start + table.commits[0].at
        actions: list[Action] = [self.actions.info("CREATE TABLE" if version == 0 else "WRITE", commit.at)]
        actions += definition(table, version, created)
        actions += [self._remove(removal.file, removal.deleted, bare=removal.bare) for removal in commit.removes]
        for removal in commit.removes:
            self.vectors.pop(removal.file, None)
        actions += [self._remove(vector.file, vector.deleted) for vector in commit.deletion_vectors]
        self._write_vectors(version, commit)
        actions += [self._add(vector.file) for vector in commit.deletion_vectors]
        for id in commit.adds:
            if table.has(Feature.ROW_TRACKING):
                self.row_ids[id] = RowIds(base_row_id=self.next_row_id, default_row_commit_version=version)
                self.next_row_id += len(self.files[id].rows)
            actions.append(self._add(id))
        if table.has(Feature.ROW_TRACKING) and (commit.adds or version == 0):
            actions.append(DomainMetadata("delta.rowTracking", f'{{"rowIdHighWaterMark":{self.next_row_id - 1}}}'))
        return PlannedCommit(version, commit.at, tuple(actions), commit.checkpoint, commit.parts)

    def content(self, id: int, rows: pa.Table | None = None) -> bytes:
        """The bytes of a file. ``rows``: its content, if it is known already."""
        if id not in self.contents:
            self.contents[id] = content_of(self.actions.rows(self.files[id]) if rows is None else rows, self.files[id])
        return self.contents[id]

    def _write_vectors(self, version: int, commit: Commit) -> None:
        """Write the deletion vectors of the commit: inline, or all in one file."""
        stored = [vector for vector in commit.deletion_vectors if vector.storage is not VectorStorage.INLINE]
        for vector in commit.deletion_vectors:
            if vector.storage is VectorStorage.INLINE:
                self.vectors[vector.file] = inline_vector(vector.rows)
        if not stored:
            return
        uuid = UUID(f"{version:08x}-0000-4000-8000-000000000000")
        content, descriptors = vector_file(uuid, [vector.rows for vector in stored], commit.vector_prefix)
        name = str(descriptors[0].file)
        self.vector_files.append(PlannedFile(name, content, commit.at))
        for vector, descriptor in zip(stored, descriptors):
            if vector.storage is VectorStorage.ABSOLUTE:
                descriptor = replace(descriptor, storage="p", path_or_inline=self.actions.uri(name))
            self.vectors[vector.file] = descriptor

    def _add(self, id: int) -> Add:
        rows = self.actions.rows(self.files[id])
        size, vector, row_ids = len(self.content(id, rows)), self.vectors.get(id), self.row_ids.get(id, RowIds())
        return self.actions.add(self.files[id], rows, size, vector, row_ids)

    def _remove(self, id: int, deleted: int | None, *, bare: bool = False) -> Remove:
        vector, row_ids = self.vectors.get(id), self.row_ids.get(id, RowIds())
        return self.actions.remove(self.files[id], len(self.content(id)), deleted, vector, row_ids, bare=bare)


def plan_append(
    table: Table, appended: Sequence[DataFile], root: Path, *, start: int, at: int, uris: str = "file://"
) -> tuple[tuple[PlannedFile, ...], tuple[Action, ...]]:
    """The files of another writer's commit, ``at`` ms from the start, and its actions. ``uris``: see ``plan_table``.

    Raises ValueError for a table with row tracking: only its log has the next free row id.
    """
    if table.has(Feature.ROW_TRACKING):
        raise ValueError("another writer's append to a table with row tracking is not supported")
    actions = FileActions(table, root, start, uris)
    rows = [actions.rows(file) for file in appended]
    contents = [content_of(table, file) for table, file in zip(rows, appended)]
    files = tuple(
        PlannedFile(file_path(table, file), content, file.modified) for file, content in zip(appended, contents)
    )
    adds = (actions.add(file, one, len(content)) for file, one, content in zip(appended, rows, contents))
    return files, (actions.info("WRITE", at), *adds)


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
