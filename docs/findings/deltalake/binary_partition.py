"""A DELETE that rewrites a file of a BINARY partition changes the partition value of the rows that it keeps.

    pip install deltalake pyarrow
    python binary_partition.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder, __version__


def rows(table: Path, column: str) -> list:
    """The values of a column, sorted as text."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


def write_table(table: Path, value: str) -> None:
    """A table partitioned by p, in which another writer has added one file with this text as its partition value."""
    schema = pa.schema([("id", pa.int64()), ("p", pa.binary())])
    DeltaTable.create(str(table), schema, partition_by=["p"])
    pq.write_table(pa.table({"id": [1, 2]}), table / "a.parquet")
    size = (table / "a.parquet").stat().st_size
    add = {
        "path": "a.parquet",
        "partitionValues": {"p": value},
        "size": size,
        "modificationTime": 1,
        "dataChange": True,
    }
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}))


def is_violated(home: Path) -> bool:
    table = home / "t"
    write_table(table, "a")
    before = rows(table, "p")
    DeltaTable(str(table)).delete("id = 1")
    after = rows(table, "p")
    print(f"the partition value is {before[0]!r} before a DELETE of the other row, and {after[0]!r} after it")
    return after != before[:1]


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
