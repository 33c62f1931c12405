"""A LIKE without wildcards beside a comparison of the same column: DELETE takes the wrong rows.

Needs deltalake and pyarrow only. Run: python like_beside_comparison.py
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


CONDITIONS = {"s <> 'a' AND s LIKE 'a'": ["a", "b"], "s LIKE 'a' AND s = 'a'": ["b"]}


def shows(home: Path) -> bool:
    wrong = False
    for number, (condition, expected) in enumerate(CONDITIONS.items()):
        table = home / str(number)
        write_deltalake(str(table), pa.table({"s": ["a", "b"]}))
        DeltaTable(str(table)).delete(condition)
        left = rows(table, "s")
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
