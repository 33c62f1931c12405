"""From a case's table to files: first a plan, which is a value with instants relative to the start, then the real thing."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from deltalog.actions import Action
from deltalog.checkpoints import write_checkpoint
from deltalog.codec import from_json
from deltalog.commits import write_commit
from deltalog.log import read_log
from deltalog.parquet import parquet_bytes
from deltalog.paths import encode
from deltalog.statistics import count_statistics, full_statistics
from deltalog.times import set_modified
from model.layout import file_path, partition_string
from model.table import DataFile, Kind, Statistics, Stray, Table
from model.values import Type

#: Marks an instant in a planned action: ms from the start of the case.
INSTANT = "$ms"

_ARROW = {
    Type.STRING: pa.string(),
    Type.INTEGER: pa.int32(),
    Type.LONG: pa.int64(),
    Type.BOOLEAN: pa.bool_(),
    Type.DATE: pa.date32(),
}


@dataclass(frozen=True)
class PlannedFile:
    path: str
    content: bytes
    modified: int  # ms from the start

    def as_json(self) -> dict[str, Any]:
        return {"path": self.path, "content": base64.b64encode(self.content).decode(), "modified": self.modified}


@dataclass(frozen=True)
class PlannedCommit:
    """A version. In ``actions``, ``{"$ms": n}`` stands for the instant n ms from the start."""

    version: int
    modified: int  # ms from the start
    actions: tuple[Mapping[str, Any], ...]
    checkpoint: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "modified": self.modified,
            "lines": list(self.actions),
            "checkpoint": self.checkpoint,
        }


@dataclass(frozen=True)
class TablePlan:
    files: tuple[PlannedFile, ...]
    directories: tuple[str, ...]
    commits: tuple[PlannedCommit, ...]


def plan_table(table: Table) -> TablePlan:
    """The files and commits of an initial table, its strays included."""
    files = {file.id: file for file in table.files}
    contents = {file.id: _content(table, file) for file in table.files}
    commits = []
    for version, commit in enumerate(table.commits):
        actions: list[Mapping[str, Any]] = [_commit_info("CREATE TABLE" if version == 0 else "WRITE", commit.at)]
        actions += _definition(table, commit.at) if version == 0 else []
        for removal in commit.removes:
            size = len(contents[removal.file])
            actions.append({"remove": _remove(table, files[removal.file], size, removal.deleted)})
        actions += [{"add": _add(table, files[id], contents[id])} for id in commit.adds]
        commits.append(PlannedCommit(version, commit.at, tuple(actions), commit.checkpoint))
    strays, directories = plan_strays(table.strays)
    planned = tuple(PlannedFile(file_path(table, file), contents[file.id], file.modified) for file in table.files)
    return TablePlan(planned + strays, directories, tuple(commits))


def plan_append(
    table: Table, appended: Sequence[DataFile], *, at: int
) -> tuple[tuple[PlannedFile, ...], tuple[Mapping[str, Any], ...]]:
    """The files of another writer's commit at ``at``, and its actions."""
    contents = [_content(table, file) for file in appended]
    files = tuple(
        PlannedFile(file_path(table, file), content, file.modified) for file, content in zip(appended, contents)
    )
    adds = tuple({"add": _add(table, file, content)} for file, content in zip(appended, contents))
    return files, (_commit_info("WRITE", at), *adds)


def plan_strays(strays: Iterable[Stray]) -> tuple[tuple[PlannedFile, ...], tuple[str, ...]]:
    """The files and the directories among ``strays``."""
    files = tuple(
        PlannedFile(stray.path, b"x" * stray.size, stray.modified) for stray in strays if stray.kind is Kind.FILE
    )
    return files, tuple(stray.path for stray in strays if stray.kind is Kind.DIRECTORY)


def write_table(plan: TablePlan, root: Path, *, start: int) -> None:
    """Make the table at ``root``, a new directory, with the start of the case at ``start`` (ms since the epoch)."""
    root.mkdir(parents=True)
    write_files(plan.files, plan.directories, root, start=start)
    for commit in plan.commits:
        write_actions(commit.version, commit.actions, root, start=start, modified=commit.modified)
        if commit.checkpoint:
            write_checkpoint(root, read_log(root).snapshot())


