"""Full VACUUM deletes hidden files and what lies in hidden directories, but for those at the table's top.

Needs deltalake and pyarrow only. Run: python hidden_names.py
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


TOP = ("_tmp/x", ".x.crc", "_x")
BELOW = ("p=a/_tmp/x", "p=a/.x.crc", "sub/_delta_log/00000000000000000000.json")


def shows(home: Path) -> bool:
    table = home / "t"
    write_deltalake(str(table), pa.table({"id": [1], "p": ["a"]}), partition_by=["p"])
    hidden = [write_old(table / name) for name in (*TOP, *BELOW)]
    print("VACUUM deleted", sorted(DeltaTable(str(table)).vacuum(full=True, dry_run=False)))
    gone = [str(path.relative_to(table)) for path in hidden if not path.exists()]
    print("hidden files that are gone:", gone, "expected []")
    return gone != []


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
