"""Each VACUUM returns a file that is gone already as deleted, and commits.

    pip install deltalake pyarrow
    python vacuums_forever.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    table = home / "t"
    DeltaTable.create(str(table), pa.schema([("id", pa.int64())]))
    file = table / "a.parquet"
    pq.write_table(pa.table({"id": [1]}), file)
    remove = {"path": "a.parquet", "deletionTimestamp": int(OLD * 1000), "dataChange": True}
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"remove": remove}))
    versions = []
    for _ in range(3):
        deleted = DeltaTable(str(table)).vacuum(dry_run=False)
        versions.append(DeltaTable(str(table)).version())
        print(f"VACUUM returned {deleted}; the table is at version {versions[-1]}")
    print("expected: the second run and the third delete nothing")
    return versions[1] != versions[0]


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
