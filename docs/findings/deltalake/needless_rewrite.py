"""A DELETE rewrites files without a row that satisfies its condition.

    pip install deltalake pyarrow
    python needless_rewrite.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

CONDITIONS = ("s = 'a' AND s IN ('b', 'b')", "(p IS NOT DISTINCT FROM NULL) AND s = 'a'")


def is_violated(home: Path) -> bool:
    needless = False
    for number, condition in enumerate(CONDITIONS):
        table = str(home / str(number))
        write_deltalake(table, pa.table({"s": ["a", "b", "c"], "p": ["x", "x", "y"]}), partition_by=["p"])
        counts = DeltaTable(table).delete(condition)
        found = {name: counts[name] for name in ("num_added_files", "num_removed_files", "num_deleted_rows")}
        print(f"DELETE WHERE {condition}: {found}; no row satisfies it, expected no file added or removed")
        needless = needless or DeltaTable(table).version() != 0
    return needless


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
