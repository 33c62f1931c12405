"""Deleted rows are still read, and kept rows are read twice, where the log spells a path unlike delta-rs.

    pip install deltalake pyarrow
    python deleted_rows_stay.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, QueryBuilder, __version__

#: Paths as the log spells them, and where the files are.
PATHS = (("p=ü/a", "p=ü/a"), ("p=a%2Bb/a", "p=a+b/a"), ("p=a%20b/a", "p=a b/a"))


def rows(table: Path, column: str) -> list:
    """The values of a column, sorted as text."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


def write_table(table: Path, path: str, on_disk: str) -> None:
    """A table partitioned by p, in which another writer has added a file with the rows 1 and 2."""
    schema = pa.schema([("id", pa.int64()), ("p", pa.string())])
    DeltaTable.create(str(table), schema, partition_by=["p"])
    file = table / on_disk
    file.parent.mkdir()
    pq.write_table(pa.table({"id": [1, 2]}), file)
    add = {"path": path, "partitionValues": {"p": file.parent.name.removeprefix("p=")}, "dataChange": True}
    add |= {"size": file.stat().st_size, "modificationTime": 1}
    commit = table / "_delta_log" / f"{1:020}.json"
    commit.write_text(json.dumps({"add": add}, ensure_ascii=False), encoding="utf-8")


def is_violated(home: Path) -> bool:
    wrong = False
    for number, (path, on_disk) in enumerate(PATHS):
        table = home / str(number)
        write_table(table, path, on_disk)
        DeltaTable(str(table)).delete("id = 1")
        left = rows(table, "id")
        print(f"1 and 2 in {path!r}, DELETE WHERE id = 1: left {left}, expected [2]")
        wrong = wrong or left != [2]
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
