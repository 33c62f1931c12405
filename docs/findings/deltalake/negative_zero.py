"""DELETE WHERE d = 0 leaves rows whose value is -0.0.

    pip install deltalake pyarrow
    python negative_zero.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


def is_violated(home: Path) -> bool:
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
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
