"""A DELETE that rewrites a file writes the partition value Infinity as inf.

    pip install deltalake pyarrow
    python infinite_partition_value.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, __version__


def write_table(table: Path, value: str) -> None:
    """A table partitioned by p, in which another writer has added one file with this text as its partition value."""
    schema = pa.schema([("id", pa.int64()), ("p", pa.float64())])
    DeltaTable.create(str(table), schema, partition_by=["p"])
    pq.write_table(pa.table({"id": [1, 2]}), table / "a.parquet")
    size = (table / "a.parquet").stat().st_size
    add = {
        "path": "a.parquet",
        "partitionValues": {"p": value},
        "size": size,
        "modificationTime": 1,
        "dataChange": True,
    }
    (table / "_delta_log" / f"{1:020}.json").write_text(json.dumps({"add": add}))


def written_by_delete(table: Path) -> list[str]:
    """The partition values of the files that version 2 adds."""
    commit = table / "_delta_log" / f"{2:020}.json"
    actions = [json.loads(line) for line in commit.read_text().splitlines()] if commit.exists() else []
    return [action["add"]["partitionValues"]["p"] for action in actions if "add" in action]


def is_violated(home: Path) -> bool:
    wrong = False
    for value in ("Infinity", "-Infinity", "NaN"):
        table = home / value
        write_table(table, value)
        DeltaTable(str(table)).delete("id = 1")
        written = written_by_delete(table)
        print(f"DELETE WHERE id = 1, p = {value}: the new file's partition value is {written}, expected [{value!r}]")
        wrong = wrong or written != [value]
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
