"""VACUUM returns a file as deleted, and leaves it, if its expired tombstone names it by its URI.

    pip install deltalake pyarrow
    python uri_removed.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, __version__

OLD = time.time() - 30 * 86400  # the default retention is a week


def is_violated(home: Path) -> bool:
    left = False
    for mode in ("LITE", "FULL"):
        table = home / mode
        DeltaTable.create(str(table), pa.schema([("id", pa.int64())]))
        file = table / "a.parquet"
        pq.write_table(pa.table({"id": [1]}), file)  # young: not deleted as an orphan
        remove = {"path": file.as_uri(), "deletionTimestamp": int(OLD * 1000), "dataChange": True}
        (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"remove": remove}))
        deleted = DeltaTable(str(table)).vacuum(full=mode == "FULL", dry_run=False)
        print(
            f"{mode} returned {deleted}; the file is",
            "there; expected: deleted" if file.exists() else "gone, as expected",
        )
        left = left or file.exists()
    return left


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
