"""A retention of 10**15 hours makes VACUUM panic; `except Exception` does not catch it.

    pip install deltalake pyarrow
    python huge_retention.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake


def is_violated(home: Path) -> bool:
    table = home / "t"
    write_deltalake(str(table), pa.table({"id": [1]}))
    try:
        print("VACUUM of 10**15 hours would delete", DeltaTable(str(table)).vacuum(retention_hours=10**15))
    except Exception as refusal:
        print("VACUUM of 10**15 hours is refused, as expected:", type(refusal).__name__, str(refusal)[:100])
    except BaseException as panic:
        print("VACUUM of 10**15 hours panics:", type(panic).__name__, str(panic)[:100], "(expected: nothing to delete)")
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
