"""DELETE computes a call with constants of several types without converting them, and deletes other rows.

    pip install deltalake pyarrow
    python mixed_constants.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake

ROWS = pa.table({"i": [1, 2, -1, None], "d": [9.0, -1.0, 0.5, None]})
CONDITIONS = ["d >= greatest(2, 0.5)", "least(i, 0.5) < least(-1, 0.5)"]


def is_violated(home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(CONDITIONS):
        table = str(home / str(number))
        write_deltalake(table, ROWS)
        query = QueryBuilder().register("t", DeltaTable(table)).execute(f"SELECT i FROM t WHERE {condition}")
        found = pa.table(query.read_all() if hasattr(query, "read_all") else query).num_rows
        projected = QueryBuilder().register("t", DeltaTable(table)).execute(f"SELECT {condition} AS c FROM t")
        due = pa.table(projected.read_all() if hasattr(projected, "read_all") else projected)["c"].to_pylist().count(True)
        deleted = DeltaTable(table).delete(condition)["num_deleted_rows"]
        wrong |= deleted != due
        print(f"{condition} is TRUE for {due} of 4 rows; a query finds {found}; DELETE deletes {deleted}")
    return wrong


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
