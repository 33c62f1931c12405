"""A literal is cut or rounded to the type of the column that it is compared with: other rows are deleted.

Needs deltalake and pyarrow only. Run: python fractional_literal.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake


def rows(table: Path, column: str) -> list[Any]:
    """The values of a column, in order of their texts."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


CASES = (("i = 7.5", ["7", "8"]), ("i < 7.5", ["8"]), ("v = 1.104", ["1.10", "2.00"]))


def shows(home: Path) -> bool:
    wrong = False
    for number, (condition, expected) in enumerate(CASES):
        table, column = home / str(number), condition[0]
        decimals = pa.array([Decimal("1.10"), Decimal("2.00")], pa.decimal128(10, 2))
        write_deltalake(str(table), pa.table({"i": pa.array([7, 8], pa.int32()), "v": decimals}))
        try:
            DeltaTable(str(table)).delete(condition)
        except Exception as refusal:
            print(f"DELETE WHERE {condition}: refused: {str(refusal).splitlines()[0][-120:]}")
            continue
        left = [str(value) for value in rows(table, column)]
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
