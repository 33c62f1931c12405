"""Full VACUUM deletes a file removed seconds ago, if the file itself is old: time travel is lost.

Needs deltalake and pyarrow only. Run: python young_tombstone.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

OLD = time.time() - 30 * 86400  # the default retention is a week


def make_old(root: Path) -> None:
    """All that lies below is 30 days old."""
    for path in root.rglob("*"):
        os.utime(path, (OLD, OLD))


def shows(home: Path) -> bool:
    table = home / "t"
    write_deltalake(str(table), pa.table({"id": [1]}))
    make_old(table)
    file = next(table.glob("*.parquet"))
    DeltaTable(str(table)).delete()
    print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False))
    print("the file, removed just now, is", "there" if file.exists() else "GONE; it must stay for a week")
    return not file.exists()


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
