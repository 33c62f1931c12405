"""DELETE WHERE d = 0 leaves rows whose value is -0.0.

Needs deltalake and pyarrow only. Run: python negative_zero.py
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
    left = {}
    for kind in ("partition", "data"):
        table = home / kind
        data = pa.table({"d": [-0.0, 1.0], "id": [1, 2]})
        write_deltalake(str(table), data, partition_by=["d"] if kind == "partition" else None)
        DeltaTable(str(table)).delete("d = 0")
        left[kind] = rows(table, "id")
        print(f"DELETE WHERE d = 0, where d is a {kind} column of -0.0 and 1.0: left {left[kind]}, expected [2]")
    return left != {"partition": [2], "data": [2]}


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
