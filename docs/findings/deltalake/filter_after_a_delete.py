"""A filter of to_pyarrow_dataset on texts fails after a DELETE that rewrites a file.

    pip install deltalake pyarrow
    python filter_after_a_delete.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, __version__, write_deltalake


def is_violated(home: Path) -> bool:
    table = str(home / "t")
    write_deltalake(table, pa.table({"id": [1, 2, 3], "s": ["a", "b", "c"]}))
    wanted = pc.field("s") == "b"
    print("before:", DeltaTable(table).to_pyarrow_dataset().count_rows(filter=wanted), "row")
    DeltaTable(table).delete("id = 1")
    try:
        print("after:", DeltaTable(table).to_pyarrow_dataset().count_rows(filter=wanted), "row")
    except pa.ArrowNotImplementedError as error:
        print("after:", error)
        return True
    return False


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
