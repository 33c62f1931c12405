"""A DELETE by partition columns removes only the first of the matching files.

Needs deltalake and pyarrow only. Run: python first_file_only.py
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


def shows(home: Path) -> bool:
    table = home / "t"
    for number in (1, 2, 3):
        write_deltalake(str(table), pa.table({"p": ["a"], "id": [number]}), partition_by=["p"], mode="append")
    DeltaTable(str(table)).delete("p = 'a'")
    left = rows(table, "id")
    print(f"three files of p = 'a', DELETE WHERE p = 'a': left {left}, expected []")
    return left != []


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
