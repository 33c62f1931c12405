"""A name with a control character anywhere in the table's directory makes every full VACUUM fail.

Needs deltalake and pyarrow only. Run: python control_character.py
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


def write_old(path: Path) -> Path:
    """A file of somebody, 30 days old."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    os.utime(path, (OLD, OLD))
    return path


def shows(home: Path) -> bool:
    table = home / "t"
    write_deltalake(str(table), pa.table({"id": [1]}))
    orphan = write_old(table / "orphan.parquet")
    write_old(table / "a\nb")
    try:
        print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False))
    except Exception as failure:
        print("VACUUM failed:", str(failure)[:160])
    print("an old orphan beside it is", "there; it must go" if orphan.exists() else "gone, as expected")
    return orphan.exists()


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
