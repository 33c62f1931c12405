"""The change data feed of a DELETE tells rows of other partitions as deleted, which stay.

    pip install deltalake pyarrow
    python changes_of_rows_that_stay.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake

ROWS = pa.table({"v": [0, 9, 0, 9], "bought": [1, 1, 1, 1], "sold": [1, 1, 2, 2]})
CONDITIONS = ("bought = sold AND v = 0", "sold + 1 = 2 AND v = 0")


def rows_of(reader: object) -> list[tuple[int, int, int]]:
    found = pa.table(reader)
    return sorted(zip(*(found[name].to_pylist() for name in ("v", "bought", "sold"))))


def is_violated(home: Path) -> bool:
    violated = False
    for number, condition in enumerate(CONDITIONS):
        table = str(home / str(number))
        feed = {"delta.enableChangeDataFeed": "true"}
        write_deltalake(table, ROWS, partition_by=["bought", "sold"], configuration=feed)
        before = rows_of(ROWS)
        DeltaTable(table).delete(condition)
        query = QueryBuilder().register("t", DeltaTable(table)).execute("SELECT * FROM t")
        left = rows_of(query.read_all() if hasattr(query, "read_all") else query)
        deleted = [row for row in before if row not in left]
        told = rows_of(DeltaTable(table).load_cdf(starting_version=1).read_all())
        print(f"DELETE WHERE {condition}: deleted (v, bought, sold) {deleted}, the feed has {told}")
        violated = violated or told != deleted
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
