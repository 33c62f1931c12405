"""CAST(v AS BIGINT) = 0 misses 0.50: the cast is moved to the literal, where it loses nothing.

    pip install deltalake pyarrow
    python cast_of_decimal.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake


def rows(table: Path, column: str) -> list:
    """The values of a column, sorted as text."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


def is_violated(home: Path) -> bool:
    table = home / "t"
    values = [Decimal("0.00"), Decimal("0.50"), Decimal("1.00")]
    write_deltalake(str(table), pa.table({"v": pa.array(values, pa.decimal128(10, 2))}))
    DeltaTable(str(table)).delete("CAST(v AS BIGINT) = 0")
    left = [str(value) for value in rows(table, "v")]
    print("0.00, 0.50, 1.00: DELETE WHERE CAST(v AS BIGINT) = 0: left", left, "expected ['1.00']")
    print("logged:", DeltaTable(str(table)).history(1)[0]["operationParameters"])
    return left != ["1.00"]


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
