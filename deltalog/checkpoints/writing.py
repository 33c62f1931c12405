"""Writes checkpoints: V1 in one or several files, and V2 with a sidecar."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

import pyarrow as pa

from deltalog.checkpoints.checksums import json_checksum
from deltalog.checkpoints.files import SCHEMA, SIDECAR_SCHEMA, V2_SCHEMA, file_bytes, is_kind
from deltalog.checkpoints.parsed_columns import ParsedColumns
from deltalog.entries.actions import Action, Add, Remove, Unknown
from deltalog.entries.codec import to_json
from deltalog.snapshot import Snapshot
from deltalog.storage.files import write_new
from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY, SIDECARS, checkpoint_name, uuid_checkpoint_name
from deltalog.storage.times import milliseconds, set_modified


@dataclass(frozen=True)
class _Written:
    """The files of a checkpoint, its own first; their size in bytes; and the actions in its own."""

    files: tuple[Path, ...]
    size: int
    own: tuple[Action, ...]


@dataclass(frozen=True)
class _Form:
    """The compression of files, their modification time in ms since the epoch (``None``: now), and the adds' structs."""

    compression: str
    modified: int | None
    parsed: ParsedColumns | None

    def write(self, path: Path, actions: Iterable[Action], schema: pa.Schema) -> int:
        """Write a new file; return its size in bytes. Raises AlreadyWritten."""
        data = file_bytes(actions, schema, compression=self.compression, parsed=self.parsed)
        write_new(path, data, self.modified)
        return len(data)


def checkpoint_actions(snapshot: Snapshot, tombstones: Iterable[Remove] | None = None) -> tuple[Action, ...]:
    """The actions of a V1 checkpoint: protocol, metadata, domains, txns, then files by path.

    ``tombstones`` are the removes to keep (``None``: all), without stats and tags as the protocol requires.
    Source: PROTOCOL.md, "Checkpoints" and "Checkpoint Schema".
    """
    kept = snapshot.removes.values() if tombstones is None else tombstones
    removes = [replace(remove, data_change=False, stats=None, tags=None) for remove in kept]
    adds = snapshot.adds.values()
    files: list[Action] = [
        *sorted(adds, key=lambda add: (add.file, str(add.key[1]))),
        *sorted(removes, key=lambda remove: (remove.file, str(remove.key[1]))),
    ]
    return (snapshot.protocol, snapshot.metadata, *snapshot.domains.values(), *snapshot.txns.values(), *files)


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
    if v2 and parts != 1:
        raise ValueError("a V2 checkpoint cannot have parts")
    actions = checkpoint_actions(snapshot, tombstones)
    form = _Form(compression, modified, ParsedColumns(snapshot.metadata) if struct_statistics else None)
    log = root / LOG_DIRECTORY
    if v2:
        written = _write_v2(log, snapshot.version, actions, form, embeds)
    else:
        written = _write_v1(log, snapshot.version, actions, form, parts)
    own = [action for action in written.own if isinstance(action, Unknown)]  # those that only V2 checkpoints have
    last: dict[str, object] = {"version": snapshot.version, "size": len(actions) + len(own)}
    if parts > 1:
        last["parts"] = parts
    last |= {"sizeInBytes": written.size, "numOfAddFiles": len(snapshot.adds)}
    if v2:
        path = written.files[0]
        last["v2Checkpoint"] = {"path": path.name, **_place(path), **(_embedded(written.own) if embeds else {})}
    last["checksum"] = json_checksum(last)
    pointer = log / LAST_CHECKPOINT
    pointer.write_text(json.dumps(last, separators=(",", ":")), encoding="utf-8")
    if modified is not None:
        set_modified(pointer, modified)
    return written.files


def _write_v1(log: Path, version: int, actions: tuple[Action, ...], form: _Form, parts: int) -> _Written:
    paths = tuple(log / checkpoint_name(version, part + 1, parts) for part in range(parts))
    size = sum(form.write(path, actions[part::parts], SCHEMA) for part, path in enumerate(paths))
    return _Written(paths, size, actions)


def _write_v2(log: Path, version: int, actions: tuple[Action, ...], form: _Form, embeds: bool) -> _Written:
    files = [action for action in actions if isinstance(action, (Add, Remove))]
    others = [action for action in actions if not isinstance(action, (Add, Remove))]
    paths: tuple[Path, ...] = ()
    size = 0
    sidecars: tuple[Action, ...] = ()
    if files:
        sidecar = log / SIDECARS / f"{_uuid(version, 2)}.parquet"
        size = form.write(sidecar, files, SIDECAR_SCHEMA)
        paths = (sidecar,)
        sidecars = (Unknown("sidecar", {"path": sidecar.name, **_place(sidecar), "tags": {}}),)
    tags = {
        "sidecarNumActions": str(len(files)),
        "sidecarSizeInBytes": str(size),
        "numOfAddFiles": str(sum(isinstance(action, Add) for action in files)),
    }
    metadata = Unknown("checkpointMetadata", {"version": version, "tags": tags if embeds else {}})
    own = (metadata, *others, *sidecars)
    path = log / uuid_checkpoint_name(version, _uuid(version, 1))
    size += replace(form, parsed=None).write(path, own, V2_SCHEMA)
    return _Written((path, *paths), size, own)


def _embedded(own: Iterable[Action]) -> dict[str, object]:
    """The actions of a V2 checkpoint's main file, as Delta on Spark embeds them in ``_last_checkpoint``."""
    return {
        "nonFileActions": [to_json(action) for action in own if not is_kind(action, "sidecar")],
        "sidecarFiles": [to_json(action)["sidecar"] for action in own if is_kind(action, "sidecar")],
    }


def _uuid(version: int, number: int) -> UUID:
    """The UUID of a file of a version's checkpoint."""
    return UUID(f"{version:08x}-0000-4000-8000-{number:012x}")


def _place(path: Path) -> dict[str, object]:
    status = path.stat()
    return {"sizeInBytes": status.st_size, "modificationTime": milliseconds(status.st_mtime_ns)}
