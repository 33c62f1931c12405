"""Full VACUUM deletes hidden files, and files in hidden directories, except at the table's top level.

    pip install deltalake pyarrow
    python hidden_names.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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


TOP = ("_tmp/x", ".x.crc", "_x")
BELOW = ("p=a/_tmp/x", "p=a/.x.crc", "sub/_delta_log/00000000000000000000.json")


def is_violated(home: Path) -> bool:
    table = home / "t"
    write_deltalake(str(table), pa.table({"id": [1], "p": ["a"]}), partition_by=["p"])
    hidden = [write_old(table / name) for name in (*TOP, *BELOW)]
    print("VACUUM deleted", sorted(DeltaTable(str(table)).vacuum(full=True, dry_run=False)))
    gone = [str(path.relative_to(table)) for path in hidden if not path.exists()]
    print("hidden files that are gone:", gone, "expected []")
    return gone != []


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
