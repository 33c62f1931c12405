"""VACUUM keeps the file of a tombstone that has no deletionTimestamp: it takes that of another tombstone in the checkpoint.

Needs deltalake and pyarrow only. Run: python timeless_tombstone.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
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


def write_checkpoint(table: Path, version: int, actions: list[dict[str, Any]]) -> None:
    """A checkpoint by hand, of one part."""
    strings = pa.map_(pa.string(), pa.string())
    types = {
        "protocol": pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())]),
        "metaData": pa.struct([
            ("id", pa.string()), ("name", pa.string()), ("description", pa.string()), ("format", pa.struct([("provider", pa.string()), ("options", strings)])),
            ("schemaString", pa.string()), ("partitionColumns", pa.list_(pa.string())), ("configuration", strings),
            ("createdTime", pa.int64()),
        ]),
        "add": pa.struct([
            ("path", pa.string()), ("partitionValues", strings), ("size", pa.int64()), ("modificationTime", pa.int64()),
            ("dataChange", pa.bool_()),
        ]),
        "remove": pa.struct([("path", pa.string()), ("deletionTimestamp", pa.int64()), ("dataChange", pa.bool_())]),
    }  # fmt: skip
    columns = {name: pa.array([action.get(name) for action in actions], kind) for name, kind in types.items()}
    pq.write_table(pa.table(columns), table / "_delta_log" / f"{version:020}.checkpoint.parquet")
    last = {"version": version, "size": len(actions)}
    (table / "_delta_log" / "_last_checkpoint").write_text(json.dumps(last), encoding="utf-8")


def shows(home: Path) -> bool:
    table = home / "t"
    for name in ("old.parquet", "young.parquet"):
        write_data(table / name, [1])
    timeless = {"remove": {"path": "old.parquet", "dataChange": True}}
    young = {"remove": {"path": "young.parquet", "dataChange": True, "deletionTimestamp": int(time.time() * 1000)}}
    actions = [timeless, young, *first_actions({"id": "long"})]
    write_commit(table, 0, actions)
    before = DeltaTable(str(table)).vacuum(full=True)
    print("full VACUUM would delete", before, "by the commit, expected ['old.parquet']")
    write_checkpoint(table, 0, actions)
    deleted = DeltaTable(str(table)).vacuum(full=True, dry_run=False)
    print("full VACUUM deleted", deleted, "by its checkpoint, expected the same")
    return "old.parquet" not in deleted


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
