"""IS NULL of a struct, an array or a map is refused.

Needs deltalake and pyarrow only. Run: python nested_is_null.py
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


NULLABLE = {
    "BIGINT": pa.array([1, None], pa.int64()),
    "STRUCT": pa.array([{"x": 1}, None], pa.struct([("x", pa.int64())])),
    "ARRAY": pa.array([[1], None], pa.list_(pa.int64())),
    "MAP": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
}


def shows(home: Path) -> bool:
    refused = False
    for kind, values in NULLABLE.items():
        table = home / kind
        write_deltalake(str(table), pa.table({"id": pa.array([1, 2], pa.int64()), "v": values}))
        try:
            DeltaTable(str(table)).delete("v IS NULL")
        except Exception as refusal:
            print(f"DELETE WHERE v IS NULL, v {kind}: refused, expected [1] left: {str(refusal).splitlines()[0]}")
            refused = True
            continue
        print(f"DELETE WHERE v IS NULL, v {kind}: left {rows(table, 'id')}, expected [1]")
    return refused


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
