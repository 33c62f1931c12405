"""LITE VACUUM returns a file as deleted, and leaves it, if its path is percent-encoded.

    pip install deltalake pyarrow
    python lite_encoded_path.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, __version__

OLD = time.time() - 30 * 86400  # the default retention is a week


def is_violated(home: Path) -> bool:
    table = home / "t"
    schema = pa.schema([("id", pa.int64()), ("p", pa.string())])
    DeltaTable.create(str(table), schema, partition_by=["p"])
    file = table / "p=a%20b" / "a.parquet"  # as write_deltalake names the directory of "a b"
    file.parent.mkdir()
    pq.write_table(pa.table({"id": [1]}), file)
    os.utime(file, (OLD, OLD))
    remove = {"path": "p=a%2520b/a.parquet", "deletionTimestamp": int(OLD * 1000), "dataChange": True}
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"remove": remove}))
    deleted = DeltaTable(str(table)).vacuum(dry_run=False)
    print(f"LITE returned {deleted}; the file is", "there" if file.exists() else "gone, as expected")
    return file.exists()


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
