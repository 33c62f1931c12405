"""Moves a table in time: all timestamps in its log and its directory, by the same amount.

For engines whose clock cannot be set.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltalog.storage.lines import json_lines
from deltalog.storage.names import LAST_CHECKPOINT, LOG_DIRECTORY
from deltalog.storage.parquet import parquet_bytes
from deltalog.storage.times import NANOSECONDS

#: The timestamps in actions, in ms since the epoch (PROTOCOL.md, "Actions").
_TIMESTAMPS: Mapping[str, tuple[str, ...]] = {
    "add": ("modificationTime",),
    "remove": ("deletionTimestamp",),
    "commitInfo": ("timestamp", "inCommitTimestamp"),
    "metaData": ("createdTime",),
    "txn": ("lastUpdated",),
    "sidecar": ("modificationTime",),
}

#: The timestamp in a version checksum, and its members that are actions, with their kinds (PROTOCOL.md, "Version Checksum
#: File"). Delta compares these with the log.
_CHECKSUM_TIMESTAMP = "inCommitTimestampOpt"
_CHECKSUM_ACTIONS: Mapping[str, str] = {"metadata": "metaData", "setTransactions": "txn", "allFiles": "add"}


def shift_timestamps(root: Path, *, by: int) -> None:
    """Make the table at ``root`` and everything beside it ``by`` ms older; younger if ``by`` is negative.

    This changes the modification times of files, directories and links, and the timestamps in commits, checkpoints and
    version checksums. A remove without a deletionTimestamp is left without one; a checkpoint that cannot be read is left.
    """
    log = root / LOG_DIRECTORY
    sizes: dict[str, int] = {}  # of files by name, in bytes, for the sidecar actions
    # Sidecars first, as checkpoints contain their sizes.
    for path in sorted(log.rglob("*"), key=lambda path: (path.parent == log, path)):
        if path.is_file() and path.name != LAST_CHECKPOINT:
            _shift_file(path, by, sizes)
            sizes[path.name] = path.stat().st_size
    _remove_sizes(log / LAST_CHECKPOINT)
    for path in root.parent.rglob("*"):
        status = path.lstat()
        times = (status.st_atime_ns - by * NANOSECONDS, status.st_mtime_ns - by * NANOSECONDS)
        os.utime(path, ns=times, follow_symlinks=False)


def _remove_sizes(pointer: Path) -> None:
    """Remove the size and the checksum from ``_last_checkpoint``: they are optional, and now wrong."""
    try:
        known = json.loads(pointer.read_bytes())
    except (FileNotFoundError, ValueError):  # missing, or truncated
        return
    _rewrite(pointer, json.dumps({key: value for key, value in known.items() if key not in _SIZES}).encode())


#: Fields that depend on bytes (PROTOCOL.md, "Last Checkpoint File Schema").
_SIZES = ("sizeInBytes", "checksum")


def _rewrite(path: Path, content: bytes) -> None:
    """Replace the bytes of a file, and keep its modification time. Hadoop's checksum of the old bytes goes: by it Hadoop would
    refuse the new ones.
    """
    status = path.stat()
    path.write_bytes(content)
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _shift_file(path: Path, by: int, sizes: Mapping[str, int]) -> None:
    """Rewrite one file of the log. ``sizes`` are those of the sidecars."""
    if path.suffix == ".parquet":
        try:
            # INT96, as Spark 2 wrote instants: as nanoseconds, which is pyarrow's way, no Spark reads them again.
            table = pq.read_table(path, coerce_int96_timestamp_unit="us")
        except pa.ArrowInvalid:  # a checkpoint that was written by half
            return
        _rewrite(path, parquet_bytes(_shifted_checkpoint(table, by, sizes)))
    elif path.suffix == ".crc" and not path.name.startswith("."):
        _rewrite(path, _shifted_checksum(path.read_text(encoding="utf-8"), by).encode())
    elif path.suffix == ".json":
        actions = json_lines(path.read_bytes())
        _rewrite(path, "".join(_shifted_action(action, by, sizes) + "\n" for action in actions).encode())


def _shifted_action(action: dict[str, Any], by: int, sizes: Mapping[str, int]) -> str:
    """A line of a commit, or of a checkpoint in JSON."""
    for kind, fields in action.items():
        _shift_fields(fields, kind, by)
    if "sidecar" in action:
        action["sidecar"]["sizeInBytes"] = sizes[action["sidecar"]["path"]]
    return json.dumps(action, ensure_ascii=False, separators=(",", ":"))


def _shift_fields(fields: dict[str, Any], kind: str, by: int) -> None:
    """Those of an action."""
    for field in _TIMESTAMPS.get(kind, ()):
        if fields.get(field) is not None:
            fields[field] -= by


def _shifted_checksum(text: str, by: int) -> str:
    checksum: dict[str, Any] = json.loads(text)
    if checksum.get(_CHECKSUM_TIMESTAMP) is not None:
        checksum[_CHECKSUM_TIMESTAMP] -= by
    for member, kind in _CHECKSUM_ACTIONS.items():
        found = checksum.get(member) or []
        for action in found if isinstance(found, list) else [found]:
            _shift_fields(action, kind, by)
    return json.dumps(checksum, ensure_ascii=False, separators=(",", ":"))


def _shifted_checkpoint(table: pa.Table, by: int, sizes: Mapping[str, int]) -> pa.Table:
    for kind, fields in _TIMESTAMPS.items():
        if kind in table.column_names:
            place = table.column_names.index(kind)
            shifted = _shifted_structs(table.column(kind).combine_chunks(), fields, by, sizes)
            table = table.set_column(place, table.schema.field(kind), shifted)
    return table


def _earlier(times: pa.Array, by: int) -> pa.Array:
    """Numbers of ms, or instants: so Delta 0.2 writes the timestamp of commitInfo into checkpoints."""
    if pa.types.is_timestamp(times.type):
        return pc.subtract(times, pa.scalar(by, pa.duration("ms"))).cast(times.type)
    return pc.subtract(times, pa.scalar(by, times.type))


def _shifted_structs(
    structs: pa.StructArray, fields: tuple[str, ...], by: int, sizes: Mapping[str, int]
) -> pa.StructArray:
    children = []
    for number, child in enumerate(structs.type):
        values = structs.field(number)
        if child.name in fields:
            values = _earlier(values, by)
        elif child.name == "sizeInBytes":  # only sidecars have it at the top level
            paths = structs.field(structs.type.get_field_index("path")).to_pylist()
            values = pa.array([sizes.get(path, 0) for path in paths], child.type)  # 0: not nullable
        children.append(values)
    return pa.StructArray.from_arrays(children, fields=list(structs.type), mask=structs.is_null())
