"""A retention of many hours makes VACUUM panic, past all exceptions of Python.

Needs deltalake and pyarrow only. Run: python huge_retention.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake


def shows(home: Path) -> bool:
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
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
