"""DELETE fails if its condition is TRUE for every row and the optimizer simplifies it late.

    pip install deltalake pyarrow
    python always_true.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

SCHEMA = pa.schema([pa.field("b", pa.bool_(), nullable=False)])
CONDITIONS = ["b = TRUE OR b = FALSE", "b IN (TRUE, FALSE)", "b IN (TRUE) OR b <> TRUE"]


def is_violated(home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(CONDITIONS):
        table = home / str(number)
        write_deltalake(str(table), pa.table({"b": [True, False]}, schema=SCHEMA))
        try:
            DeltaTable(str(table)).delete(condition)
            result = "done, as expected"
        except Exception as error:  # noqa: BLE001 - any class
            result, wrong = f"{type(error).__name__}: {error}", True
        print(f"DELETE WHERE {condition}: {result}")
    return wrong


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
