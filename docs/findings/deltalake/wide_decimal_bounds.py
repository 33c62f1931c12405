"""After a DELETE, the statistics of a wide DECIMAL column exclude values that are in the file.

    pip install deltalake pyarrow
    python wide_decimal_bounds.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__, write_deltalake

KEPT = Decimal("-99999999999999999999.999999999999999998")


def is_violated(home: Path) -> bool:
    table = home / "t"
    values = pa.array([Decimal("1"), KEPT], pa.decimal128(38, 18))
    write_deltalake(str(table), pa.table({"v": [1, 2], "d": values}))
    DeltaTable(str(table)).delete("v = 1")
    (log,) = (table / "_delta_log").glob(f"{1:020}.json")
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    (stats,) = (json.loads(action["add"]["stats"], parse_float=Decimal) for action in actions if "add" in action)
    low, high = (Decimal(stats[bound]["d"]) for bound in ("minValues", "maxValues"))
    print(f"the file has the value {KEPT}; its bounds are {low} and {high}")
    return not low <= KEPT <= high


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
