"""Full VACUUM deletes a file removed seconds ago, if its path is percent-encoded in the log.

    pip install deltalake pyarrow
    python young_encoded_tombstone.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    write_deltalake(str(table), pa.table({"id": [1], "p": ["a b"]}), partition_by=["p"])
    make_old(table)
    file = next(table.glob("p=*/*.parquet"))
    DeltaTable(str(table)).delete()
    print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False))
    print("the file, removed just now, is", "there" if file.exists() else "GONE; expected: kept for a week")
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
