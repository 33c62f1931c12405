"""A TIMESTAMP literal cannot be compared with a TIMESTAMP column.

Needs deltalake and pyarrow only. Run: python timestamp_literal.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake


def rows(table: Path, column: str) -> list[Any]:
    """The values of a column, in order of their texts."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


def shows(home: Path) -> bool:
    table = home / "t"
    moments = pa.array([0, 1_600_000_000_000_000], pa.timestamp("us", "UTC"))
    write_deltalake(str(table), pa.table({"id": [1, 2], "ts": moments}))
    try:
        DeltaTable(str(table)).delete("ts < TIMESTAMP '2000-01-01T00:00:00Z'")
    except Exception as refusal:
        print("DELETE WHERE ts < TIMESTAMP '2000-01-01T00:00:00Z': refused, expected [2] left:", str(refusal)[:120])
        return True
    left = rows(table, "id")
    print("DELETE WHERE ts < TIMESTAMP '2000-01-01T00:00:00Z': left", left, "expected [2]")
    return left != [2]


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
