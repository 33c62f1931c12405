"""DeltaTable.count counts the rows that deletion vectors hide.

    pip install deltalake pyarrow
    python count_of_vectors.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import base64
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, __version__


def restore(table: Path) -> None:
    """Version 0 and the files that it names."""
    (table / "_delta_log").mkdir(parents=True)
    (table / "_delta_log" / f"{0:020}.json").write_text(COMMIT)
    for name, content in FILES.items():
        (table / name).write_bytes(base64.b64decode(content))


def is_violated(home: Path) -> bool:
    table = home / "t"
    restore(table)
    opened = DeltaTable(str(table))
    query = QueryBuilder().register("t", opened).execute("SELECT * FROM t")
    rows = pa.table(query.read_all() if hasattr(query, "read_all") else query).num_rows
    print("rows by a query:", rows, "DeltaTable.count:", opened.count(), "expected: at most as many")
    return opened.count() > rows


# Data. The deletion vector hides row 1.
COMMIT = r"""
{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}
{"metaData":{"id":"00000000-0000-4000-8000-000000000000","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{},"createdTime":1}}
{"add":{"path":"a.parquet","partitionValues":{},"size":193,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":4}","deletionVector":{"storageType":"u","pathOrInlineDv":"00001002m:Fb/MH00000","offset":1,"sizeInBytes":34,"cardinality":1}}}
""".strip()

FILES = {
    "a.parquet": "UEFSMRUAFUwVTCwVCBUAFQYVBhwAAAACAAAACAEAAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAADAAAAAAAAABUEGSw1ABgGc2NoZW1hFQIAFQQlAhgCaWQAFggZHBkcJgAcFQQZJQYAGRgCaWQVABYIFnIWciYISRwVABUAFQIAPCkGGSYACAAAABZyFggmCBZyACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZHBwAAAB8AAAAUEFSMQ==",
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
