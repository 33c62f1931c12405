"""Full VACUUM through a handle on an older version deletes live files of newer versions.

Needs deltalake and pyarrow only. Run: python old_handle.py
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
    lost = False
    for kind in ("opened before the append", "opened with version=0"):
        table = home / kind.replace(" ", "-")
        write_deltalake(str(table), pa.table({"id": [1]}))
        handle = DeltaTable(str(table))
        write_deltalake(str(table), pa.table({"id": [2]}), mode="append")
        make_old(table)
        if kind == "opened with version=0":
            handle = DeltaTable(str(table), version=0)
        print(f"a handle {kind}: VACUUM deleted", handle.vacuum(full=True, dry_run=False))
        live = DeltaTable(str(table)).file_uris()
        gone = [uri for uri in live if not Path(uri.removeprefix("file://")).exists()]
        print(f"   {len(gone)} of the {len(live)} live files are gone, expected 0")
        lost = lost or gone != []
    return lost


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
