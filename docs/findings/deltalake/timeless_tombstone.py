"""VACUUM keeps the file of a tombstone without deletionTimestamp: it uses that of another tombstone in the checkpoint.

    pip install deltalake pyarrow
    python timeless_tombstone.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    now = int(time.time() * 1000)
    removes = []
    for name in ("old.parquet", "young.parquet"):
        pq.write_table(pa.table({"id": [1]}), table / name)
        os.utime(table / name, (OLD, OLD))
        removes.append({"remove": {"path": name, "dataChange": True, "deletionTimestamp": now}})
    commit = table / "_delta_log" / f"{1:020}.json"
    commit.write_text("\n".join(map(json.dumps, removes)))
    DeltaTable(str(table)).create_checkpoint()

    # The same commit and the same checkpoint without the deletionTimestamp of old.parquet.
    del removes[0]["remove"]["deletionTimestamp"]
    commit.write_text("\n".join(map(json.dumps, removes)))
    path = commit.with_name(f"{1:020}.checkpoint.parquet")
    checkpoint = pq.read_table(path)
    actions = sorted(checkpoint.to_pylist(), key=lambda action: (action["remove"] or {"path": "z"})["path"])
    actions[0]["remove"]["deletionTimestamp"] = None
    pq.write_table(pa.Table.from_pylist(actions, schema=checkpoint.schema), path)

    deleted = DeltaTable(str(table)).vacuum(full=True, dry_run=False)
    print("full VACUUM deleted", deleted, "- expected ['old.parquet']")
    return "old.parquet" not in deleted


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
