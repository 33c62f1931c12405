"""OPTIMIZE fails if the path of a file that it rewrites has a tilde, such as that of the partition value "a~b".

    pip install deltalake pyarrow
    python tilde_in_a_path.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake


def is_violated(table: str) -> bool:
    for id in (1, 2):
        rows = pa.table({"p": ["a~b"], "id": [id]})
        write_deltalake(table, rows, partition_by=["p"], mode="append")
    try:
        DeltaTable(table).optimize.compact()
    except Exception as problem:
        print(f"OPTIMIZE failed: {str(problem)[:150]}")
        return "missing files" in str(problem)
    print("OPTIMIZE put the files together, as expected")
    return False


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(str(Path(directory).resolve() / "t"))
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
