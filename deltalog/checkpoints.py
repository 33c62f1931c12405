"""Writes and reads checkpoints: V1 in one or several files, and V2 with sidecars."""

from __future__ import annotations

import io
import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeGuard
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from deltalog.actions import Action, Add, Metadata, Remove, Unknown
from deltalog.checksums import json_checksum
from deltalog.codec import from_json, to_json
from deltalog.commits import parse_commit
from deltalog.errors import MalformedAction, MalformedPath, UnreadableCheckpoint
from deltalog.files import write_new
from deltalog.frozen import FrozenMap
from deltalog.names import (
    LAST_CHECKPOINT,
    LOG_DIRECTORY,
    SIDECARS,
    LogFileKind,
    checkpoint_name,
    parse_name,
    uuid_checkpoint_name,
)
from deltalog.parquet import parquet_bytes
from deltalog.parsed_columns import ParsedColumns
from deltalog.paths import decode
from deltalog.schemas import parse_schema, timestamp_ntz_paths
from deltalog.snapshot import Snapshot
from deltalog.statistics import struct_statistics
from deltalog.times import milliseconds, set_modified

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

#: The columns of a sidecar (PROTOCOL.md, "Sidecar Files").
_SIDECAR_SCHEMA = pa.schema([_SCHEMA.field("add"), _SCHEMA.field("remove")])

#: The columns of a V2 checkpoint's own file.
_V2_SCHEMA = pa.schema(
    [
        *_SCHEMA,
        pa.field("checkpointMetadata", pa.struct({"version": pa.int64(), "tags": _TEXT_MAP})),
        pa.field(
            "sidecar",
            pa.struct(
                {"path": pa.string(), "sizeInBytes": pa.int64(), "modificationTime": pa.int64(), "tags": _TEXT_MAP}
            ),
        ),
    ]
)


#: The first bytes of a Parquet file.
_MAGIC = b"PAR1"

#: The column of an add with its statistics as a struct.
_PARSED = "stats_parsed"


@dataclass(frozen=True)
class Checkpoint:
    """A complete checkpoint: its version and its files, in order."""

    version: int
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Sidecar:
    """A sidecar of a V2 checkpoint: the fields of the action that names it, its file, and the actions in it."""

    fields: Mapping[str, object]
    file: Path
    actions: tuple[Action, ...]


