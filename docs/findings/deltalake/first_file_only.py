"""A DELETE by partition columns removes only the first of the matching files.

    pip install deltalake pyarrow
    python first_file_only.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


def is_violated(home: Path) -> bool:
    table = home / "t"
    for number in (1, 2, 3):
        write_deltalake(str(table), pa.table({"p": ["a"], "id": [number]}), partition_by=["p"], mode="append")
    DeltaTable(str(table)).delete("p = 'a'")
    left = rows(table, "id")
    print(f"three files of p = 'a', DELETE WHERE p = 'a': left {left}, expected []")
    return left != []


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
