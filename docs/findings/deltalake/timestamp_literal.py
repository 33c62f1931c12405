"""A TIMESTAMP literal cannot be compared with a TIMESTAMP column.

    pip install deltalake pyarrow
    python timestamp_literal.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
