"""A DELETE by a condition on partition columns that the kernel cannot evaluate removes every file.

Needs deltalake and pyarrow only. Run: python partition_condition.py
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


CASES = (("p + 1 = 2", [2, 3]), ("p * 2 = 2", [2, 3]), ("(p = 1) IS NULL", [1, 2, 3]), ("p > NULL OR p = 1", [2, 3]))


def shows(home: Path) -> bool:
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
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
