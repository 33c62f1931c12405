"""CAST(v AS BIGINT) = 0 misses 0.50: the cast is moved to the literal, where it loses nothing.

Needs deltalake and pyarrow only. Run: python cast_of_decimal.py
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


def shows(home: Path) -> bool:
    table = home / "t"
    values = [Decimal("0.00"), Decimal("0.50"), Decimal("1.00")]
    write_deltalake(str(table), pa.table({"v": pa.array(values, pa.decimal128(10, 2))}))
    DeltaTable(str(table)).delete("CAST(v AS BIGINT) = 0")
    left = [str(value) for value in rows(table, "v")]
    print("0.00, 0.50, 1.00: DELETE WHERE CAST(v AS BIGINT) = 0: left", left, "expected ['1.00']")
    print("logged:", DeltaTable(str(table)).history(1)[0]["operationParameters"])
    return left != ["1.00"]


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
