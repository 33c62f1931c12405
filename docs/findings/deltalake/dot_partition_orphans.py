"""With two partition columns, the first beginning with a dot, full VACUUM never looks into its directories.

Needs deltalake and pyarrow only. Run: python dot_partition_orphans.py
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
    left = False
    for columns in ([".x"], [".x", "p"], ["_x", "p"]):
        table = home / "-".join(columns)
        data = pa.table({"id": [1], **{name: ["a"] for name in columns}})
        write_deltalake(str(table), data, partition_by=columns)
        orphan = write_old(table.joinpath(*(f"{name}=a" for name in columns)) / "orphan.parquet")
        DeltaTable(str(table)).vacuum(full=True, dry_run=False)
        print(
            f"partitioned by {columns}: the old orphan is",
            "there; it must go" if orphan.exists() else "gone, as expected",
        )
        left = left or orphan.exists()
    return left


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
