"""VACUUM deletes a file removed an hour ago, because an older tombstone of the same file has expired.

    pip install deltalake pyarrow
    python older_tombstone.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

OLD = time.time() - 30 * 86400  # the default retention is a week


def is_violated(home: Path) -> bool:
    lost = False
    for mode in ("LITE", "FULL"):
        table = home / mode
        write_deltalake(str(table), pa.table({"id": [1, 2]}))
        log = table / "_delta_log"
        add = next(line for line in (log / f"{0:020}.json").read_text().splitlines() if '"add"' in line)
        file = table / json.loads(add)["add"]["path"]
        os.utime(file, (OLD, OLD))
        remove = {"path": file.name, "dataChange": True}
        (log / f"{1:020}.json").write_text(json.dumps({"remove": {**remove, "deletionTimestamp": int(OLD * 1000)}}))
        (log / f"{2:020}.json").write_text(add)  # as RESTORE does
        an_hour_ago = int((time.time() - 3600) * 1000)
        (log / f"{3:020}.json").write_text(json.dumps({"remove": {**remove, "deletionTimestamp": an_hour_ago}}))
        deleted = DeltaTable(str(table)).vacuum(full=mode == "FULL", dry_run=False)
        there = "there" if file.exists() else "GONE; expected: kept for a week"
        print(f"{mode} deleted {deleted}; the file that version 2 reads, removed an hour ago, is {there}")
        lost = lost or not file.exists()
    return lost


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
