"""A DECIMAL in a condition is another number: the row that equals it stays, and goes where it must not.

    pip install deltalake pyarrow
    python decimal_literal.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

AMOUNTS = [Decimal("123456789012345.67"), Decimal("5.00")]
LEFT = {  # the ids that stay
    "amount = 123456789012345.67": [2],
    "amount <> 123456789012345.67": [1],
    "amount = 1.2345678901234567E+14": [2],
    "amount = CAST('123456789012345.67' AS DECIMAL(18, 2))": [2],
}


def is_violated(home: Path) -> bool:
    wrong = False
    for number, (condition, must_be) in enumerate(LEFT.items()):
        table = home / str(number)
        rows = pa.table({"id": [1, 2], "amount": pa.array(AMOUNTS, pa.decimal128(18, 2))})
        write_deltalake(str(table), rows)
        deleted = DeltaTable(str(table)).delete(condition)["num_deleted_rows"]
        left = sorted(DeltaTable(str(table)).to_pyarrow_table()["id"].to_pylist())
        print(f"DELETE WHERE {condition}: {deleted} rows deleted; left: {left}, expected: {must_be}")
        wrong |= left != must_be
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
