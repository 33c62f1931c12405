"""A remove spells its partition value in another way than the add of the same file.

    pip install deltalake pyarrow
    python remove_partition_spelling.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, __version__, write_deltalake

VALUE = "2020-01-30T18:30:00.000000Z"  # as Spark writes it since Delta 3.3


def is_violated(home: Path) -> bool:
    table, fields = home / "t", [("id", pa.int64()), ("p", pa.timestamp("us", "UTC"))]
    moment = datetime(2020, 1, 30, 18, 30, tzinfo=timezone.utc)
    write_deltalake(str(table), pa.table([[0], [moment]], schema=pa.schema(fields)), partition_by=["p"])
    pq.write_table(pa.table({"id": [1]}), table / "a.parquet")
    add = {"path": "a.parquet", "partitionValues": {"p": VALUE}, "dataChange": True, "modificationTime": 1}
    add["size"] = (table / "a.parquet").stat().st_size
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}) + "\n")
    DeltaTable(str(table)).delete("id = 1")
    lines = (table / "_delta_log" / f"{2:020}.json").read_text().splitlines()
    (remove,) = (action["remove"] for action in map(json.loads, lines) if "remove" in action)
    found = remove["partitionValues"]["p"]
    print(f"the add has {VALUE!r}, its remove {found!r}")
    return bool(found != VALUE)


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
