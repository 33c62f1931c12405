"""Full VACUUM deletes the files of live deletion vectors: the table cannot be read any more.

    pip install deltalake pyarrow
    python live_vectors.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import base64
import os
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__

OLD = time.time() - 30 * 86400  # the default retention is a week


def rows(table: Path, column: str) -> list:
    """The values of a column, sorted as text."""
    found = QueryBuilder().register("t", DeltaTable(str(table))).execute(f'SELECT "{column}" FROM t').read_all()
    return sorted(pa.table(found).column(0).to_pylist(), key=str)


def restore(table: Path) -> None:
    """Version 0 and the files that it names, 30 days old."""
    (table / "_delta_log").mkdir(parents=True)
    (table / "_delta_log" / f"{0:020}.json").write_text(COMMIT)
    for name, content in FILES.items():
        (table / name).write_bytes(base64.b64decode(content))
        os.utime(table / name, (OLD, OLD))


def is_violated(home: Path) -> bool:
    table = home / "t"
    restore(table)
    print("rows before:", rows(table, "id"))
    print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False))
    there = next(table.glob("deletion_vector_*"), None) is not None
    print("the live vector's file is", "there" if there else "GONE; expected: kept")
    return not there


# Data. The deletion vector hides row 1.
COMMIT = r"""
{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}
{"metaData":{"id":"00000000-0000-4000-8000-000000000000","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{},"createdTime":1}}
{"add":{"path":"a.parquet","partitionValues":{},"size":185,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":3}","deletionVector":{"storageType":"u","pathOrInlineDv":"00001002m:Fb/MH00000","offset":1,"sizeInBytes":34,"cardinality":1}}}
""".strip()

FILES = {
    "a.parquet": "UEFSMRUAFTwVPCwVBhUAFQYVBhwAAAACAAAABgEAAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAVBBksNQAYBnNjaGVtYRUCABUEJQIYAmlkABYGGRwZHCYAHBUEGSUGABkYAmlkFQAWBhZiFmImCEkcFQAVABUCADwpBhkmAAYAAAAWYhYGJggWYgAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGRwcAAAAfAAAAFBBUjE=",
    "deletion_vector_00000001-0000-4000-8000-000000000000.bin": "AQAAACLR0zlkAQAAAAAAAAAAAAAAOjAAAAEAAAAAAAAAEAAAAAEA7r2F9A==",
}


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except BaseException as problem:  # a panic of the engine is not an Exception
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on deltalake", __version__)
    sys.exit(1 if violated else 0)
