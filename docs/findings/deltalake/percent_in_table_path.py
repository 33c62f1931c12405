"""A table in a directory named x%20y is mixed up with the directory x y.

    pip install deltalake pyarrow
    python percent_in_table_path.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    wrong = False
    for neighbour in (False, True):
        parent = home / ("beside" if neighbour else "alone")
        parent.mkdir()
        if neighbour:
            write_deltalake(str(parent / "x y"), pa.table({"id": [9]}))
        table = parent / "x%20y"
        table.mkdir(exist_ok=True)
        try:
            write_deltalake(str(table), pa.table({"id": [1]}))
            write_deltalake(str(table), pa.table({"id": [2]}), mode="append")
            found = str(rows(table, "id"))
        except Exception as failure:
            found = f"{type(failure).__name__}: {str(failure).splitlines()[0][:160]}"
        where = "beside a table 'x y'" if neighbour else "by itself"
        print(f"1 and then 2 written to 'x%20y' {where}: {found}, expected [1, 2]")
        directories = sorted(path.name for path in parent.iterdir())
        expected = ["x y", "x%20y"] if neighbour else ["x%20y"]
        print(f"   directories: {directories}, expected {expected}")
        wrong = wrong or found != "[1, 2]" or directories != expected
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
