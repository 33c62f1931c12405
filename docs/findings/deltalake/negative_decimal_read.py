"""A negative DECIMAL partition value that another writer wrote cannot be read.

    pip install deltalake pyarrow
    python negative_decimal_read.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder, __version__


def is_violated(home: Path) -> bool:
    table = home / "t"
    schema = pa.schema([("id", pa.int64()), ("p", pa.decimal128(10, 2))])
    DeltaTable.create(str(table), schema, partition_by=["p"])
    pq.write_table(pa.table({"id": [1]}), table / "a.parquet")
    add = {"path": "a.parquet", "partitionValues": {"p": "-1.05"}, "dataChange": True, "modificationTime": 1}
    add["size"] = (table / "a.parquet").stat().st_size
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}) + "\n")
    try:
        found = QueryBuilder().register("t", DeltaTable(str(table))).execute("SELECT p FROM t").read_all()
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("reading failed:", repr(problem)[:200])
        return True
    values = pa.table(found).column(0).to_pylist()
    print("p is", values, "and must be", [Decimal("-1.05")])
    return values != [Decimal("-1.05")]


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