@dataclass(frozen=True)
class CheckpointParts:
    """The actions of a checkpoint by where they are: in its own files, those that name sidecars too, and in its sidecars."""

    own: tuple[Action, ...]
    sidecars: tuple[Sidecar, ...]

    @property
    def metadata(self) -> tuple[object, ...]:
        """The values of the ``checkpointMetadata`` actions."""
        return tuple(action.value for action in self.own if _is(action, "checkpointMetadata"))

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions but those that name sidecars."""
        own = (action for action in self.own if not _is(action, "sidecar"))
        return (*own, *(action for sidecar in self.sidecars for action in sidecar.actions))


def checkpoint_actions(snapshot: Snapshot, tombstones: Iterable[Remove] | None = None) -> tuple[Action, ...]:
    """The actions of a V1 checkpoint: protocol, metadata, domains, txns, then files by path.

    ``tombstones`` are the removes to keep (``None``: all), without stats and tags as the protocol requires.
    Source: PROTOCOL.md, "Checkpoints" and "Checkpoint Schema"; docs/delta.md 4.7.
    """
    kept = snapshot.removes.values() if tombstones is None else tombstones
    removes = [replace(remove, data_change=False, stats=None, tags=None) for remove in kept]
    adds = snapshot.adds.values()
    files: list[Action] = [
        *sorted(adds, key=lambda add: (add.file, str(add.key[1]))),
        *sorted(removes, key=lambda remove: (remove.file, str(remove.key[1]))),
    ]
    return (snapshot.protocol, snapshot.metadata, *snapshot.domains.values(), *snapshot.txns.values(), *files)


def checkpoint_bytes(
    actions: Iterable[Action], *, compression: str = "snappy", parsed: ParsedColumns | None = None
) -> bytes:
    """The bytes of one V1 checkpoint file with ``actions``, without fields that the schema lacks.

    ``parsed``: the columns with structs that adds have in place of their statistics, and beside their partition values.
    """
    return _parquet(actions, _SCHEMA, compression, parsed)


def write_checkpoint(
    root: Path,
    snapshot: Snapshot,
    *,
    tombstones: Iterable[Remove] | None = None,
    parts: int = 1,
    v2: bool = False,
    embeds: bool = False,
    struct_statistics: bool = False,
    modified: int | None = None,
    compression: str = "snappy",
) -> tuple[Path, ...]:
    """Write a checkpoint of ``snapshot``, and ``_last_checkpoint``; return the checkpoint's files.

    It is a V1 checkpoint in ``parts`` files, or with ``v2`` a V2 checkpoint with a UUID name and one sidecar (none without
    files), in this order. UUIDs are derived from the version, so equal states have equal names and bytes.
    ``tombstones``: see ``checkpoint_actions``. ``struct_statistics``: adds have their statistics as a struct only, and their
    partition values as one too. ``modified``: the files' modification time in ms since the epoch (``None``:
    now). Replaces ``_last_checkpoint``. Raises AlreadyWritten if a checkpoint file exists, and ValueError for a V2
    checkpoint in parts.
    Source: PROTOCOL.md, "Checkpoint Naming Scheme", "V2 Spec" and "Last Checkpoint File Schema".
    """
    actions = checkpoint_actions(snapshot, tombstones)
    parsed = ParsedColumns(snapshot.metadata) if struct_statistics else None
    if v2 and parts != 1:
        raise ValueError("a V2 checkpoint cannot have parts")
    log = root / LOG_DIRECTORY
    last: dict[str, object] = {"version": snapshot.version, "size": len(actions)}
    embedded: dict[str, object] = {}
    if v2:
        paths, size, top = _write_v2(log, snapshot.version, actions, embeds, modified, compression, parsed)
        last["size"] = len(actions) + sum(isinstance(action, Unknown) for action in top)
        embedded = _embedded(top) if embeds else {}
    else:
        paths, size = [], 0
        for part in range(parts):
            path = log / checkpoint_name(snapshot.version, part + 1, parts)
            data = checkpoint_bytes(actions[part::parts], compression=compression, parsed=parsed)
            size += _write(path, data, modified)
            paths.append(path)
    if parts > 1:
        last["parts"] = parts
    last |= {"sizeInBytes": size, "numOfAddFiles": len(snapshot.adds)}
    if v2:
        last["v2Checkpoint"] = {"path": paths[0].name, **_place(paths[0]), **embedded}
    last["checksum"] = json_checksum(last)
    pointer = log / LAST_CHECKPOINT
    pointer.write_text(json.dumps(last, separators=(",", ":")), encoding="utf-8")
    if modified is not None:
        set_modified(pointer, modified)
    return tuple(paths)


def _write_v2(
    log: Path,
    version: int,
    actions: Iterable[Action],
    embeds: bool,
    modified: int | None,
    compression: str,
    parsed: ParsedColumns | None,
) -> tuple[list[Path], int, list[Action]]:
    """The files written, the main file first; their size in bytes; and the actions of the main file."""
    files = [action for action in actions if isinstance(action, (Add, Remove))]
    others = [action for action in actions if not isinstance(action, (Add, Remove))]
    paths, size = [], 0
    sidecars: list[Action] = []
    if files:
        sidecar = log / SIDECARS / f"{_uuid(version, 2)}.parquet"
        size += _write(sidecar, _parquet(files, _SIDECAR_SCHEMA, compression, parsed), modified)
        sidecars.append(Unknown("sidecar", {"path": sidecar.name, **_place(sidecar), "tags": {}}))
        paths.append(sidecar)
    tags = {
        "sidecarNumActions": str(len(files)),
        "sidecarSizeInBytes": str(size),
        "numOfAddFiles": str(sum(isinstance(action, Add) for action in files)),
    }
    metadata = Unknown("checkpointMetadata", {"version": version, "tags": tags if embeds else {}})
    top: list[Action] = [metadata, *others, *sidecars]
    path = log / uuid_checkpoint_name(version, _uuid(version, 1))
    size += _write(path, _parquet(top, _V2_SCHEMA, compression), modified)
    return [path, *paths], size, top


def _embedded(top: Iterable[Action]) -> dict[str, object]:
    """The actions of a V2 checkpoint's main file, as Delta on Spark embeds them in ``_last_checkpoint``."""
    return {
        "nonFileActions": [to_json(action) for action in top if not _is(action, "sidecar")],
        "sidecarFiles": [to_json(action)["sidecar"] for action in top if _is(action, "sidecar")],
    }


def _is(action: Action, kind: str) -> TypeGuard[Unknown]:
    """Whether this is one of the actions that only V2 checkpoints have."""
    return isinstance(action, Unknown) and action.kind == kind


def _uuid(version: int, number: int) -> UUID:
    """The UUID of a file of a version's checkpoint."""
    return UUID(f"{version:08x}-0000-4000-8000-{number:012x}")


def _place(path: Path) -> dict[str, object]:
    status = path.stat()
    return {"sizeInBytes": status.st_size, "modificationTime": milliseconds(status.st_mtime_ns)}


def _parquet(
    actions: Iterable[Action], schema: pa.Schema, compression: str, parsed: ParsedColumns | None = None
) -> bytes:
    """``parsed``: the columns that adds have in place of ``stats``, and beside ``partitionValues``."""
    if parsed is not None:
        place = schema.get_field_index("add")
        add = pa.struct([*(one for one in schema.field(place).type if one.name != "stats"), *parsed.fields])
        schema = schema.set(place, pa.field("add", add))
    rows: list[Any] = []
    for action in actions:
        row = _to_arrow(to_json(action), schema)
        if parsed is not None and isinstance(action, Add):
            row["add"] |= parsed.values(action)  # type: ignore[index]
        rows.append(row)
    return parquet_bytes(pa.Table.from_pylist(rows, schema=schema), compression=compression)


