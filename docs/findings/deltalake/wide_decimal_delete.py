"""A DELETE from a table with a wide DECIMAL column fails after its commit.

    pip install deltalake pyarrow
    python wide_decimal_delete.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, __version__

KEPT = Decimal("0.999999999999999999")  # as a binary floating-point number, 1.0


def is_violated(home: Path) -> bool:
    table = home / "t"
    schema = pa.schema([("v", pa.int64()), ("d", pa.decimal128(18, 18))])
    DeltaTable.create(str(table), schema)
    pq.write_table(pa.table([[1, 2], [Decimal("0.1"), KEPT]], schema=schema), table / "a.parquet")
    add = {"path": "a.parquet", "partitionValues": {}, "dataChange": True, "modificationTime": 1}
    add["size"] = (table / "a.parquet").stat().st_size
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}) + "\n")
    try:
        DeltaTable(str(table)).delete("v = 1")
    except BaseException as problem:  # a panic of the engine is not an Exception
        committed = (table / "_delta_log" / f"{2:020}.json").exists()
        print("DELETE failed,", "after its commit:" if committed else "without a commit:", repr(problem)[:200])
        return True
    print("DELETE succeeded")
    return False


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
