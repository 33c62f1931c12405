"""With two partition columns, the first beginning with a dot, full VACUUM never lists its directories.

    pip install deltalake pyarrow
    python dot_partition_orphans.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

OLD = time.time() - 30 * 86400  # the default retention is a week


def write_old(path: Path) -> Path:
    """A file that the log does not name, 30 days old."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    os.utime(path, (OLD, OLD))
    return path


def is_violated(home: Path) -> bool:
    left = False
    for columns in ([".x"], [".x", "p"], ["_x", "p"]):
        table = home / "-".join(columns)
        data = pa.table({"id": [1], **{name: ["a"] for name in columns}})
        write_deltalake(str(table), data, partition_by=columns)
        orphan = write_old(table.joinpath(*(f"{name}=a" for name in columns)) / "orphan.parquet")
        DeltaTable(str(table)).vacuum(full=True, dry_run=False)
        print(
            f"partitioned by {columns}: the old orphan is",
            "there; expected: deleted" if orphan.exists() else "gone, as expected",
        )
        left = left or orphan.exists()
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