def _write(path: Path, data: bytes, modified: int | None) -> int:
    write_new(path, data, modified)
    return len(data)


def find_checkpoints(files: Iterable[Path]) -> tuple[Checkpoint, ...]:
    """The complete checkpoints among the files of a log, by version.

    One with missing parts is ignored. Source: PROTOCOL.md, "Checkpoints".
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
    """All actions of a checkpoint, including its sidecars.

    Statistics that are only a struct become JSON; other parsed columns are skipped. Raises UnreadableCheckpoint, and
    MalformedAction for statistics that are only a struct under an invalid schema.
    Source: PROTOCOL.md, "Checkpoints" and "V2 Spec".
    """
    actions = read_parts(checkpoint).actions
    if not any(isinstance(action, Add) and _PARSED in action.extra for action in actions):
        return actions
    schema = next((action.schema_string for action in actions if isinstance(action, Metadata)), None)
    local = timestamp_ntz_paths(parse_schema(schema))
    return tuple(_with_statistics(action, local) if isinstance(action, Add) else action for action in actions)


def read_parts(checkpoint: Checkpoint) -> CheckpointParts:
    """The actions of a checkpoint as they are, by where they are. Raises UnreadableCheckpoint.

    Source: PROTOCOL.md, "V2 Spec" and "Sidecar Files".
    """
    own: list[Action] = []
    sidecars: list[Sidecar] = []
    for path in checkpoint.files:
        actions = _read_file(path)
        own += actions
        for action in actions:
            if _is(action, "sidecar"):
                file = _sidecar(path, action)
                fields = action.value if isinstance(action.value, Mapping) else {}
                sidecars.append(Sidecar(fields, file, _read_file(file)))
    return CheckpointParts(tuple(own), tuple(sidecars))


def _with_statistics(add: Add, local: Container[tuple[str, ...]]) -> Add:
    """The action with its statistics as JSON."""
    parsed = add.extra.get(_PARSED)
    if not isinstance(parsed, Mapping):
        return add
    extra = {name: value for name, value in add.extra.items() if name != _PARSED}
    return replace(add, stats=struct_statistics(parsed, local), extra=FrozenMap(extra))


def _sidecar(checkpoint: Path, action: Unknown) -> Path:
    try:
        name = decode(str(action.value["path"])) if isinstance(action.value, Mapping) else ""
    except (KeyError, MalformedPath):
        name = ""
    if not name:
        raise UnreadableCheckpoint(f"{checkpoint.name} has a sidecar action without a usable path: {action.value!r}")
    return checkpoint.parent / SIDECARS / name


def _read_file(path: Path) -> tuple[Action, ...]:
    try:
        with open(path, "rb") as file:
            data = file.read()
        if path.suffix == ".json":
            return parse_commit(data, path.name)
        if data[:4] != _MAGIC:  # pyarrow looks at the end only
            raise ValueError("it does not begin as a Parquet file")
        # Most years of INT96 timestamps do not fit nanoseconds.
        table = pq.ParquetFile(io.BytesIO(data), coerce_int96_timestamp_unit="us").read()
        rows = table.to_pylist()
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise UnreadableCheckpoint(f"the checkpoint file {path.name} cannot be read: {error}") from None
    actions: list[Action] = []
    for number, row in enumerate(rows, start=1):
        document: dict[str, Any] = {one.name: _from_arrow(row[one.name], one.type) for one in table.schema}
        if document.get("add") and document["add"].get("stats") is None:
            document["add"][_PARSED] = row["add"].get(_PARSED)
        try:
            actions += from_json(document)
        except MalformedAction as error:
            raise UnreadableCheckpoint(f"{path.name}, row {number}, is not an action: {error}") from None
    return tuple(actions)


def _to_arrow(value: object, kind: pa.DataType | pa.Schema) -> object:
    """A JSON value for pyarrow: maps as pairs, objects with the fields of the type only."""
    if isinstance(value, Mapping):
        if isinstance(kind, pa.MapType):
            return list(value.items())
        return {one.name: _to_arrow(value.get(one.name), one.type) for one in kind}
    return value


def _from_arrow(value: object, kind: pa.DataType) -> object:
    """The JSON value of a value of pyarrow, without parsed columns."""
    if isinstance(kind, pa.MapType) and value is not None:
        return dict(value)  # type: ignore[call-overload]
    if isinstance(value, Mapping):
        return {one.name: _from_arrow(value[one.name], one.type) for one in kind if not one.name.endswith("_parsed")}
    return value
