"""A live file that its add names by its URI is not found, and full VACUUM deletes it.

    pip install deltalake pyarrow
    python uri_live.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    DeltaTable.create(str(table), pa.schema([("id", pa.int64())]))
    file = table / "a.parquet"
    pq.write_table(pa.table({"id": [1]}), file)
    os.utime(file, (OLD, OLD))
    add = {"path": file.as_uri(), "partitionValues": {}, "size": file.stat().st_size, "modificationTime": 1}
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": {**add, "dataChange": True}}))
    print("file_uris:", DeltaTable(str(table)).file_uris(), "expected", [str(file)])
    try:
        DeltaTable(str(table)).to_pyarrow_table()
    except Exception as error:
        print("to_pyarrow_table fails:", str(error).splitlines()[0])
    print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False))
    print("the live file is", "there" if file.exists() else "GONE; expected: kept")
    return not file.exists()


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
