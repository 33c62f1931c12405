"""A DELETE whose condition is NULL for every row deletes every row.

    pip install deltalake pyarrow
    python null_condition.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake


def rows(table: Path, column: str) -> list:
    """The values of a column, sorted as text."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


CONDITIONS = ("i = NULL", "i > NULL", "NOT (i = NULL)", "CAST(NULL AS BOOLEAN)")


def is_violated(home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(CONDITIONS):
        table = home / str(number)
        write_deltalake(str(table), pa.table({"i": [7, 8]}))
        DeltaTable(str(table)).delete(condition)
        left = rows(table, "i")
        print(f"DELETE WHERE {condition}: left {left}; it matches no row, expected [7, 8]")
        wrong = wrong or left != [7, 8]
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
