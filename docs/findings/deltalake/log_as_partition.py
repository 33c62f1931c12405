"""A partition column _d makes full VACUUM delete the log, since _delta_log begins with its name.

    pip install deltalake pyarrow
    python log_as_partition.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

OLD = time.time() - 30 * 86400  # the default retention is a week


def make_old(root: Path) -> None:
    """Sets the time of everything below the root to 30 days ago."""
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))


def is_violated(home: Path) -> bool:
    table = home / "t"
    write_deltalake(str(table), pa.table({"_d": ["a"], "id": [1]}), partition_by=["_d"])
    make_old(table)
    first = table / "_delta_log" / f"{0:020}.json"
    try:
        print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False))
    except Exception as failure:
        print("VACUUM failed:", type(failure).__name__, failure)
    print("version 0 of the log is", "there" if first.exists() else "GONE: there is no table any more")
    return not first.exists()


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
