"""DELETE takes a condition that is no BOOLEAN for TRUE, if it names no column or partition columns alone, and deletes whole files.

    pip install deltalake pyarrow
    python condition_without_boolean.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake
from deltalake.exceptions import DeltaError

ROWS = pa.table({"p": [1, 2], "id": [1, 2]})
CONDITIONS = ["0", "'false'", "p - p", "p = 1 AND 'a'", "id + 1"]


def is_violated(home: Path) -> bool:
    wrong = False
    for number, condition in enumerate(CONDITIONS):
        table = str(home / str(number))
        write_deltalake(table, ROWS, partition_by=["p"])
        try:
            DeltaTable(table).delete(condition)
        except DeltaError as error:
            print(f"delete({condition!r}) is refused: {str(error)[:90]}")
            continue
        left = DeltaTable(table).to_pyarrow_table().num_rows
        wrong = True
        print(f"delete({condition!r}) succeeds and leaves {left} of 2 rows")
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
