"""A DELETE that compares partition columns with each other removes the files of rows that do not match.

    pip install deltalake pyarrow
    python partition_columns.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake

ROWS = {"id": [1, 2, 3], "bought": ["a", "a", None], "sold": ["a", "b", None]}
LEFT = {"bought = sold": [2, 3], "bought < sold": [1, 3], "bought IS DISTINCT FROM sold": [1, 3]}


def ids(table: Path) -> list:
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute("SELECT id FROM t").read_all()
    return sorted(pa.table(found).column(0).to_pylist())


def is_violated(home: Path) -> bool:
    wrong = False
    for number, (condition, expected) in enumerate(LEFT.items()):
        table = home / str(number)
        write_deltalake(str(table), pa.table(ROWS), partition_by=["bought", "sold"])
        DeltaTable(str(table)).delete(condition)
        left = ids(table)
        print(f"DELETE WHERE {condition}: left {left}, expected {expected}")
        wrong = wrong or left != expected
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