def write_files(files: Iterable[PlannedFile], directories: Iterable[str], root: Path, *, start: int) -> None:
    """Put files and directories below ``root``. Files are new; directories may be there already."""
    for directory in directories:
        (root / directory).mkdir(parents=True, exist_ok=True)
    for file in files:
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb") as stream:
            stream.write(file.content)
        set_modified(path, start + file.modified)


def write_actions(version: int, actions: Iterable[Mapping[str, Any]], root: Path, *, start: int, modified: int) -> None:
    """Commit planned actions as ``version``."""
    resolved: list[Action] = [from_json(resolve(action, start)) for action in actions]
    write_commit(root, version, resolved, modified=start + modified)


def resolve(value: Any, start: int) -> Any:
    """``value`` with every planned instant put where it falls (ms since the epoch)."""
    if isinstance(value, Mapping):
        if set(value) == {INSTANT}:
            return start + value[INSTANT]
        return {key: resolve(item, start) for key, item in value.items()}
    return [resolve(item, start) for item in value] if isinstance(value, (list, tuple)) else value


def arrow_table(table: Table, file: DataFile) -> pa.Table:
    """What a data file stores: the data columns, without the partition columns."""
    arrays = [
        pa.array([row[position] for row in file.rows], type=_ARROW[column.type])
        for position, column in enumerate(table.data_columns)
    ]
    return pa.Table.from_arrays(arrays, names=[column.name for column in table.data_columns])


def _content(table: Table, file: DataFile) -> bytes:
    return parquet_bytes(arrow_table(table, file))


def _at(ms: int) -> dict[str, int]:
    return {INSTANT: ms}


def _commit_info(operation: str, at: int) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "timestamp": _at(at),
        "operation": operation,
        "operationParameters": {},
        "isBlindAppend": True,
    }
    return {"commitInfo": {**fields, "engineInfo": "Tombstone"}}


def _definition(table: Table, at: int) -> list[Mapping[str, Any]]:
    """Protocol and metadata."""
    fields: list[dict[str, Any]] = [
        {"name": column.name, "type": column.type.value, "nullable": True, "metadata": {}} for column in table.columns
    ]
    configuration: dict[str, str] = {}
    if table.retention_hours is not None:
        configuration["delta.deletedFileRetentionDuration"] = f"interval {table.retention_hours} hours"
    protocol: dict[str, Any] = {"minReaderVersion": 1, "minWriterVersion": 2}
    if "changeDataFeed" in table.features:
        configuration["delta.enableChangeDataFeed"] = "true"
        protocol["minWriterVersion"] = 4
    if "deletionVectors" in table.features:
        configuration["delta.enableDeletionVectors"] = "true"
        writer = ["deletionVectors"] + (["changeDataFeed"] if "changeDataFeed" in table.features else [])
        protocol = {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": ["deletionVectors"],
            "writerFeatures": [*writer, "appendOnly", "invariants"],
        }
    metadata = {
        "id": "00000000-0000-4000-8000-000000000000",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": list(table.partition_by),
        "configuration": configuration,
        "createdTime": _at(at),
    }
    return [{"protocol": protocol}, {"metaData": metadata}]


def _partition_values(table: Table, file: DataFile) -> dict[str, str | None]:
    return {name: partition_string(value) for name, value in zip(table.partition_by, file.partition)}


def _add(table: Table, file: DataFile, content: bytes) -> dict[str, Any]:
    add: dict[str, Any] = {
        "path": encode(file_path(table, file)),
        "partitionValues": _partition_values(table, file),
        "size": len(content),
        "modificationTime": _at(file.modified),
        "dataChange": True,
    }
    if file.statistics is not Statistics.NONE:
        describe = count_statistics if file.statistics is Statistics.COUNT else full_statistics
        add["stats"] = describe(arrow_table(table, file))
    return add


def _remove(table: Table, file: DataFile, size: int, deleted: int) -> dict[str, Any]:
    return {
        "path": encode(file_path(table, file)),
        "deletionTimestamp": _at(deleted),
        "dataChange": True,
        "extendedFileMetadata": True,
        "partitionValues": _partition_values(table, file),
        "size": size,
    }
