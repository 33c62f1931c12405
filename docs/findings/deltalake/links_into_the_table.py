"""Full VACUUM deletes live files by their other names behind a symbolic link into the table.

Needs deltalake and pyarrow only. Run: python links_into_the_table.py
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
    write_deltalake(str(table), pa.table({"id": [1], "p": ["a"]}), partition_by=["p"])
    make_old(table)
    (table / "latest").symlink_to(table / "p=a", target_is_directory=True)
    live = next((table / "p=a").glob("*.parquet"))
    print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False))
    print("the live file is", "there" if live.exists() else "GONE; it must stay")
    return not live.exists()


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
