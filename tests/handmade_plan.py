"""A small table as the plan of a reproduction script, written by hand: what scripts are tried on, on each engine."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

HOUR = 3_600_000
WEEK = 7 * 24 * HOUR
SCHEMA = {
    "type": "struct",
    "fields": [
        {"name": "id", "type": "integer", "nullable": True, "metadata": {}},
        {"name": "day", "type": "date", "nullable": True, "metadata": {}},
        {"name": "p", "type": "string", "nullable": True, "metadata": {}},
    ],
}


def content(ids: list[int | None]) -> str:
    days = [None if number is None else 18_000 + number for number in ids]
    table = pa.table({"id": pa.array(ids, pa.int32()), "day": pa.array(days, pa.date32())})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return base64.b64encode(sink.getvalue()).decode()


def file(path: str, ids: list[int | None], modified: int) -> dict[str, Any]:
    return {"path": path, "content": content(ids), "modified": modified}


def add(one: dict[str, Any], value: str | None, records: int) -> dict[str, Any]:
    return {
        "add": {
            "path": one["path"].replace("%", "%25").replace(" ", "%20"),
            "partitionValues": {"p": value},
            "size": len(base64.b64decode(one["content"])),
            "modificationTime": {"$ms": one["modified"]},
            "dataChange": True,
            "stats": json.dumps({"numRecords": records}),
        }
    }


#: Three live files, one of them in an awkward partition; one old tombstone, and one exactly a week old.
FIRST = file("p=a/one.parquet", [1, 2, 3], -WEEK)
SECOND = file("p=a/two.parquet", [4, None], -WEEK)
AWKWARD = file("p=x%2Fy z/three.parquet", [7], -WEEK)
OLD = file("p=b/old.parquet", [5], -3 * WEEK)
EDGE = file("p=b/edge.parquet", [6], -3 * WEEK)
ORPHAN = file("p=b/orphan.parquet", [8], -3 * WEEK)


def remove(one: dict[str, Any], deleted: int) -> dict[str, Any]:
    same = add(one, "b", 1)["add"]
    return {
        "remove": {
            "path": same["path"],
            "deletionTimestamp": {"$ms": deleted},
            "dataChange": True,
            "extendedFileMetadata": True,
            "partitionValues": same["partitionValues"],
            "size": same["size"],
        }
    }


PLAN: dict[str, Any] = {
    "clause": "VAC-SAFE-1",
    "sentence": "VACUUM never deletes a file that the current version refers to, whatever its age.",
    "case": "0123456789ab",
    "engine": "spark",
    "packages": "io.delta:delta-spark_4.2_2.13:4.4.0",
    "pip": "pyspark==4.2.0 delta-spark==4.4.0",
    "files": [FIRST, SECOND, AWKWARD, OLD, EDGE, ORPHAN],
    "directories": ["empty/nested"],
    "commits": [
        {
            "version": 0,
            "modified": -3 * WEEK,
            "lines": [
                {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
                {
                    "metaData": {
                        "id": "00000000-0000-4000-8000-000000000000",
                        "format": {"provider": "parquet", "options": {}},
                        "schemaString": json.dumps(SCHEMA),
                        "partitionColumns": ["p"],
                        "configuration": {},
                        "createdTime": {"$ms": -3 * WEEK},
                    }
                },
                add(FIRST, "a", 3),
                add(SECOND, "a", 2),
                add(AWKWARD, "x/y z", 1),
                add(OLD, "b", 1),
                add(EDGE, "b", 1),
            ],
            "checkpoint": False,
        },
        {
            "version": 1,
            "modified": -WEEK,
            "lines": [remove(OLD, -2 * WEEK), remove(EDGE, -WEEK + 1)],
            "checkpoint": True,
        },
    ],
    "ops": [],
    "law": {"name": "succeeded", "params": {}},
    "at_step": 0,
}

NOW = {"offset": 0, "removed_by_step": None}
NEW = file("p=a/new.parquet", [9], 0)
APPEND = {"step": 0, "do": "append", "files": [NEW], "lines": [add(NEW, "a", 1)]}
LITTER = {"step": 0, "do": "litter", "files": [file("p=a/stray.parquet", [1], 1)], "directories": ["hole"]}


def day(number: int) -> dict[str, str]:
    return {"date": f"2019-04-{14 + number}"}


LEFT = [[3, day(3), "a"], [4, day(4), "a"], [None, None, "a"], [7, day(7), "x/y z"]]
ALL = [[1, day(1), "a"], [2, day(2), "a"], *LEFT]


def plan_of(ops: list[dict[str, Any]], step: int, law: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return deepcopy({**PLAN, "ops": ops, "at_step": step, "law": {"name": law[0], "params": law[1]}})


def contents_of(plan: dict[str, Any]) -> dict[str, str]:
    files = [*plan["files"], *(one for op in plan["ops"] for one in op.get("files", []))]
    return {one["path"]: one["content"] for one in files}


def run_alone(script: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """Run the text of a script in this directory, where it finds nothing of ours. It must leave nothing behind."""
    temporary = directory / "tmp"
    temporary.mkdir(parents=True)
    (directory / "reproduce.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "reproduce.py"],
        cwd=directory,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert not list(temporary.glob("tombstone-*")), "the script left its directory behind"
    return done
