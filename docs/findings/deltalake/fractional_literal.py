"""A literal is cut or rounded to the type of the column that it is compared with: other rows are deleted.

    pip install deltalake pyarrow
    python fractional_literal.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


CASES = (("i = 7.5", ["7", "8"]), ("i < 7.5", ["8"]), ("v = 1.104", ["1.10", "2.00"]))


def is_violated(home: Path) -> bool:
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
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
