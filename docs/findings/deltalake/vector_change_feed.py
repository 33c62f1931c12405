"""The change data feed of a removed file with a deletion vector has the rows that the vector hides instead of the others.

    pip install deltalake pyarrow
    python vector_change_feed.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import base64
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, __version__


def restore(table: Path) -> None:
    """Version 0 and the files that it names."""
    (table / "_delta_log").mkdir(parents=True)
    (table / "_delta_log" / f"{0:020}.json").write_text(COMMIT)
    for name, content in FILES.items():
        (table / name).write_bytes(base64.b64decode(content))


def is_violated(home: Path) -> bool:
    table = home / "t"
    restore(table)
    DeltaTable(str(table)).delete()
    feed = pa.table(DeltaTable(str(table)).load_cdf(starting_version=1).read_all())
    found = sorted(zip(feed["id"].to_pylist(), feed["_change_type"].to_pylist()))
    expected = [(0, "delete"), (2, "delete"), (3, "delete")]
    print("rows 0, 2 and 3, DELETE of all: the feed has", found, "expected", expected)
    return found != expected


# Data. The deletion vector hides row 1.
COMMIT = r"""
{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","changeDataFeed"]}}
{"metaData":{"id":"00000000-0000-4000-8000-000000000000","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{"delta.enableChangeDataFeed":"true"},"createdTime":1}}
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
