"""Whatever follows the first expression of a condition is ignored: more is deleted than was asked for.

Needs deltalake and pyarrow only. Run: python trailing_text.py
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


CONDITIONS = ("id >= 1 xx AND s = 'a'", "id >= 1) AND (s = 'a'", "id >= 1; AND s = 'a'", "id >= 1Y AND s = 'a'")


def shows(home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(CONDITIONS):
        table = home / str(number)
        write_deltalake(str(table), pa.table({"id": [1, 2], "s": ["a", "b"]}))
        try:
            DeltaTable(str(table)).delete(condition)
        except Exception as refusal:
            print(f"DELETE WHERE {condition}: refused, as expected ({str(refusal)[:60]})")
            continue
        logged = DeltaTable(str(table)).history(1)[0]["operationParameters"]
        print(f"DELETE WHERE {condition}: left {rows(table, 'id')}, logged {logged}; expected: it is refused")
        wrong = True
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
