"""Makes a table older, or younger: every instant of its log and of its directory moves by the same time.

For engines whose clock nobody can set: there, time passes by the table's growing older.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltalog.names import LAST_CHECKPOINT, LOG_DIRECTORY
from deltalog.parquet import parquet_bytes
from deltalog.times import NANOSECONDS

#: The fields of actions that hold an instant, in ms since the epoch (PROTOCOL.md, "Actions").
_INSTANTS: Mapping[str, tuple[str, ...]] = {
    "add": ("modificationTime",),
    "remove": ("deletionTimestamp",),
    "commitInfo": ("timestamp", "inCommitTimestamp"),
    "metaData": ("createdTime",),
    "txn": ("lastUpdated",),
    "sidecar": ("modificationTime",),
}

#: The field of a version checksum that holds one (PROTOCOL.md, "Version Checksum File").
_OF_CHECKSUM = "inCommitTimestampOpt"


def shift_timestamps(root: Path, *, by: int) -> None:
    """Make the table at ``root`` ``by`` ms older, and all that lies beside it; younger where ``by`` is negative.

    The modification times of files, directories and links move, and the instants in commits, checkpoints and version
    checksums; a remove without a deletionTimestamp stays without. File names, sizes of data files and all else stay.
    """
    log = root / LOG_DIRECTORY
    sizes: dict[str, int] = {}  # of the files that checkpoints name, in bytes, by name
    # Sidecars first: checkpoints say how long they are.
    for path in sorted(log.rglob("*"), key=lambda path: (path.parent == log, path)):
        if path.is_file() and path.name != LAST_CHECKPOINT:
            _age_file(path, by, sizes)
            sizes[path.name] = path.stat().st_size
    _forget_size(log / LAST_CHECKPOINT)
    for thing in _within(root.parent):
        found = os.lstat(thing)
        times = (found.st_atime_ns - by * NANOSECONDS, found.st_mtime_ns - by * NANOSECONDS)
        os.utime(thing, ns=times, follow_symlinks=False)


def _within(directory: Path) -> Iterator[str]:
    """Everything below a directory; links are not followed."""
    for above, directories, files in os.walk(directory):
        for name in (*directories, *files):
            yield os.path.join(above, name)


def _forget_size(pointer: Path) -> None:
    """Leave out of ``_last_checkpoint`` how long the checkpoint is, and its own checksum: both are optional, and untrue now."""
    try:
        known = json.loads(pointer.read_bytes())
    except (FileNotFoundError, ValueError):  # it is not there, or cut off in the middle
        return
    _rewrite(pointer, json.dumps({key: value for key, value in known.items() if key not in _OF_SIZE}).encode())


#: What ``_last_checkpoint`` says of the bytes of a checkpoint, and of its own (PROTOCOL.md, "Last Checkpoint File Schema").
_OF_SIZE = ("sizeInBytes", "checksum")


def _rewrite(path: Path, content: bytes) -> None:
    """Give a file other bytes. Its modification time is kept, for it moves with all others."""
    found = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def _age_file(path: Path, by: int, sizes: Mapping[str, int]) -> None:
    """Rewrite one file of the log. ``sizes`` are those of the sidecars."""
    if path.suffix == ".parquet":
        _rewrite(path, _aged_checkpoint(path, by, sizes))
    elif path.suffix == ".crc" and not path.name.startswith("."):
        _rewrite(path, _aged_checksum(path.read_text(encoding="utf-8"), by).encode())
    elif path.suffix == ".json":
        lines = path.read_text(encoding="utf-8").splitlines()
        _rewrite(path, "".join(_aged_line(line, by, sizes) + "\n" for line in lines).encode())


def _aged_line(line: str, by: int, sizes: Mapping[str, int]) -> str:
    action: dict[str, Any] = json.loads(line)
    for kind, fields in action.items():
        for field in _INSTANTS.get(kind, ()):
            if fields.get(field) is not None:
                fields[field] -= by
    if "sidecar" in action:
        action["sidecar"]["sizeInBytes"] = sizes[action["sidecar"]["path"]]
    return json.dumps(action, ensure_ascii=False, separators=(",", ":"))


def _aged_checksum(text: str, by: int) -> str:
    checksum: dict[str, Any] = json.loads(text)
    if checksum.get(_OF_CHECKSUM) is not None:
        checksum[_OF_CHECKSUM] -= by
    return json.dumps(checksum, ensure_ascii=False, separators=(",", ":"))


def _aged_checkpoint(path: Path, by: int, sizes: Mapping[str, int]) -> bytes:
    table = pq.read_table(path)
    for kind, fields in _INSTANTS.items():
        if kind in table.column_names:
            place = table.column_names.index(kind)
            aged = _aged_structs(table.column(kind).combine_chunks(), fields, by, sizes)
            table = table.set_column(place, table.schema.field(kind), aged)
    return parquet_bytes(table)


def _aged_structs(
    structs: pa.StructArray, fields: tuple[str, ...], by: int, sizes: Mapping[str, int]
) -> pa.StructArray:
    children = []
    for number, child in enumerate(structs.type):
        values = structs.field(number)
        if child.name in fields:
            values = pc.subtract(values, pa.scalar(by, child.type))
        elif child.name == "sizeInBytes":  # of sidecars; no other of these actions has it at its top
            paths = structs.field(structs.type.get_field_index("path")).to_pylist()
            values = pa.array([sizes.get(path) for path in paths], child.type)
        children.append(values)
    return pa.StructArray.from_arrays(children, fields=list(structs.type), mask=structs.is_null())
