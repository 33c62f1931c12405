"""Whether a NaN is deleted depends on the other rows of its file: files are skipped by bounds that leave it out.

    pip install deltalake pyarrow
    python nan_comparison.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


CASES: tuple[tuple[str, list[float]], ...] = (
    ("d > 1", []),
    ("d > 100", [1.5]),
    ("d = CAST('NaN' AS DOUBLE)", [1.5]),
    ("isnan(d)", [1.5]),
)


def is_violated(home: Path) -> bool:
    wrong = False
    for number, (condition, expected) in enumerate(CASES):
        table = home / str(number)
        write_deltalake(str(table), pa.table({"d": [1.5, float("nan")]}))
        DeltaTable(str(table)).delete(condition)
        left = rows(table, "d")
        print(f"1.5 and NaN, DELETE WHERE {condition}: left {left}, expected {expected}")
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
