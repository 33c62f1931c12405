"""A table whose first partition column has a colon in its name is written, and then refused by DELETE and by QueryBuilder.

    pip install deltalake pyarrow
    python colon_in_partition_name.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake

#: The names of the partition columns, in order: the path of a file begins with the first.
PARTITIONS = (["time:utc"], ["time:utc", "p"], ["p", "time:utc"])


def rows(table: Path) -> int:
    """The number of rows in the table."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute("SELECT id FROM t").read_all()
    return pa.table(found).num_rows


def is_violated(home: Path) -> bool:
    violated = False
    data = pa.table({"id": [1, 2, 3], "time:utc": ["x", "y", "y"], "p": ["a", "a", "a"]})
    for number, partition_by in enumerate(PARTITIONS):
        table = home / str(number)
        write_deltalake(str(table), data, partition_by=partition_by)
        for what, call in (
            ("QueryBuilder", lambda: rows(table)),
            ("DELETE WHERE id = 2", lambda: DeltaTable(str(table)).delete("id = 2")["num_deleted_rows"]),
            ("rows after it", lambda: rows(table)),
        ):
            try:
                print(f"partitioned by {partition_by}: {what}: {call()}")
            except Exception as refused:
                print(f"partitioned by {partition_by}: {what}: refused: {str(refused)[:100]!r}")
                violated = True
    return violated


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
