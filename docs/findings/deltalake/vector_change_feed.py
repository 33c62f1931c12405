"""The change data feed of a DELETE that removes a file tells the wrong rows, where the file has a deletion vector.

Needs deltalake and pyarrow only. Run: python vector_change_feed.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import tempfile
import time
import uuid
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, __version__

OLD = time.time() - 30 * 86400  # the default retention is a week


def write_commit(table: Path, version: int, actions: list[dict[str, Any]]) -> None:
    """A commit by hand: one action a line."""
    log = table / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(action, ensure_ascii=False) for action in actions]
    (log / f"{version:020}.json").write_text("\n".join(lines) + "\n", encoding="utf-8")


def first_actions(columns: dict[str, str], partition_by: tuple[str, ...] = (), **settings: str) -> list[dict[str, Any]]:
    """Protocol and metadata of a table that needs no feature; settings have _ for the dot of their names."""
    fields = [{"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in columns.items()]
    metadata = {
        "id": "00000000-0000-4000-8000-000000000000",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": list(partition_by),
        "configuration": {name.replace("_", "."): value for name, value in settings.items()},
        "createdTime": 1,
    }
    return [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": metadata}]


def write_data(path: Path, ids: list[int]) -> int:
    """A data file, 30 days old; its size in bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), path)
    os.utime(path, (OLD, OLD))
    return path.stat().st_size


def add(path: str, size: int, **partition: str | None) -> dict[str, Any]:
    """The add of a file under this path in the log."""
    return {
        "add": {"path": path, "partitionValues": partition, "size": size, "modificationTime": 1, "dataChange": True}
    }


VECTOR = "deletion_vector_00000001-0000-4000-8000-000000000000.bin"
Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def encoded(name: str) -> str:
    """The UUID of a vector's file as the log has it (PROTOCOL.md, "Deletion Vector Descriptor Schema")."""
    raw = uuid.UUID(name.removeprefix("deletion_vector_").removesuffix(".bin")).bytes
    words = struct.unpack(">4I", raw)
    return "".join(Z85[word // 85**power % 85] for word in words for power in (4, 3, 2, 1, 0))


def write_vector(path: Path, row: int) -> int:
    """A vector's file that hides one row; the size of the bitmap in bytes."""
    container = struct.pack("<IIHHIH", 12346, 1, 0, 0, 16, row)
    bitmap = struct.pack("<IQI", 1681511377, 1, 0) + container
    path.write_bytes(b"\x01" + struct.pack(">I", len(bitmap)) + bitmap + struct.pack(">I", zlib.crc32(bitmap)))
    os.utime(path, (OLD, OLD))
    return len(bitmap)


def shows(home: Path) -> bool:
    table = home / "t"
    live = add("a.parquet", write_data(table / "a.parquet", [0, 1, 2, 3]))
    live["add"]["stats"] = '{"numRecords":4}'
    live["add"]["deletionVector"] = {
        "storageType": "u",
        "pathOrInlineDv": encoded(VECTOR),
        "offset": 1,
        "sizeInBytes": write_vector(table / VECTOR, 1),
        "cardinality": 1,
    }
    _, metadata = first_actions({"id": "long"}, delta_enableChangeDataFeed="true")
    features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors", "changeDataFeed"]}
    write_commit(table, 0, [{"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}}, metadata, live])
    print("rows before: [0, 2, 3]; the vector hides 1")
    DeltaTable(str(table)).delete()
    feed = pa.table(DeltaTable(str(table)).load_cdf(starting_version=1).read_all())
    told = sorted(zip(feed["id"].to_pylist(), feed["_change_type"].to_pylist(), strict=True))
    print("DELETE of all; the feed says", told, "expected [(0, 'delete'), (2, 'delete'), (3, 'delete')]")
    return told != [(0, "delete"), (2, "delete"), (3, "delete")]


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
