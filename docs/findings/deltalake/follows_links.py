"""Full VACUUM follows a symbolic link to a directory, and deletes files outside the table.

    pip install deltalake pyarrow
    python follows_links.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    table = home / "t"
    write_deltalake(str(table), pa.table({"id": [1]}))
    precious = write_old(home / "outside" / "precious")
    (table / "link").symlink_to(home / "outside", target_is_directory=True)
    print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False))
    print("the file outside the table is", "there" if precious.exists() else "GONE; expected: kept")
    return not precious.exists()


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
