"""VACUUM refuses keep_versions whose list goes back.

    pip install deltalake pyarrow
    python kept_versions_order.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake


def is_violated(home: Path) -> bool:
    table = str(home / "t")
    for number in range(4):
        write_deltalake(table, pa.table({"id": [number]}), mode="overwrite")
    deleted = {}
    for kept in ([1, 2], [2, 1]):
        options = {"retention_hours": 0, "enforce_retention_duration": False, "keep_versions": kept}
        try:
            deleted[str(kept)] = len(DeltaTable(table).vacuum(dry_run=True, **options))
        except TypeError:
            raise  # up to 1.0.2 there is no such argument
        except Exception as error:  # noqa: BLE001 - any class
            deleted[str(kept)] = f"{type(error).__name__}: {error}"
        print(f"VACUUM with keep_versions={kept} would delete: {deleted[str(kept)]} files")
    return deleted["[1, 2]"] != deleted["[2, 1]"]


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
