"""Full VACUUM deletes the deletion vectors of a version that keep_versions names: that version cannot be read any more.

    pip install deltalake pyarrow
    python kept_version_vectors.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import base64
import os
import sys
import tempfile
import time
from pathlib import Path

from deltalake import DeltaTable, QueryBuilder, __version__

OLD = time.time() - 30 * 86400  # the default retention is a week


def restore(table: Path) -> None:
    """Two versions, the second without a file, and the files that the first one names, 30 days old."""
    (table / "_delta_log").mkdir(parents=True)
    for version, commit in enumerate(COMMITS):
        (table / "_delta_log" / f"{version:020}.json").write_text(commit)
    for name, content in FILES.items():
        (table / name).write_bytes(base64.b64decode(content))
        os.utime(table / name, (OLD, OLD))


def is_violated(home: Path) -> bool:
    table = home / "t"
    restore(table)
    QueryBuilder().register("t", DeltaTable(str(table), version=0)).execute("SELECT * FROM t").read_all()
    print("VACUUM deleted", DeltaTable(str(table)).vacuum(full=True, dry_run=False, keep_versions=[0]))
    lost = [name for name in FILES if not (table / name).exists()]
    print("files of version 0 that are gone:", lost, "expected: none")
    return bool(lost)


# Data. The deletion vector hides row 1.
COMMITS = [
    r"""
{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}
{"metaData":{"id":"00000000-0000-4000-8000-000000000000","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{},"createdTime":1}}
{"add":{"path":"a.parquet","partitionValues":{},"size":185,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":3}","deletionVector":{"storageType":"u","pathOrInlineDv":"00001002m:Fb/MH00000","offset":1,"sizeInBytes":34,"cardinality":1}}}
""".strip(),
    r"""
{"remove":{"path":"a.parquet","deletionTimestamp":1,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{},"size":185,"deletionVector":{"storageType":"u","pathOrInlineDv":"00001002m:Fb/MH00000","offset":1,"sizeInBytes":34,"cardinality":1}}}
""".strip(),
]

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
