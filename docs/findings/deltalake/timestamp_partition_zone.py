"""A rewritten file of a TIMESTAMP partition says its moment without a zone, though the log had it with one.

Needs deltalake and pyarrow only. Run: python timestamp_partition_zone.py
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


def add(path: str, size: int, **partition: str | None) -> dict[str, Any]:
    """The add of a file under this path in the log."""
    return {
        "add": {"path": path, "partitionValues": partition, "size": size, "modificationTime": 1, "dataChange": True}
    }


def shows(home: Path) -> bool:
    table = home / "t"
    size = write_data(table / "a.parquet", [1, 2])
    actions = first_actions({"id": "long", "p": "timestamp"}, ("p",))
    write_commit(table, 0, [*actions, add("a.parquet", size, p="2020-01-01T01:00:00.000000Z")])
    DeltaTable(str(table)).delete("id = 1")
    commit = (table / "_delta_log" / f"{1:020}.json").read_text()
    written = [line["add"]["partitionValues"]["p"] for line in map(json.loads, commit.splitlines()) if "add" in line]
    print("the partition value was '2020-01-01T01:00:00.000000Z'; after DELETE WHERE id = 1 it is", written)
    print("expected: a text that says UTC; without a zone each reader takes its own")
    return not all(text.endswith("Z") for text in written)


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
