"""Full VACUUM through a handle on an older version deletes live files of newer versions.

    pip install deltalake pyarrow
    python old_handle.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
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
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
