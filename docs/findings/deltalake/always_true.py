"""A condition that is TRUE of every row, as the optimizer finds out late: DELETE fails.

Needs deltalake and pyarrow only. Run: python always_true.py
Exit 0: the fault does not show. 1: the fault shows. 2: it could not be checked.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

SCHEMA = pa.schema([pa.field("b", pa.bool_(), nullable=False)])
CONDITIONS = ["b = TRUE OR b = FALSE", "b IN (TRUE, FALSE)", "b IN (TRUE) OR b <> TRUE"]


def shows(home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(CONDITIONS):
        table = home / str(number)
        write_deltalake(str(table), pa.table({"b": [True, False]}, schema=SCHEMA))
        try:
            DeltaTable(str(table)).delete(condition)
            told = "done"
        except Exception as error:  # noqa: BLE001 - whichever class it has
            told, wrong = f"{type(error).__name__}: {error}", True
        print(f"DELETE WHERE {condition}: {told}")
    return wrong


if __name__ == "__main__":
    print("deltalake", __version__)
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as home:
            code = 1 if shows(Path(home).resolve()) else 0
    except BaseException as error:  # a panic of the engine is no Exception
        print(f"could not be checked: {type(error).__name__}: {str(error)[:300]}")
        code = 2
    sys.exit(code)
