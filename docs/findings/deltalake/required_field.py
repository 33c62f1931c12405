"""A NOT NULL field of a struct that is NULL is not NULL in the condition of a DELETE.

    pip install deltalake pyarrow
    python required_field.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake

KIND = pa.struct([pa.field("x", pa.string(), nullable=False)])
SCHEMA = pa.schema([pa.field("id", pa.int64()), pa.field("s", KIND)])
ROWS = pa.table({"id": pa.array([1, 2, 3]), "s": pa.array([None, {"x": "a"}, {"x": "b"}], KIND)}, schema=SCHEMA)

#: Conditions, and the rows that they leave.
CONDITIONS = {"s['x'] IS NOT NULL": [1], "s['x'] IS NULL": [2, 3], "s['x'] <> 'a'": [1, 2]}


def ids(table: Path) -> list:
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute("SELECT id FROM t").read_all()
    return sorted(pa.table(found).column(0).to_pylist())


def is_violated(home: Path) -> bool:
    wrong = False
    for number, (condition, expected) in enumerate(CONDITIONS.items()):
        table = home / str(number)
        write_deltalake(str(table), ROWS)
        DeltaTable(str(table)).delete(condition)
        left = ids(table)
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
