"""A DELETE by a condition on partition columns that the kernel cannot evaluate removes every file.

    pip install deltalake pyarrow
    python partition_condition.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


CASES = (("p + 1 = 2", [2, 3]), ("p * 2 = 2", [2, 3]), ("(p = 1) IS NULL", [1, 2, 3]), ("p > NULL OR p = 1", [2, 3]))


def is_violated(home: Path) -> bool:
    wrong = False
    for number, (condition, expected) in enumerate(CASES):
        table = home / str(number)
        data = pa.table({"p": pa.array([1, 2, 3], pa.int32()), "id": [1, 2, 3]})
        write_deltalake(str(table), data, partition_by=["p"])
        DeltaTable(str(table)).delete(condition)
        left = rows(table, "id")
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
