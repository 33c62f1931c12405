"""A LIKE without wildcards beside a comparison of the same column: DELETE deletes the wrong rows.

    pip install deltalake pyarrow
    python like_beside_comparison.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


CONDITIONS = {"s <> 'a' AND s LIKE 'a'": ["a", "b"], "s LIKE 'a' AND s = 'a'": ["b"]}


def is_violated(home: Path) -> bool:
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
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
