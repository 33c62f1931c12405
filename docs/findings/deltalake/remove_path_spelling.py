"""A remove spells the path unlike the add that it removes.

    pip install deltalake pyarrow
    python remove_path_spelling.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import json
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, __version__

#: Paths as the log spells them, and where the files are.
PATHS = (("p=ü/a", "p=ü/a"), ("p=a%2Bb/a", "p=a+b/a"), ("p=a%20b/a", "p=a b/a"))


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
        DeltaTable(str(table)).delete()
        commit = (table / "_delta_log" / f"{2:020}.json").read_text(encoding="utf-8")
        removed = [line["remove"]["path"] for line in map(json.loads, commit.splitlines()) if "remove" in line]
        print(f"the path of the add is {path!r}, of the remove {removed}; expected the same text")
        wrong = wrong or removed != [path]
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
