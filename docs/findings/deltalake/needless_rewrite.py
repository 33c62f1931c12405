"""A DELETE rewrites files of which no row satisfies its condition.

Needs deltalake and pyarrow only. Run: python needless_rewrite.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake


CONDITIONS = ("s = 'a' AND s IN ('b', 'b')", "(p IS NOT DISTINCT FROM NULL) AND s = 'a'")


def shows(home: Path) -> bool:
    needless = False
    for number, condition in enumerate(CONDITIONS):
        table = str(home / str(number))
        write_deltalake(table, pa.table({"s": ["a", "b", "c"], "p": ["x", "x", "y"]}), partition_by=["p"])
        counts = DeltaTable(table).delete(condition)
        told = {name: counts[name] for name in ("num_added_files", "num_removed_files", "num_deleted_rows")}
        print(f"DELETE WHERE {condition}: {told}; no row satisfies it, expected no file added or removed")
        needless = needless or DeltaTable(table).version() != 0
    return needless


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
