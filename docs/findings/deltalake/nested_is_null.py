"""IS NULL of a struct, an array or a map is refused.

    pip install deltalake pyarrow
    python nested_is_null.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake


def rows(table: Path, column: str) -> list:
    """The values of a column, sorted as text."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


NULLABLE = {
    "BIGINT": pa.array([1, None], pa.int64()),
    "STRUCT": pa.array([{"x": 1}, None], pa.struct([("x", pa.int64())])),
    "ARRAY": pa.array([[1], None], pa.list_(pa.int64())),
    "MAP": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
}


def is_violated(home: Path) -> bool:
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
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
