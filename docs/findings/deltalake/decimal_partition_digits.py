"""A DECIMAL partition value whose text has no trailing zeros makes DELETE and readers refuse the table.

    pip install deltalake pyarrow
    python decimal_partition_digits.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__, write_deltalake


def rows(table: Path) -> int:
    """The number of rows in the table."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute("SELECT id FROM t").read_all()
    return pa.table(found).num_rows


def is_violated(home: Path) -> bool:
    """The text 1.5 stands for the same DECIMAL(10,2) as 1.50, which deltalake writes."""
    violated = False
    for text in ("1.50", "1.5"):
        table = home / text
        values = pa.array([Decimal("1.50")] * 3, pa.decimal128(10, 2))
        write_deltalake(str(table), pa.table({"p": values, "id": [1, 2, 3]}), partition_by=["p"])
        commit = table / "_delta_log" / "00000000000000000000.json"
        lines = [json.loads(line) for line in commit.read_text().splitlines()]
        for line in lines:
            if "add" in line:
                line["add"]["partitionValues"]["p"] = text
        commit.write_text("".join(json.dumps(line) + "\n" for line in lines))
        for what, call in (
            ("rows", lambda: rows(table)),
            ("DELETE WHERE id = 2", lambda: DeltaTable(str(table)).delete("id = 2")["num_deleted_rows"]),
            ("DELETE WHERE p = 1.5", lambda: DeltaTable(str(table)).delete("p = 1.5")["num_removed_files"]),
        ):
            try:
                print(f"partition value {text!r}: {what}: {call()}")
            except Exception as refused:
                print(f"partition value {text!r}: {what}: refused: {str(refused)[:100]!r}")
                violated = violated or text == "1.5"
    return violated


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
