"""Checkpoints: the reconciled state of a version in Parquet, so that earlier commits need not be read.

Written: V1 in one file or several. Read: these, and V2 with its sidecars.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from deltalog.actions import Action, Remove, Unknown
from deltalog.codec import from_json, to_json
from deltalog.commits import parse_commit
from deltalog.errors import AlreadyWritten, MalformedAction, MalformedPath, UnreadableCheckpoint
from deltalog.names import LAST_CHECKPOINT, LOG_DIRECTORY, SIDECARS, LogFileKind, checkpoint_name, parse_name
from deltalog.parquet import parquet_bytes
from deltalog.paths import decode
from deltalog.snapshot import Snapshot
from deltalog.times import set_modified

_TEXT_MAP = pa.map_(pa.string(), pa.string())
_DELETION_VECTOR = pa.struct(
    {
        "storageType": pa.string(),
        "pathOrInlineDv": pa.string(),
        "offset": pa.int32(),
        "sizeInBytes": pa.int32(),
        "cardinality": pa.int64(),
    }
)
_ROW_TRACKING = {"baseRowId": pa.int64(), "defaultRowCommitVersion": pa.int64()}

#: The columns of a V1 checkpoint (PROTOCOL.md, "Checkpoint Schema").
_SCHEMA = pa.schema(
    {
        "txn": pa.struct({"appId": pa.string(), "version": pa.int64(), "lastUpdated": pa.int64()}),
        "add": pa.struct(
            {
                "path": pa.string(),
                "partitionValues": _TEXT_MAP,
                "size": pa.int64(),
                "modificationTime": pa.int64(),
                "dataChange": pa.bool_(),
                "tags": _TEXT_MAP,
                "deletionVector": _DELETION_VECTOR,
                **_ROW_TRACKING,
                "clusteringProvider": pa.string(),
                "stats": pa.string(),
            }
        ),
        "remove": pa.struct(
            {
                "path": pa.string(),
                "deletionTimestamp": pa.int64(),
                "dataChange": pa.bool_(),
                "extendedFileMetadata": pa.bool_(),
                "partitionValues": _TEXT_MAP,
                "size": pa.int64(),
                "deletionVector": _DELETION_VECTOR,
                **_ROW_TRACKING,
            }
        ),
        "metaData": pa.struct(
            {
                "id": pa.string(),
                "name": pa.string(),
                "description": pa.string(),
                "format": pa.struct({"provider": pa.string(), "options": _TEXT_MAP}),
                "schemaString": pa.string(),
                "partitionColumns": pa.list_(pa.string()),
                "configuration": _TEXT_MAP,
                "createdTime": pa.int64(),
            }
        ),
        "protocol": pa.struct(
            {
                "minReaderVersion": pa.int32(),
                "minWriterVersion": pa.int32(),
                "readerFeatures": pa.list_(pa.string()),
                "writerFeatures": pa.list_(pa.string()),
            }
        ),
        "domainMetadata": pa.struct({"domain": pa.string(), "configuration": pa.string(), "removed": pa.bool_()}),
    }
)


@dataclass(frozen=True)
class Checkpoint:
    """A complete checkpoint that lies in a log: its version and its files, in order."""

    version: int
    files: tuple[Path, ...]


def checkpoint_actions(snapshot: Snapshot, tombstones: Iterable[Remove] | None = None) -> tuple[Action, ...]:
    """What a V1 checkpoint of ``snapshot`` holds: protocol, metadata, domains, txns, then files by their path.

    ``tombstones`` are the removes to keep; ``None`` keeps all. They lose stats and tags, as the protocol has it.
    Source: PROTOCOL.md, "Checkpoints" and "Checkpoint Schema"; facts 4.7.
    """
    kept = snapshot.removes.values() if tombstones is None else tombstones
    removes = [replace(remove, data_change=False, stats=None, tags=None) for remove in kept]
    adds = snapshot.adds.values()
    files: list[Action] = [
        *sorted(adds, key=lambda add: (add.file, str(add.key[1]))),
        *sorted(removes, key=lambda remove: (remove.file, str(remove.key[1]))),
    ]
    return (snapshot.protocol, snapshot.metadata, *snapshot.domains.values(), *snapshot.txns.values(), *files)


def checkpoint_bytes(actions: Iterable[Action]) -> bytes:
    """The bytes of one V1 checkpoint file that holds ``actions``. Fields that the schema does not know are left out."""
    rows = [_to_arrow(to_json(action), _SCHEMA) for action in actions]
    return parquet_bytes(pa.Table.from_pylist(rows, schema=_SCHEMA))


def write_checkpoint(
    root: Path,
    snapshot: Snapshot,
    *,
    tombstones: Iterable[Remove] | None = None,
    parts: int = 1,
    modified: int | None = None,
) -> tuple[Path, ...]:
    """Write a V1 checkpoint of ``snapshot`` in ``parts`` files, and ``_last_checkpoint``; return the former.

    ``tombstones``: see ``checkpoint_actions``. ``modified``: the files' modification time in ms since the epoch;
    ``None`` leaves the clock's. ``_last_checkpoint`` is replaced; raises AlreadyWritten when a checkpoint file exists.
    Source: PROTOCOL.md, "Checkpoint Naming Scheme" and "Last Checkpoint File Schema".
    """
    actions = checkpoint_actions(snapshot, tombstones)
    log = root / LOG_DIRECTORY
    log.mkdir(parents=True, exist_ok=True)
    paths, size = [], 0
    for part in range(parts):
        data = checkpoint_bytes(actions[part::parts])
        path = log / checkpoint_name(snapshot.version, part + 1, parts)
        try:
            with open(path, "xb") as file:
                file.write(data)
        except FileExistsError:
            raise AlreadyWritten(f"{path} exists already, and a log is never overwritten") from None
        paths.append(path)
        size += len(data)
    last: dict[str, object] = {"version": snapshot.version, "size": len(actions)}
    if parts > 1:
        last["parts"] = parts
    last |= {"sizeInBytes": size, "numOfAddFiles": len(snapshot.adds)}
    pointer = log / LAST_CHECKPOINT
    pointer.write_text(json.dumps(last, separators=(",", ":")), encoding="utf-8")
    if modified is not None:
        for path in (*paths, pointer):
            set_modified(path, modified)
    return tuple(paths)


def find_checkpoints(files: Iterable[Path]) -> tuple[Checkpoint, ...]:
    """The complete checkpoints among the files of a log, by version.

    A multi-part one with missing parts is left out, as the protocol demands. Source: PROTOCOL.md, "Checkpoints".
    """
    found: list[Checkpoint] = []
    parts: dict[tuple[int, int], dict[int, Path]] = {}
    for path in sorted(files):
        name = parse_name(path.name)
        if name is None:
            continue
        if name.kind in (LogFileKind.CHECKPOINT, LogFileKind.CHECKPOINT_UUID):
            found.append(Checkpoint(name.version, (path,)))
        elif name.kind is LogFileKind.CHECKPOINT_PART:
            parts.setdefault((name.version, name.parts), {})[name.part] = path
    for (version, count), by_part in parts.items():
        if sorted(by_part) == list(range(1, count + 1)):
            found.append(Checkpoint(version, tuple(by_part[part] for part in range(1, count + 1))))
    return tuple(sorted(found, key=lambda checkpoint: (checkpoint.version, checkpoint.files)))


def read_checkpoint(checkpoint: Checkpoint) -> tuple[Action, ...]:
    """All actions of a checkpoint, those of its sidecars included.

    Statistics are read where they are JSON text; the parsed columns are passed over. Raises UnreadableCheckpoint.
    Source: PROTOCOL.md, "Checkpoints" and "V2 Spec".
    """
    actions: list[Action] = []
    for path in checkpoint.files:
        for action in _read_file(path):
            if isinstance(action, Unknown) and action.kind == "sidecar":
                actions += _read_file(_sidecar(path, action))
            else:
                actions.append(action)
    return tuple(actions)


def _sidecar(checkpoint: Path, action: Unknown) -> Path:
    try:
        name = decode(str(action.value["path"])) if isinstance(action.value, Mapping) else ""
    except (KeyError, MalformedPath):
        name = ""
    if not name:
        raise UnreadableCheckpoint(f"{checkpoint.name} holds a sidecar action without a usable path: {action.value!r}")
    return checkpoint.parent / SIDECARS / name


def _read_file(path: Path) -> tuple[Action, ...]:
    try:
        with open(path, "rb") as file:
            data = file.read()
        if path.suffix == ".json":
            return parse_commit(data, path.name)
        table = pq.ParquetFile(io.BytesIO(data)).read()
    except (OSError, pa.ArrowException) as error:
        raise UnreadableCheckpoint(f"the checkpoint file {path.name} cannot be read: {error}") from None
    actions = []
    for number, row in enumerate(table.to_pylist(), start=1):
        try:
            actions.append(from_json(_from_arrow(row, table.schema)))
        except MalformedAction as error:
            raise UnreadableCheckpoint(f"{path.name}, row {number}, is not an action: {error}") from None
    return tuple(actions)


def _to_arrow(value: object, kind: pa.DataType | pa.Schema) -> object:
    """A JSON value as pyarrow takes it for ``kind``: maps as pairs, objects with the fields of the type only."""
    if isinstance(value, Mapping):
        if isinstance(kind, pa.MapType):
            return list(value.items())
        return {one.name: _to_arrow(value.get(one.name), one.type) for one in kind}
    return value


def _from_arrow(value: object, kind: pa.DataType | pa.Schema) -> object:
    """The JSON value of what pyarrow gives for ``kind``; columns parsed out of others are left out."""
    if isinstance(kind, pa.MapType) and value is not None:
        return dict(value)  # type: ignore[call-overload]
    if isinstance(value, Mapping):
        return {one.name: _from_arrow(value[one.name], one.type) for one in kind if not one.name.endswith("_parsed")}
    return value
