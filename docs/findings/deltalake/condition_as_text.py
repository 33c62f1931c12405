"""DELETE refuses a condition that it cannot write as a text, such as a length compared with a number.

    pip install deltalake pyarrow
    python condition_as_text.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake

ROWS = pa.table({"s": ["x", "yy", None], "w": pa.array([["a"], [], None], pa.list_(pa.string()))})
CONDITIONS = ["length(s) = 1", "abs(length(s)) = 1", "array_contains(w, 'a')"]


def is_violated(home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(CONDITIONS):
        table = str(home / str(number))
        write_deltalake(table, ROWS)
        query = QueryBuilder().register("t", DeltaTable(table)).execute(f"SELECT s FROM t WHERE {condition}")
        found = pa.table(query.read_all() if hasattr(query, "read_all") else query).num_rows
        try:
            DeltaTable(table).delete(condition)
            result = "done, as expected"
        except BaseException as error:  # a panic of the engine is not an Exception
            result, wrong = f"{type(error).__name__}: {str(error)[:100]}", True
        print(f"{condition} is TRUE for {found} of 3 rows; DELETE: {result}")
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
